// Compares the results of an expression with integer and with real division. Does not know the
// expression.
#pragma once

#include "core/sql/database.hpp"

namespace orch::sql {

// Whether both cells hold the same number, or texts that differ only in the notation of whole
// numbers ("bs4", "bs4.0").
bool same_but_for_type(const Cell& as_written, const Cell& as_real);

}  // namespace orch::sql
