// What sharing the host cost: measurements beside others against the same measurements made alone.
#pragma once

#include "core/base/result.hpp"
#include "results/tables/statements.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace orch::tables {

// A measurement of a point, and the check of it: ids of measurements.
struct SharedPair {
  std::string experiment, point;
  std::int64_t run = 0;  // that asked for the check
  std::int64_t shared = 0, alone = 0;
};

// Writes the rows of PAIR into the table `sharing_cost`: one for each of the main figures that both
// have. Runs inside the caller's transaction. Returns the sentence that marks the measurement as
// changed by its neighbours; "" if each figure differs by no more than its interval.
//
// The interval of the change is that of a quotient whose two parts have independent errors: with
// half widths h of their own 95 % intervals, (h / x)^2 adds up. It holds for these two sessions and
// says nothing of other starts of the server.
Result<std::string> derive_sharing(Statements& statements, const SharedPair& pair);

std::string_view sharing_sql();  // of the view
std::string_view sharing_migration();

}  // namespace orch::tables
