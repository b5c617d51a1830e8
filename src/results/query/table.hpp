// A table of query results and its four formats: for people (table, markdown) and for programs
// (csv, json).
#pragma once

#include "core/base/enum_names.hpp"
#include "core/sql/database.hpp"

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace orch::report {

// Names in a database: the columns of a table or view, and lists read by our own statements.

// The first column of each row of SQL, as text. Ends early, without an error, if SQL cannot be
// prepared or a row cannot be read: these names only improve messages and tables.
std::vector<std::string> first_column(sql::Database& database, const std::string& sql);

// The columns in the order of declaration; empty if there is no such table or view.
std::vector<std::string> column_names(sql::Database& database, std::string_view table_or_view);

// Sorts the NAMES of parameters: the most informative first, then by name.
std::vector<std::string> parameters_in_order(const std::set<std::string>& names);

enum class Format { table, csv, json, markdown };
constexpr auto names_of(Tag<Format>) { return value_names("table", "csv", "json", "markdown"); }

using sql::Blob;
using sql::Cell;

struct Table {
  std::vector<std::string> columns;
  std::vector<std::vector<Cell>> rows = {};
  bool is_cut = false;  // the query had more rows
};

// The cells of TABLE by column name. A missing column reads as NULL.
class Columns {
 public:
  explicit Columns(const Table& table);

  bool has(std::string_view column) const { return index_of(column) < table_.columns.size(); }
  std::optional<double> real(std::size_t row, std::string_view column) const;
  // The text of a cell; "" for NULL.
  std::string text(std::size_t row, std::string_view column) const;
  std::size_t rows() const { return table_.rows.size(); }
  const std::vector<std::string>& names() const { return table_.columns; }

 private:
  std::size_t index_of(std::string_view column) const;

  const Table& table_;
  std::vector<std::pair<std::string, std::size_t>> sorted_;
};

// json and csv have every digit, NULL as null or an empty field (an empty text is "" in csv), and
// blobs in hexadecimal. table and markdown have five significant digits, and escape control
// characters so that stored text cannot control a terminal.
std::string to_text(const Table& table, Format format);

// A Markdown table whose texts are already escaped.
struct MarkdownTable {
  struct Column {
    std::string title;
    bool is_number = false;  // aligned to the right
  };
  std::vector<Column> columns;
  std::vector<std::vector<std::string>> rows = {};

  std::string text() const;
};

// CELL as table and markdown show it.
std::string cell_text(const Cell& cell);
// CELL with every digit; "" for NULL and blobs.
std::string exact_text(const Cell& cell);
// nullopt unless CELL is a number.
std::optional<double> real_of(const Cell& cell);

// A number with five significant digits: 1234.5, 0.00012346.
std::string rounded(double value);

}  // namespace orch::report
