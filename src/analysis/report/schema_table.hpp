// The views and tables of a database with their columns, types and meanings. Which there are is
// read from the database; what they mean, from the tables that made them.
#pragma once

#include "results/query/table.hpp"

#include <string>

namespace orch::report {

enum class Relations { views, tables };

// The columns "view" or "table", "column", "type" and "meaning"; a row per column, of NAME alone
// unless it is "". Errors: not_found, with the nearest name.
Result<Table> schema_table(sql::Database& database, Relations which, const std::string& name = "");

}  // namespace orch::report
