// Estimates the time and the disk space that stages will take from those of earlier attempts.
#pragma once

#include "plan/plan.hpp"

namespace orch::plan {

// The median over attempts of the same stage, else over attempts of those stages of its name that
// share the most parameters with it, and no less than its manifest's `seconds`. Without both an
// estimate stays empty.
void estimate(Plan& plan, const std::vector<Earlier>& earlier);

// Gives stages without an estimate the time of the first of TIMES that has their name and agrees
// with their first point in every parameter.
void assume(Plan& plan, const std::vector<StageTime>& times);

}  // namespace orch::plan
