// Counts the good requests of a measurement by a goodput expression. It uses the stored requests,
// so that another expression needs no new measurement. Knows neither the meaning of a metric nor
// the views.
#pragma once

#include "core/base/result.hpp"

#include "results/tables/statements.hpp"
#include "results/tables/wide.hpp"

#include <cstdint>
#include <string>

namespace orch::tables {

// Stores the goodput of MEASUREMENT by EXPRESSION, inside the caller's transaction. An earlier
// count is kept; where the expression cannot be evaluated, why is stored instead.
Status derive_goodput(Statements& statements, Wide& wide, std::int64_t measurement,
                      const std::string& expression);

}  // namespace orch::tables
