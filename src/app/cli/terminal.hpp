// The width of a terminal, and texts that fit it.
#pragma once

#include <cstddef>
#include <string>

namespace orch::cli {

// Of the terminal at FD; 80 where there is none.
std::size_t terminal_columns(int fd = 2);

// TEXT with its lines broken at spaces where FD is a terminal, else as it is.
std::string fitted(int fd, std::string text);

}  // namespace orch::cli
