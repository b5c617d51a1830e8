// A table of query results and its four formats: for people (table, markdown) and for programs
// (csv, json). Runs no query.
#pragma once

#include "core/sql/database.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace orch::report {

enum class Format { table, csv, json, markdown };

// The lists that --format takes, in one list.
inline constexpr std::string_view k_format_names[] = {"table", "csv", "json", "markdown"};
std::optional<Format> format_from(std::string_view name);

using sql::Blob;
using sql::Cell;

struct Table {
  std::vector<std::string> columns;
  std::vector<std::vector<Cell>> rows;
  bool is_cut = false;  // the query had further rows
};

// json and csv have every digit, NULL as null or an empty field (in csv an empty text is ""), and
// blobs in hexadecimal. table and markdown have five significant digits and escape control
// characters, so that stored text cannot control a terminal.
std::string to_text(const Table& table, Format format);

// CELL as a table has it.
std::string cell_text(const Cell& cell);

// A number with five significant digits: 1234.5, 0.00012346.
std::string rounded(double value);

// Whether LIST, names separated by spaces, contains NAME.
bool lists(std::string_view list, std::string_view name);

// TEXT on one line, with control characters escaped.
std::string escaped(std::string_view text);

}  // namespace orch::report
