// The width of the terminal on stderr.
#pragma once

#include <cstddef>

namespace orch::cli {

// 80 when stderr is not a terminal.
std::size_t terminal_columns();

}  // namespace orch::cli
