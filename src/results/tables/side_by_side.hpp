// The view `side_by_side`: what several tools measured at points that differ in nothing else, as
// SQL. Knows no row.
#pragma once

#include <string>

namespace orch::tables {

// Reads the tables.
std::string side_by_side_sql();

}  // namespace orch::tables
