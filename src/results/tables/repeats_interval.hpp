// The 95 % interval of a mean over the rows of a group, as SQL that any SQLite with math functions
// can run. Knows no table.
#pragma once

#include <string>
#include <string_view>

namespace orch::tables {

// Half the width of Student's 95 % interval of the mean of VALUE over the rows of a group, from two
// rows on.
std::string half_width_of_mean(std::string_view value);

}  // namespace orch::tables
