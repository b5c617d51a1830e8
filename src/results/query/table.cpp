#include "results/query/table.hpp"

#include "core/base/json_scan.hpp"
#include "core/base/text.hpp"

#include <cmath>

#include <nlohmann/json.hpp>

namespace orch::report {

namespace {

// Parameters, the most informative first.
constexpr std::string_view k_parameter_order[] = {
    "experiment", "model",      "runner",      "tool",        "definition", "system",
    "mode",       "precision",  "backend",     "tp",          "pp",         "isl",
    "osl",        "batch_size", "concurrency", "request_rate"};

std::string hexadecimal(std::string_view bytes) {
  std::string out;
  for (const char c : bytes) out += fmt::format("{:02x}", static_cast<unsigned char>(c));
  return out;
}

struct ForPeople {
  std::string operator()(std::monostate) const { return "-"; }
  std::string operator()(std::int64_t value) const { return std::to_string(value); }
  std::string operator()(double value) const { return rounded(value); }
  std::string operator()(const std::string& value) const { return printable_line(value); }
  std::string operator()(const Blob& value) const {
    return fmt::format("({} bytes)", value.bytes.size());
  }
};

struct ForCsv {
  std::string operator()(std::monostate) const { return ""; }
  std::string operator()(std::int64_t value) const { return std::to_string(value); }
  std::string operator()(double value) const { return fmt::format("{}", value); }
  std::string operator()(const std::string& value) const {
    if (!value.empty() && value.find_first_of(",\"\r\n") == std::string::npos) return value;
    std::string out = "\"";
    for (const char c : value) {
      if (c == '"') out += '"';
      out += c;
    }
    return out + '"';
  }
  std::string operator()(const Blob& value) const { return hexadecimal(value.bytes); }
};

std::string json_text(const std::string& value) { return dump(nlohmann::json(value)); }

struct ForJson {
  std::string operator()(std::monostate) const { return "null"; }
  std::string operator()(std::int64_t value) const { return std::to_string(value); }
  std::string operator()(double value) const {
    return nlohmann::json(value).dump();
  }  // null unless finite
  std::string operator()(const std::string& value) const { return json_text(value); }
  std::string operator()(const Blob& value) const { return json_text(hexadecimal(value.bytes)); }
};

std::string table_text(const Table& table) {
  TextTable out(table.columns);
  for (const auto& row : table.rows) {
    std::vector<std::string> cells;
    for (const Cell& cell : row) cells.push_back(std::visit(ForPeople{}, cell));
    out.add(std::move(cells));
  }
  return out.text();
}

std::string markdown_text(const Table& table) {
  MarkdownTable out;
  for (std::size_t column = 0; column < table.columns.size(); ++column) {
    const bool is_number =
        std::ranges::all_of(table.rows, [&](const auto& row) { return row[column].index() <= 2; });
    out.columns.push_back({escaped_markdown(table.columns[column]), is_number});
  }
  for (const auto& row : table.rows) {
    auto& cells = out.rows.emplace_back();
    for (const Cell& cell : row) cells.push_back(escaped_markdown(std::visit(ForPeople{}, cell)));
  }
  return out.text();
}

std::string csv_text(const Table& table) {
  std::string out;
  for (const std::string& column : table.columns)
    out += (out.empty() ? "" : ",") + ForCsv{}(column);
  out += "\n";
  for (const auto& row : table.rows) {
    for (std::size_t i = 0; i < row.size(); ++i)
      out += (i ? "," : "") + std::visit(ForCsv{}, row[i]);
    out += "\n";
  }
  return out;
}

// COLUMNS as unique keys of a JSON object: a second column of the same name becomes "name_2".
std::vector<std::string> unique_names(const std::vector<std::string>& columns) {
  std::vector<std::string> names;
  for (const std::string& column : columns) {
    std::string name = column;
    for (int n = 2; std::ranges::find(names, name) != names.end(); ++n)
      name = fmt::format("{}_{}", column, n);
    names.push_back(std::move(name));
  }
  return names;
}

std::string json_array(const Table& table) {
  std::vector<std::string> keys;
  for (const std::string& name : unique_names(table.columns))
    keys.push_back(json_text(name) + ": ");
  std::string out = "[";
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    out += r ? ",\n {" : "\n {";
    for (std::size_t i = 0; i < keys.size(); ++i)
      out += (i ? ", " : "") + keys[i] + std::visit(ForJson{}, table.rows[r][i]);
    out += "}";
  }
  return out + (table.rows.empty() ? "]\n" : "\n]\n");
}

}  // namespace

