#include "attempt/stage_place.hpp"

#include <cmath>

namespace orch::attempt {

execute::Place place_of(const plan::Stage& stage, const PlaceOptions& options) {
  const bool is_server = stage.spec.kind == runner::Kind::service;
  return {.gpus = static_cast<int>(std::ceil(stage.gpus)),
          .cores = stage.share && stage.share->cores ? *stage.share->cores : 0,
          .memory_gib = stage.share ? stage.share->memory_gib : 0,
          .seconds = is_server ? options.server_s : stage.spec.timeout_s,
          .stop_s = stage.spec.stop_s,
          .grace_s = options.grace_s,
          .alone = is_server && options.isolation == matrix::Isolation::strict,
          .is_server = is_server,
          .ports = stage.spec.ports};
}

}  // namespace orch::attempt
