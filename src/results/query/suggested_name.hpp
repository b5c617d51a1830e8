// The name that a query probably meant, when SQLite knows no such table or column. Reads the schema
// and runs nothing of the query.
#pragma once

#include "core/sql/database.hpp"

#include <string>
#include <string_view>

namespace orch::report {

// What to append to MESSAGE, which SQLite wrote about SQL: the nearest column of the tables that
// SQL reads, the views that have the column, or the nearest view. "" when nothing is near.
std::string suggested_name(sql::Database& database, std::string_view sql, std::string_view message);

}  // namespace orch::report
