// A matrix against this place: `doctor MATRIX`, and the look that `run` takes before its first
// stage.
#pragma once

#include "app/session/matrix_run.hpp"

namespace orch::cli {

// Prints what the points of a matrix lack here, as text or JSON; the exit status. Writes
// resolutions into the store, and nothing else.
int examine_matrix(session::RunOptions options, bool json);

// Prints what keeps points of PLANNING from running here, and how to go on; true: nothing does.
bool passes_preflight(session::World& world, const session::Planning& planning);

}  // namespace orch::cli