std::vector<std::string> first_column(sql::Database& database, const std::string& sql) {
  std::vector<std::string> names;
  auto statement = database.prepare(sql);
  while (statement.ok()) {
    const auto row = statement->step();
    if (!row.ok() || !*row) break;
    names.push_back(statement->column_text(0));
  }
  return names;
}

std::vector<std::string> column_names(sql::Database& database, std::string_view table_or_view) {
  return first_column(
      database, "SELECT name FROM pragma_table_xinfo(" + sql::quote_text(table_or_view) + ")");
}

std::vector<std::string> parameters_in_order(const std::set<std::string>& names) {
  std::vector<std::string> out(names.begin(), names.end());
  const auto rank = [](const std::string& name) {
    return std::ranges::find(k_parameter_order, name) - std::begin(k_parameter_order);
  };
  std::ranges::stable_sort(
      out, [&](const std::string& a, const std::string& b) { return rank(a) < rank(b); });
  return out;
}

Columns::Columns(const Table& table) : table_(table) {
  for (std::size_t i = 0; i < table.columns.size(); ++i) sorted_.emplace_back(table.columns[i], i);
  std::ranges::sort(sorted_);
}

std::size_t Columns::index_of(std::string_view column) const {
  const auto at =
      std::lower_bound(sorted_.begin(), sorted_.end(), column,
                       [](const auto& entry, std::string_view name) { return entry.first < name; });
  return at != sorted_.end() && at->first == column ? at->second : table_.columns.size();
}

std::optional<double> Columns::real(std::size_t row, std::string_view column) const {
  const std::size_t at = index_of(column);
  return at < table_.columns.size() ? real_of(table_.rows[row][at]) : std::nullopt;
}

std::string Columns::text(std::size_t row, std::string_view column) const {
  const std::size_t at = index_of(column);
  return at < table_.columns.size() ? exact_text(table_.rows[row][at]) : "";
}

std::string cell_text(const Cell& cell) { return std::visit(ForPeople{}, cell); }

std::string exact_text(const Cell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  if (const auto* integer = std::get_if<std::int64_t>(&cell)) return std::to_string(*integer);
  if (const auto* real = std::get_if<double>(&cell)) return fmt::format("{}", *real);
  return "";
}

std::optional<double> real_of(const Cell& cell) {
  if (const auto* real = std::get_if<double>(&cell)) return *real;
  if (const auto* integer = std::get_if<std::int64_t>(&cell)) return static_cast<double>(*integer);
  return {};
}

// Keeps every digit before the point, and avoids an exponent in the range of ordinary metrics.
std::string rounded(double value) {
  const double size = std::fabs(value);
  if (!std::isfinite(value) || size >= 1e15 || (size > 0 && size < 1e-4))
    return fmt::format("{:.4e}", value);
  const int before = size < 1 ? 1 : static_cast<int>(std::floor(std::log10(size))) + 1;
  std::string text = fmt::format("{:.{}f}", value, std::max(0, 5 - before));
  if (text.find('.') == std::string::npos) return text;
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

std::string MarkdownTable::text() const {
  std::string out = "|", rule = "\n|";
  for (const Column& column : columns) {
    out += fmt::format(" {} |", column.title);
    rule += column.is_number ? " ---: |" : " --- |";
  }
  out += rule + "\n";
  for (const auto& row : rows) out += "| " + join(row, " | ") + " |\n";
  return out;
}

std::string to_text(const Table& table, Format format) {
  switch (format) {
    case Format::table: return table_text(table);
    case Format::markdown: return markdown_text(table);
    case Format::csv: return csv_text(table);
    case Format::json: return json_array(table);
  }
  return "";
}

}  // namespace orch::report
