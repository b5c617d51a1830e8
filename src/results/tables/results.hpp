// Derives the rows of `results` and `results_by_tool`: which measurements a point stands for, and
// their figures over repeats and server sessions. They are kept in tables, so that queries need no
// aggregate. Knows no formula (bench/measure/over_repeats.hpp) and no SQL of the views.
#pragma once

#include "core/base/result.hpp"
#include "results/tables/statements.hpp"
#include "results/tables/wide.hpp"

namespace orch::tables {

// Derives the rows of all points that the triggers of the schema have noted since the last call.
// Must be called at the end of each transaction that writes, before refresh_views(). Measurements
// and runs must not change in between; a row that is derived twice is the same.
//
// A point of an experiment stands for the newest run that asked for it and has a valid measurement
// of it. Runs whose points share a measure stage asked for the same configuration with another
// number of repeats or server sessions, and their measurements are taken together: nothing that was
// measured is lost when a later run asks for fewer. If the newest configuration was measured fewer
// times than the one before, `warnings` says so.
Status derive_results(Statements& statements, Wide& wide);

}  // namespace orch::tables
