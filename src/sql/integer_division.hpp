// Tells whether an integer division made a difference. Knows two results, not the expression.
#pragma once

#include "sql/database.hpp"

namespace orch::sql {

// Do both cells hold the same number, or texts that differ only in how they write whole numbers
// ("bs4", "bs4.0")?
bool same_but_for_type(const Cell& as_written, const Cell& as_real);

}  // namespace orch::sql
