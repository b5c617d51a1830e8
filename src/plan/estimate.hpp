// What stages will take, from what earlier attempts took.
#pragma once

#include "plan/plan.hpp"

namespace orch::plan {

// The median over attempts of that very stage; else over the attempts of stages of the same name
// that share the most parameters with it. What no attempt tells stays as it is.
void estimate(Plan& plan, const std::vector<Earlier>& earlier);

}  // namespace orch::plan
