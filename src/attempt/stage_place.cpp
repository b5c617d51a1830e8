#include "attempt/stage_place.hpp"

#include "ranks/mpi_ranks.hpp"

#include <cmath>

namespace orch::attempt {

execute::Place place_of(const plan::Stage& stage, const PlaceOptions& options) {
  const bool is_server = stage.spec.kind == runner::Kind::service;
  const int gpus = static_cast<int>(std::ceil(stage.gpus));
  const auto ranks =
      is_server ? ranks::mpi_ranks(container::put_in(stage.spec.argv, {})) : std::nullopt;
  const int nodes = ranks ? ranks::nodes_for(ranks->count, gpus, options.nodes).value_or(1) : 1;
  return {.gpus = gpus,
          .cores = stage.share && stage.share->cores ? *stage.share->cores : 0,
          .memory_gib = stage.share ? stage.share->memory_gib : 0,
          .ranks = nodes > 1 ? ranks->count : 1,
          .nodes = nodes,
          .mpi = options.mpi,
          .seconds = is_server ? options.server_s : stage.spec.timeout_s,
          .stop_s = stage.spec.stop_s,
          .grace_s = options.grace_s,
          .alone = is_server && options.isolation == matrix::Isolation::strict,
          .is_server = is_server,
          .ports = stage.spec.ports};
}

}  // namespace orch::attempt
