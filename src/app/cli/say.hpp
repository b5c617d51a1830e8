// Printing that cannot end a command: if the terminal or the reader of the pipe is gone, the text
// is lost and the command continues.
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

// Writes TEXT unchanged. Only this function may move a terminal's cursor or set its colours.
void draw(std::FILE* stream, const std::string& text);

// Writes TEXT without control characters except newlines and tabs. On a terminal, lines of stderr
// are broken at spaces; stdout has data, whose lines are not broken.
void say_text(std::FILE* stream, const std::string& text);

template <class... Values>
void say(std::FILE* stream, fmt::format_string<Values...> format, Values&&... values) {
  say_text(stream, fmt::format(format, std::forward<Values>(values)...));
}

// TEXT in the form that may be written to STREAM: without control characters if it is a terminal.
std::string safe_for(std::FILE* stream, const std::string& text);

// Print one per line on stderr.
void print_errors(const Errors& errors);
void print_warnings(const std::vector<std::string>& warnings);

// The width of a terminal, and texts that fit it.

// The width of the terminal at FD; 80 if FD is not a terminal.
std::size_t terminal_columns(int fd = 2);

// TEXT with its lines broken at spaces if FD is a terminal, else unchanged.
std::string fitted(int fd, std::string text);

}  // namespace orch::cli
