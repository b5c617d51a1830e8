// Printing that cannot end a run: a terminal that is gone or a pipe that nobody reads loses the
// text and nothing else.
#pragma once

#include <cstdio>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace orch::cli {

template <class... Values>
void say(std::FILE* stream, fmt::format_string<Values...> format, Values&&... values) {
  std::fputs(fmt::format(format, std::forward<Values>(values)...).c_str(), stream);
  std::fflush(stream);
}

}  // namespace orch::cli
