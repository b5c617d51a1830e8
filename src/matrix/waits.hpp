// Which unknown facts stand behind an expression: those that it reads, and those behind what it
// reads. What SQLite resolved counts, whatever coalesce() would make of it.
#pragma once

#include "matrix/columns.hpp"

#include <set>
#include <string>
#include <vector>

namespace orch::matrix {

using Waits =
    std::vector<std::vector<std::string>>;  // [column]: facts, sorted; empty: it waits for none

// GIVEN: columns whose value stands in the row, so that their expression is not asked.
Waits find_waits(const Columns& columns, const std::set<std::string>& unknown_facts,
                 const std::vector<bool>& given);

}  // namespace orch::matrix
