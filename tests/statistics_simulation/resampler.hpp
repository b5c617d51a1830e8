// A/A comparisons drawn from real sessions of one server: both sides are equal, so every claimed
// difference is a false alarm. Opens no file.
//
// The sessions come as CSV with the header `session,point,metric,value`; one line for each value.
// Fields have no quotes and no commas. scripts/equal-sides.sh makes one from a store.
#pragma once

#include "core/base/result.hpp"
#include "core/statistics/session_difference.hpp"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace orch::statistics {

// The sessions of each metric, in the order in which the text names them.
using SessionsOfMetrics = std::map<std::string, Sessions>;

// Errors: another header, a line without four fields, a value that is no number.
Result<SessionsOfMetrics> read_sessions(std::string_view csv);

struct Resampled {
  int sessions = 0;  // on each side
  bool lent = false;
  double alarms = 0;  // percent of the sweeps
};

// Draws SWEEPS comparisons of 1, 2, 3, 5 and 10 sessions a side from SESSIONS, without replacement
// within a sweep, as far as there are enough. Those with a lent spread take it from up to ten of
// the remaining sessions, six at least; one session a side exists only with it.
std::vector<Resampled> resample(const Sessions& sessions, int sweeps, std::uint64_t seed);

}  // namespace orch::statistics
