#include "results/tables/record_columns.hpp"

#include "results/tables/token_gaps.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cassert>

namespace orch::tables {

Status bind_value(sql::Statement& statement, int index, FieldType type, const Value& value) {
  switch (type) {
    case FieldType::flag:
    case FieldType::optional_flag:
      if (const auto* flag = std::get_if<bool>(&value)) return statement.bind(index, *flag);
      break;
    case FieldType::integer:
      if (const auto* number = std::get_if<std::int64_t>(&value))
        return statement.bind(index, *number);
      break;
    case FieldType::real:
      if (const auto* number = std::get_if<double>(&value)) return statement.bind(index, *number);
      break;
    case FieldType::text:
    case FieldType::object:
      if (const auto* text = std::get_if<std::string>(&value)) return statement.bind(index, *text);
      break;
    case FieldType::gaps:
      if (const auto* gaps = std::get_if<Gaps>(&value))
        return statement.bind_blob(index, encode_gaps(*gaps));
      break;
    case FieldType::sentences:
    case FieldType::words:
      if (const auto* texts = std::get_if<Texts>(&value))
        return statement.bind(
            index, fmt::format("{}", fmt::join(*texts, type == FieldType::words ? " " : "; ")));
      break;
    case FieldType::section: assert(!"a section fills no column"); break;
  }
  return statement.bind(index, nullptr);
}

Value value_at(sql::Statement& statement, int column, FieldType type) {
  if (statement.column_null(column)) return {};
  switch (type) {
    case FieldType::flag:
    case FieldType::optional_flag: return statement.column_int(column) != 0;
    case FieldType::integer: return statement.column_int(column);
    case FieldType::real: return statement.column_real(column);
    case FieldType::gaps: return decode_gaps(statement.column_blob(column)).value_or(Gaps{});
    case FieldType::text:
    case FieldType::object: return statement.column_text(column);
    case FieldType::sentences:
    case FieldType::words:
    case FieldType::section: break;  // no reader splits a joined list
  }
  return {};
}

std::string insert_of(std::string_view table, std::string_view keys, std::string_view columns) {
  const std::string all = fmt::format("{}, {}", keys, columns);
  std::string parameters = "?";
  for (auto commas = std::ranges::count(all, ','); commas > 0; --commas) parameters += ", ?";
  return fmt::format("INSERT INTO {} ({}) VALUES ({})", table, all, parameters);
}

Status put_metric_rows(Statements& statements, std::int64_t id,
                       std::span<const record::NamedMetric> metrics) {
  static const std::string k_insert = insert_of(
      "metric", "measurement_id, name", fmt::format("{}", fmt::join(k_statistic_names, ", ")));
  for (const record::NamedMetric& metric : metrics) {
    ORCH_ASSIGN(sql::Statement * row, statements.get(k_insert));
    ORCH_TRY(row->bind(1, id));
    ORCH_TRY(row->bind(2, metric.name));
    ORCH_TRY(row->bind(3, metric.mean));
    for (std::size_t i = 0; i < metric.statistics.size(); ++i) {
      const int index = static_cast<int>(i) + 4;
      const auto& value = metric.statistics[i];
      ORCH_TRY(value && i == k_statistic_n ? row->bind(index, static_cast<std::int64_t>(*value))
                                           : row->bind(index, value));
    }
    ORCH_TRY(row->run());
  }
  return {};
}

}  // namespace orch::tables
