// A CSV file (RFC 4180) as tables of cells with their lines.
#pragma once

#include "core/base/result.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace orch::imports {

struct CsvRow {
  int line = 0;  // on which the row begins, from 1
  std::vector<std::string> cells = {};

  bool is_empty() const { return cells.empty() || (cells.size() == 1 && cells[0].empty()); }
};

// The rows of TEXT; an empty line is an empty row. Errors name the file and the line.
Result<std::vector<CsvRow>> read_csv(std::string_view name, std::string_view text);

// A header and the rows below it, all with the same number of cells.
class CsvTable {
 public:
  // The table in ROWS that begins at FIRST and ends before an empty row or at the end. Errors: two
  // columns with the same name, or a row of another length.
  static Result<CsvTable> of(std::string_view name, const std::vector<CsvRow>& rows,
                             std::size_t first = 0);

  const std::vector<std::string>& columns() const { return columns_; }
  std::size_t size() const { return rows_.size(); }
  bool has(std::string_view column) const { return find(column).has_value(); }
  // The text of a cell; "" if there is no such column.
  std::string_view text(std::size_t row, std::string_view column) const;
  // The number in a cell, whose thousands may be separated by commas ("1,234.56"); nullopt for an
  // empty cell, "N/A", "-", "None" or a missing column.
  Result<std::optional<double>> number(std::size_t row, std::string_view column) const;
  Result<std::optional<std::int64_t>> integer(std::size_t row, std::string_view column) const;
  // An error about a cell, which names its line, its value and REMEDY.
  Error refuse(std::size_t row, std::string_view column, std::string_view remedy) const;

 private:
  std::optional<std::size_t> find(std::string_view column) const;

  std::string name_;
  std::vector<std::string> columns_;
  std::vector<const CsvRow*> rows_;
};

// TEXT, such as "1,234.5", as a number; nullopt unless it is a finite number.
std::optional<double> to_number(std::string_view text);

// Human-readable text, line by line.

// The lines of TEXT without line breaks, in order; line N is at N - 1.
std::vector<std::string_view> lines_of(std::string_view text);

std::string_view first_line(std::string_view text);

// Whether TEXT begins as a JSON object or list.
bool is_json(std::string_view text);

// Whether TEXT, which is JSON, contains the key KEY at any depth.
bool has_key(std::string_view text, std::string_view key);

// The number that immediately follows the first WORDS in LINE; nullopt if there is none.
std::optional<double> number_after(std::string_view line, std::string_view words);

}  // namespace orch::imports
