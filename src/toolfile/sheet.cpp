#include "toolfile/sheet.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "matrix/name_rules.hpp"
#include "toolfile/point_parameters.hpp"

namespace orch::toolfile {

namespace {

void expect(const Sheet& sheet, Reading& reading) {
  for (const FigureKey& key : sheet.figures) {
    const std::string name(key.figure);
    if (std::find(reading.expected.begin(), reading.expected.end(), name) == reading.expected.end())
      reading.expected.push_back(name);
  }
}

// A column whose name cannot be that of a parameter has the tool's name before it.
std::string parameter_name(std::string_view tool, std::string_view column) {
  const std::string name = snake_case(column);
  return matrix::refuse_column_name(name) ? fmt::format("{}_{}", snake_case(tool), name) : name;
}

matrix::Type type_of(std::string_view name, std::string_view text) {
  if (name.ends_with("version")) return matrix::Type::version;
  if (to_integer(text)) return matrix::Type::integer;
  if (to_real(text)) return matrix::Type::real;
  return matrix::Type::text;
}

Status set_parameter(const CsvTable& table, std::size_t row, const ParameterKey& key,
                     Reading& reading) {
  const std::string_view text = table.text(row, key.theirs);
  if (text.empty()) return {};
  if (key.type == matrix::Type::integer) {
    ORCH_ASSIGN(const auto value, table.integer(row, key.theirs));
    if (value && *value < 0)
      return table.refuse(row, key.theirs, "a number from 0 on is needed here");
    set_integer(reading, key.parameter, value);
  } else if (key.type == matrix::Type::real) {
    if (lower(text) == "inf") return set_flag(reading, "max", true), Status();
    ORCH_ASSIGN(const auto value, table.number(row, key.theirs));
    set_real(reading, key.parameter, value);
  } else {
    reading.parameters.insert_or_assign(std::string(key.parameter),
                                        matrix::Value{key.type, std::string(text)});
  }
  return {};
}

bool is_known(const Sheet& sheet, std::string_view column) {
  const auto is_it = [&](const auto& key) { return key.theirs == column; };
  return std::any_of(sheet.figures.begin(), sheet.figures.end(), is_it) ||
         std::any_of(sheet.parameters.begin(), sheet.parameters.end(), is_it) ||
         std::find(sheet.passed_over.begin(), sheet.passed_over.end(), column) !=
             sheet.passed_over.end();
}

}  // namespace

Status read_row(const Sheet& sheet, const CsvTable& table, std::size_t row, Reading& reading) {
  Figures figures;
  for (const FigureKey& key : sheet.figures) {
    ORCH_ASSIGN(const auto value, table.number(row, key.theirs));
    if (!value) continue;
    const Status set = figures.set(key.figure, key.statistic, *value * key.factor);
    if (!set) return table.refuse(row, key.theirs, set.error().message);
  }
  for (const ParameterKey& key : sheet.parameters)
    ORCH_TRY(set_parameter(table, row, key, reading));
  for (const std::string& column : table.columns()) {
    if (!sheet.others_are_parameters || is_known(sheet, column)) continue;
    const std::string name = parameter_name(sheet.tool, column);
    ORCH_TRY(
        set_parameter(table, row, {column, name, type_of(name, table.text(row, column))}, reading));
  }
  reading.figures = figures.take();
  expect(sheet, reading);
  return {};
}

void read_object(const Sheet& sheet, const Node& object, Reading& reading) {
  Figures figures;
  for (const FigureKey& key : sheet.figures) {
    const Node node = object.at(key.theirs);
    const auto value = node.number();
    if (!value) continue;
    const Status set = figures.set(key.figure, key.statistic, *value * key.factor);
    if (!set) node.refuse(set.error().message + "; correct it, or remove the field");
  }
  for (const ParameterKey& key : sheet.parameters) {
    const Node node = object.at(key.theirs);
    if (!node.exists()) continue;
    if (key.parameter == "request_rate") set_request_rate(reading, node);
    else if (key.type == matrix::Type::integer)
      set_integer(reading, key.parameter, node.integer(0, k_most_of_anything));
    else set_node(reading, key.parameter, node);
  }
  reading.figures = figures.take();
  expect(sheet, reading);
}

}  // namespace orch::toolfile
