// Whether a statement reads a certain column of a table or view. Runs nothing.
#pragma once

#include "core/sql/database.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace orch::sql {

// Whether SQL, outside the views that it reads, reads COLUMN of TABLE; a `*` reads every column.
// False for a statement that cannot be prepared.
bool reads_column(Database& database, std::string_view sql, std::string_view table,
                  std::string_view column);

// Whether WORD stands in SQL as an identifier, outside strings and comments, in any case.
bool names_identifier(std::string_view sql, std::string_view word);

// The words of SQL outside strings and comments, in lower case: keywords and identifiers, quoted
// ones without their quotes.
std::vector<std::string> words_of(std::string_view sql);

}  // namespace orch::sql
