// Rows of an answer, and the four ways to write them: for people (table, markdown) and for programs
// (csv, json). Asks nothing itself.
#pragma once

#include "sql/database.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace orch::report {

enum class Format { table, csv, json, markdown };

// The names that --format takes, in one list.
inline constexpr std::string_view k_format_names[] = {"table", "csv", "json", "markdown"};
std::optional<Format> format_from(std::string_view name);

using sql::Blob;
using sql::Cell;

struct Table {
  std::vector<std::string> columns;
  std::vector<std::vector<Cell>> rows;
};

// Programs get every digit, NULL as null (json) or an empty field (csv; an empty text is ""), blobs
// in hexadecimal. People get five significant digits and control characters made visible: a stored
// answer cannot drive a terminal.
std::string to_text(const Table& table, Format format);

// As people get a number: 1234.5, 0.00012346.
std::string rounded(double value);

// Whether LIST, names with a space between, has NAME: a percentile in a list of those with too few
// requests.
bool names(std::string_view list, std::string_view name);

// TEXT on one line, control characters made visible.
std::string visible(std::string_view text);

}  // namespace orch::report
