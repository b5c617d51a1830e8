// Printing that cannot end a command: without a terminal or a reader of the pipe the text is lost,
// and the command continues.
#pragma once

#include "core/base/result.hpp"
#include "core/base/text.hpp"

#include <cstddef>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace orch::cli {

// Writes TEXT as it is: only this may move a terminal's cursor or set its colours.
void draw(std::FILE* stream, const std::string& text);

// Writes TEXT without control characters but line ends and tabs. On a terminal, lines of stderr are
// broken at spaces; stdout has data, whose lines stay whole.
void say_text(std::FILE* stream, const std::string& text);

template <class... Values>
void say(std::FILE* stream, fmt::format_string<Values...> format, Values&&... values) {
  say_text(stream, fmt::format(format, std::forward<Values>(values)...));
}

// TEXT as it may be written to STREAM: control characters reach a file or a pipe, and no terminal.
std::string safe_for(std::FILE* stream, const std::string& text);

// One per line, on stderr.
void print_errors(const Errors& errors);
void print_warnings(const std::vector<std::string>& warnings);

// The width of a terminal, and texts that fit it.

// Of the terminal at FD; 80 where there is none.
std::size_t terminal_columns(int fd = 2);

// TEXT with its lines broken at spaces where FD is a terminal, else as it is.
std::string fitted(int fd, std::string text);

}  // namespace orch::cli
