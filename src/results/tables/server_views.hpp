// The views of what servers say and spend while they are measured, as SQL. Knows no row.
#pragma once

#include <string>

namespace orch::tables {

// Each reads two tables, one of them measurement_point.
std::string server_metrics_sql();
std::string model_times_sql();
std::string gpus_sql();
std::string_view node_migration();

}  // namespace orch::tables
