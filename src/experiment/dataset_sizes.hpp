// Whether the datasets of a plan have as many prompts as its measurements send. Counts rows, not
// tokens.
#pragma once

#include "base/result.hpp"
#include "matrix/matrix.hpp"
#include "plan/plan.hpp"
#include "system/files.hpp"

namespace orch::experiment {

// Reads each dataset that stages of PLAN sample, once. Appends one error for each that cannot be
// read, or is too small for a point that is not rejected.
void refuse_small_datasets(system::Files& files, const matrix::Matrix& matrix,
                           const plan::Plan& plan, Errors& errors);

}  // namespace orch::experiment
