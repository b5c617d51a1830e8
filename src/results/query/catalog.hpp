// The names that a database holds: columns of a table or view, and lists read by a statement of
// ours. Knows no particular table.
#pragma once

#include "core/sql/database.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace orch::report {

// The first column of each row of SQL, as text. Ends early, without an error, where SQL cannot be
// prepared or a row cannot be read: these names only improve messages and tables.
std::vector<std::string> first_column(sql::Database& database, const std::string& sql);

// In the order of the declaration; empty if there is no such table or view.
std::vector<std::string> column_names(sql::Database& database, std::string_view table_or_view);

}  // namespace orch::report
