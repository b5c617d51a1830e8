// The terminal behind stderr, if there is one.
#pragma once

#include <cstddef>

namespace orch::cli {

// 80 where nobody says.
std::size_t terminal_columns();

}  // namespace orch::cli
