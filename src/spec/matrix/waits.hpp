// The unknown facts that an expression depends on, directly or through other expressions. Every
// column that SQLite resolves counts, even where coalesce() could do without it.
#pragma once

#include "spec/matrix/columns.hpp"

#include <set>
#include <string>
#include <vector>

namespace orch::matrix {

using Waits =
    std::vector<std::vector<std::string>>;  // [column]: facts, sorted; empty: it waits for none

// GIVEN: columns whose value is an input of the row, so that their expression is not evaluated.
Waits find_waits(const Columns& columns, const std::set<std::string>& unknown_facts,
                 const std::vector<bool>& given);

}  // namespace orch::matrix
