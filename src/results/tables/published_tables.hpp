// Views with the columns of published tables, for scripts that read those: `llm_perf` and
// `lmdeploy`, as SQL. Knows no row.
#pragma once

#include <string>

#include "results/tables/wide.hpp"

namespace orch::tables {

// Both read the view results_by_tool. A figure that a tool states under its own name is that; else
// it is computed from what results_by_tool has.
std::string llm_perf_sql(const Wide& wide);
std::string lmdeploy_sql(const Wide& wide);

}  // namespace orch::tables
