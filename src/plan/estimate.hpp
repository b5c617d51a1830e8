// What stages will take, from what earlier attempts took.
#pragma once

#include "plan/plan.hpp"

namespace orch::plan {

// The median over attempts of the same stage, else over attempts of those stages of its name that
// share the most parameters with it. Without any attempt an estimate stays empty.
void estimate(Plan& plan, const std::vector<Earlier>& earlier);

}  // namespace orch::plan
