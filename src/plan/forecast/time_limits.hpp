// Stages that are expected to be ended before they are done: by their own time limit, or as servers
// by that of their job.
#pragma once

#include "plan/forecast/cost.hpp"
#include "plan/graph/plan.hpp"

#include <vector>

namespace orch::forecast {

struct Overrun {
  const plan::Stage* stage = nullptr;
  double limit_s = 0;
  Expected seconds;
};

// Tasks and measurements to run that may take longer than their timeout; the longest first.
std::vector<Overrun> overruns(const plan::Plan& plan);

// Servers to run that may take longer than LIMIT_S with all measurements that need them; the
// longest first. Stages without an estimate count as nothing.
std::vector<Overrun> server_overruns(const plan::Plan& plan, double limit_s);

}  // namespace orch::forecast
