// The tables that are derived from measurements for the views `results` and `results_by_tool`, and
// the triggers that note which of their rows are outdated.
#pragma once

#include <string_view>

namespace orch::tables {

std::string_view derived_tables_migration();

}  // namespace orch::tables
