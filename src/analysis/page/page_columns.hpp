// Chooses which columns of `results` a report shows, and in which role.
#pragma once

#include "analysis/page/report.hpp"
#include "results/query/table.hpp"

#include <set>
#include <string>

namespace orch::report {

// Fills `constants`, `implied` and `parameters` of REPORT, and the parameters of its existing rows.
// NAMES are the columns that are parameters.
void add_parameters(page::Report& report, const Columns& columns,
                    const std::set<std::string>& names);

// Fills `metrics`, `x` and `y` of REPORT, and the figures of its rows.
void add_metrics(page::Report& report, const Columns& columns);

}  // namespace orch::report
