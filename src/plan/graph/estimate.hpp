// Estimates the time and the disk space that stages will take from those of earlier attempts.
#pragma once

#include "plan/graph/plan.hpp"

namespace orch::plan {

// The median over attempts of the same stage, else over attempts of those stages of its name that
// share the most parameters with it. Of a stage that none is like: the first of TIMES that has its
// name and agrees with its first point in every parameter, else the middle of what its manifest
// expects, or its bound. Never less than the bound, unless the stage itself was measured. Without
// any of these an estimate stays empty.
void estimate(Plan& plan, const std::vector<Earlier>& earlier, const std::vector<StageTime>& times);

}  // namespace orch::plan
