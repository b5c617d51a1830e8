#include "results/imports/csv.hpp"

#include "core/base/text.hpp"

#include <cmath>

namespace orch::imports {

namespace {

constexpr std::size_t k_most_columns = 2000;

// Walks over the characters of a CSV file.
class CsvReader {
 public:
  CsvReader(std::string_view name, std::string_view text) : name_(name), text_(text) {}

  Result<std::vector<CsvRow>> read() {
    std::vector<CsvRow> rows;
    while (at_ < text_.size()) {
      CsvRow row{.line = line_};
      ORCH_TRY(read_row(row));
      if (row.cells.size() > k_most_columns)
        return invalid(fmt::format("{}:{}: more than {} cells; is this a CSV file?", name_,
                                   row.line, k_most_columns));
      rows.push_back(std::move(row));
    }
    return rows;
  }

 private:
  Status read_row(CsvRow& row) {
    while (true) {
      std::string cell;
      if (at_ < text_.size() && text_[at_] == '"') ORCH_TRY(read_quoted(cell));
      while (at_ < text_.size() && text_[at_] != ',' && text_[at_] != '\n') cell += text_[at_++];
      const bool is_last = at_ >= text_.size() || text_[at_] == '\n';
      if (is_last && cell.ends_with('\r')) cell.pop_back();
      row.cells.push_back(std::move(cell));
      if (at_ < text_.size()) ++at_;
      if (!is_last) continue;
      ++line_;
      return {};
    }
  }

  Status read_quoted(std::string& cell) {
    const int begun = line_;
    for (++at_; at_ < text_.size(); ++at_) {
      if (text_[at_] == '\n') ++line_;
      if (text_[at_] != '"') {
        cell += text_[at_];
      } else if (at_ + 1 < text_.size() && text_[at_ + 1] == '"') {
        cell += '"';
        ++at_;
      } else {
        ++at_;
        return {};
      }
    }
    return invalid(
        fmt::format("{}:{}: a quotation mark is never closed; close it, or export the file again",
                    name_, begun));
  }

  std::string_view name_, text_;
  std::size_t at_ = 0;
  int line_ = 1;
};

}  // namespace

std::optional<double> to_number(std::string_view text) {
  std::string digits(trim(text));
  std::erase(digits, ',');
  const auto number = to_real(digits);
  return number && std::isfinite(*number) ? number : std::nullopt;
}

Result<std::vector<CsvRow>> read_csv(std::string_view name, std::string_view text) {
  static constexpr std::string_view k_byte_order_mark = "\xef\xbb\xbf";
  if (text.starts_with(k_byte_order_mark)) text.remove_prefix(k_byte_order_mark.size());
  return CsvReader(name, text).read();
}

Result<CsvTable> CsvTable::of(std::string_view name, const std::vector<CsvRow>& rows,
                              std::size_t first) {
  CsvTable table;
  table.name_ = name;
  if (first >= rows.size()) return invalid(fmt::format("{}: the table is empty", name));
  const CsvRow& header = rows[first];
  std::set<std::string> known;
  for (const std::string& cell : header.cells) {
    table.columns_.emplace_back(trim(cell));
    if (!known.insert(table.columns_.back()).second)
      return invalid(fmt::format("{}:{}: two columns are called {}; rename one", name, header.line,
                                 quoted(table.columns_.back())));
  }
  for (std::size_t i = first + 1; i < rows.size() && !rows[i].is_empty(); ++i) {
    if (rows[i].cells.size() != header.cells.size())
      return invalid(fmt::format(
          "{}:{}: the row has {} cells but the header in line {} has {}; the file was cut off or "
          "edited: export it again",
          name, rows[i].line, rows[i].cells.size(), header.line, header.cells.size()));
    table.rows_.push_back(&rows[i]);
  }
  return table;
}

std::optional<std::size_t> CsvTable::find(std::string_view column) const {
  const auto found = std::ranges::find(columns_, column);
  return found == columns_.end()
             ? std::nullopt
             : std::optional(static_cast<std::size_t>(found - columns_.begin()));
}

std::string_view CsvTable::text(std::size_t row, std::string_view column) const {
  const auto at = find(column);
  return at ? trim(rows_[row]->cells[*at]) : std::string_view();
}

Result<std::optional<double>> CsvTable::number(std::size_t row, std::string_view column) const {
  const std::string_view cell = text(row, column);
  if (cell.empty() || cell == "N/A" || cell == "-" || cell == "None")
    return std::optional<double>();
  if (const auto value = to_number(cell)) return std::optional(value);
  return refuse(row, column, "a number is needed here");
}

Result<std::optional<std::int64_t>> CsvTable::integer(std::size_t row,
                                                      std::string_view column) const {
  ORCH_ASSIGN(const auto value, number(row, column));
  if (!value) return std::optional<std::int64_t>();
  if (std::trunc(*value) == *value && std::abs(*value) < 9e15)
    return std::optional(static_cast<std::int64_t>(*value));
  return refuse(row, column, "a whole number is needed here");
}

Error CsvTable::refuse(std::size_t row, std::string_view column, std::string_view remedy) const {
  return invalid(fmt::format("{}:{}: {} {}: {}", name_, rows_[row]->line, quoted(column),
                             quoted(text(row, column)), remedy));
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.push_back(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::string_view first_line(std::string_view text) { return text.substr(0, text.find('\n')); }

bool is_json(std::string_view text) {
  text = trim(text.substr(0, 64));
  return text.starts_with('{') || text.starts_with('[');
}

bool has_key(std::string_view text, std::string_view key) {
  const std::string quoted_key = "\"" + std::string(key) + "\"";
  for (auto at = text.find(quoted_key); at != std::string_view::npos;
       at = text.find(quoted_key, at + 1)) {
    const auto next = text.find_first_not_of(" \t\r\n", at + quoted_key.size());
    if (next != std::string_view::npos && text[next] == ':') return true;
  }
  return false;
}

std::optional<double> number_after(std::string_view line, std::string_view words) {
  const auto found = line.find(words);
  if (found == std::string_view::npos) return std::nullopt;
  std::string_view rest = line.substr(found + words.size());
  while (rest.starts_with(' ')) rest.remove_prefix(1);
  const auto is_part = [](char c) {
    return is_digit(c) || c == '.' || c == '-' || c == '+' || c == 'e' || c == 'E';
  };
  const auto end = std::ranges::find_if_not(rest, is_part);
  return to_real(rest.substr(0, static_cast<std::size_t>(end - rest.begin())));
}

}  // namespace orch::imports
