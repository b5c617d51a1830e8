// Derives the rows of `results` and `results_by_tool`: which measurements represent a point, and
// their figures over repeats and server sessions. Stored in tables, so that queries need no
// aggregates. The formulas are in bench/measure/over_repeats.hpp.
#pragma once

#include "core/base/result.hpp"
#include "results/tables/statements.hpp"
#include "results/tables/wide.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace orch::tables {

// Derives the rows of all points noted by the schema's triggers since the last call. Must be called
// at the end of each transaction that writes, before refresh_views(). Measurements and runs must
// not change in between; deriving a row twice gives the same row.
//
// A point of an experiment is represented by the newest run that requested it and has a valid
// measurement of it. Runs whose points share a measure stage requested the same configuration with
// different numbers of repeats or server sessions. Their measurements are pooled, so that none is
// lost when a later run requests fewer. `warnings` has a sentence if the newest configuration was
// measured fewer times than the previous one.
Status derive_results(Statements& statements, Wide& wide);

// Counts the good requests of a measurement by a goodput expression. It uses the stored requests,
// so that a different expression needs no new measurement.

// Stores the goodput of MEASUREMENT by EXPRESSION, inside the caller's transaction. A count that is
// already stored is kept. If the expression cannot be evaluated, stores the reason.
Status derive_goodput(Statements& statements, Wide& wide, std::int64_t measurement,
                      const std::string& expression);

// The 95 % interval of a mean over the rows of a group, as SQL that any SQLite with math functions
// can run.

// Half the width of Student's 95 % interval of the mean of VALUE over the rows of a group of two or
// more.
std::string half_width_of_mean(std::string_view value);

// The cost of sharing the host: compares measurements made beside others with measurements of the
// same points made alone.

// The ids of a point's measurement beside others, and of its check, the measurement made alone.
struct SharedPair {
  std::string experiment, point;
  std::int64_t run = 0;  // the run that requested the check
  std::int64_t shared = 0, alone = 0;
};

// Writes the rows of PAIR into the table `sharing_cost`: one for each main figure that both
// measurements have. Runs inside the caller's transaction. Returns the sentence that marks the
// shared measurement as changed by its neighbours; "" if no figure differs by more than its
// interval.
//
// The interval of the change is that of a quotient of two values with independent errors: with half
// widths h of their 95 % intervals, the squares (h / x)^2 add up. It holds for these two sessions
// only and says nothing about other starts of the server.
Result<std::string> derive_sharing(Statements& statements, const SharedPair& pair);

std::string sharing_sql(const Wide& wide);  // the SELECT of the view
std::string_view sharing_migration();

}  // namespace orch::tables
