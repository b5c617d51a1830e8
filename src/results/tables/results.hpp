// Derives the rows of `results` and `results_by_tool`: which measurements represent a point, and
// their figures over repeats and server sessions. Stored in tables, so queries need no aggregate.
// Knows no formula (bench/measure/over_repeats.hpp) and no SQL of the views.
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
// another number of repeats or server sessions; their measurements are pooled, so none is lost when
// a later run requests fewer. If the newest configuration was measured fewer times than the one
// before, `warnings` says so.
Status derive_results(Statements& statements, Wide& wide);

// Counts the good requests of a measurement by a goodput expression. It uses the stored requests,
// so another expression needs no new measurement. Knows neither the meaning of a metric nor the
// views.

// Stores the goodput of MEASUREMENT by EXPRESSION, inside the caller's transaction. An earlier
// count is kept; if the expression cannot be evaluated, the reason is stored instead.
Status derive_goodput(Statements& statements, Wide& wide, std::int64_t measurement,
                      const std::string& expression);

// The 95 % interval of a mean over the rows of a group, as SQL that any SQLite with math functions
// can run. Knows no table.

// Half the width of Student's 95 % interval of the mean of VALUE over the rows of a group of two or
// more.
std::string half_width_of_mean(std::string_view value);

// The cost of sharing the host: measurements made beside others compared with the same ones made
// alone.

// A measurement of a point beside others, and its check: ids of measurements.
struct SharedPair {
  std::string experiment, point;
  std::int64_t run = 0;  // the one that requested the check
  std::int64_t shared = 0, alone = 0;
};

// Writes the rows of PAIR into the table `sharing_cost`: one for each main figure that both have.
// Runs inside the caller's transaction. Returns the sentence that marks the measurement as changed
// by its neighbours; "" if each figure differs by no more than its interval.
//
// The interval of the change is that of a quotient of two values with independent errors: with half
// widths h of their 95 % intervals, (h / x)^2 adds up. It holds for these two sessions only and
// says nothing about other starts of the server.
Result<std::string> derive_sharing(Statements& statements, const SharedPair& pair);

std::string sharing_sql(const Wide& wide);  // of the view
std::string_view sharing_migration();

}  // namespace orch::tables
