// The parts of the page below the plots, as HTML: the table of points, a panel for each point, and
// the provenance of stages. Knows neither style nor script.
#pragma once

#include "analysis/page/report.hpp"

#include <string>

namespace orch::page {

// One row for each point. The first cell leads to the panel of the point.
std::string points_table(const Report& report);

// What a row of the table has no room for: percentiles, warnings, reasons and stages.
std::string point_panels(const Report& report);

// Every stage once. Words that the commands of similar stages share are written once; where the
// words that differ take more than MOST bytes, the rest is left out, and the page says so.
std::string provenance(const Report& report, std::size_t most_bytes);

// A table of texts, the first column as headings of rows.
std::string text_table(const std::vector<std::string>& columns,
                       const std::vector<std::vector<std::string>>& rows);

}  // namespace orch::page
