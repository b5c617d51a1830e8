// Printing that cannot end a command: without a terminal or a reader of the pipe the text is lost,
// and the command continues.
#pragma once

#include "base/result.hpp"

#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace orch::cli {

template <class... Values>
void say(std::FILE* stream, fmt::format_string<Values...> format, Values&&... values) {
  std::fputs(fmt::format(format, std::forward<Values>(values)...).c_str(), stream);
  std::fflush(stream);
}

// One per line, on stderr.
void print_errors(const Errors& errors);
void print_warnings(const std::vector<std::string>& warnings);

}  // namespace orch::cli
