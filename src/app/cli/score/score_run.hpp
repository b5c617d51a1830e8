// Scores the answers of a run after its last measurement, as the matrix says. Prints, and knows no
// stage.
#pragma once

#include "app/cli/real_world.hpp"
#include "spec/matrix/matrix.hpp"
#include "results/store/store.hpp"

#include <cstdint>
#include <functional>

namespace orch::cli {

// What was scored before, by the same scorer against the same references, is not scored again.
// IS_CANCELLED: nothing more is scored once it is true. False: something could not be scored, and
// stderr says what.
bool score_run(session::World& world, store::Store& store, const matrix::Matrix& matrix,
               std::int64_t run, const std::function<bool()>& is_cancelled);

}  // namespace orch::cli
