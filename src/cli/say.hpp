// Printing that cannot end a command: without a terminal or a reader of the pipe the text is lost,
// and the command continues.
#pragma once

#include "base/result.hpp"
#include "base/text.hpp"

#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace orch::cli {

// Writes TEXT as it is: only this may move a terminal's cursor or set its colours.
void draw(std::FILE* stream, const std::string& text);

// Whatever the values hold, no control character but line ends and tabs is written.
template <class... Values>
void say(std::FILE* stream, fmt::format_string<Values...> format, Values&&... values) {
  draw(stream, printable(fmt::format(format, std::forward<Values>(values)...)));
}

// TEXT as it may be written to STREAM: control characters reach a file or a pipe, and no terminal.
std::string safe_for(std::FILE* stream, const std::string& text);

// One per line, on stderr.
void print_errors(const Errors& errors);
void print_warnings(const std::vector<std::string>& warnings);

}  // namespace orch::cli
