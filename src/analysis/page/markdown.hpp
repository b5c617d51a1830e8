// A report as tables for a pull request or an issue. Reads nothing.
#pragma once

#include "analysis/page/report.hpp"

#include <string>

namespace orch::page {

// The best of each group, what is marked, and at most MOST_ROWS points. Texts are escaped, so that
// no name becomes a link, markup or the end of a cell.
std::string markdown(const Report& report, std::size_t most_rows = 100);

}  // namespace orch::page
