// Publishes the outputs of an attempt that ended well. Does not decide the next state of its stage.
#pragma once

#include "schedule/run_state.hpp"

#include <optional>
#include <string>

namespace orch::schedule {

class Publisher {
 public:
  explicit Publisher(RunState& run) : run_(run) {}

  // Checks and publishes the outputs of MEMBER. Returns why it could not; nothing is visible then.
  std::optional<AttemptFailure> publish(const ActiveProcess::Member& member);

 private:
  // Why no other run may reuse the artifact of STAGE: one of its inputs changed since its digest
  // was computed, or it was made from such an artifact. Empty when it may be reused.
  std::string why_not_cacheable(Index stage);

  RunState& run_;
};

}  // namespace orch::schedule
