// Counts the good requests of a measurement by the goodput expression of each run that shows it. It
// uses the stored requests, so that another expression needs no new measurement. Knows neither the
// meaning of a metric nor the views.
#pragma once

#include "base/result.hpp"

#include "tables/statements.hpp"
#include "tables/wide.hpp"

#include <cstdint>

namespace orch::tables {

// Both run inside the caller's transaction and keep earlier counts.
//
// For all measurements that the points of the run RUN_ID show.
Status derive_goodput_of_run(Statements& statements, Wide& wide, std::int64_t run_id);
// For all measurements of the stage STAGE_ID, by the expression of every run that plans it.
Status derive_goodput_of_stage(Statements& statements, Wide& wide, std::int64_t stage_id);

}  // namespace orch::tables
