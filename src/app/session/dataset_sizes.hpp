// Whether the datasets of a plan have as many prompts as its measurements send. Counts rows, not
// tokens.
#pragma once

#include "core/base/result.hpp"
#include "spec/matrix/matrix.hpp"
#include "plan/graph/plan.hpp"
#include "os/system/files.hpp"

namespace orch::session {

// Reads each dataset that stages of PLAN sample, once. Appends one error for each that cannot be
// read, or is too small for a point that is not rejected.
void refuse_small_datasets(system::Files& files, const matrix::Matrix& matrix,
                           const plan::Plan& plan, Errors& errors);

}  // namespace orch::session
