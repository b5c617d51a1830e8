// How many requests of a measurement were good, by the expression of a run that shows it: counted
// from the stored requests, so that another expression needs no other measurement. Knows neither
// what a metric means nor how the rows are shown.
#pragma once

#include "base/result.hpp"

#include "tables/statements.hpp"
#include "tables/wide.hpp"

#include <cstdint>

namespace orch::tables {

// Both inside a transaction; what was counted before stays as it is.
// Of everything that the points of the run RUN_ID show.
Status derive_goodput_of_run(Statements& statements, Wide& wide, std::int64_t run_id);
// Of everything that was measured for the stage STAGE_ID, by every run that has it in its plan.
Status derive_goodput_of_stage(Statements& statements, Wide& wide, std::int64_t stage_id);

}  // namespace orch::tables
