#include "run/attempt/stage_place.hpp"

#include "spec/ranks/mpi_ranks.hpp"

#include <algorithm>
#include <cmath>

namespace orch::attempt {

namespace {

struct Wanted {
  int cpus = 0;  // 0: not stated
  double memory_gib = 0;
};

Wanted stated_by(const plan::Stage& stage) {
  if (!stage.share) return {};
  return {.cpus = stage.share->cores.value_or(stage.share->cpus),
          .memory_gib = stage.share->memory_gib};
}

// SERVER with the largest of its measurements beside it. The total is known only where that of the
// server is.
Wanted with_measurements(const plan::Plan& plan, const plan::Stage& server) {
  Wanted most;
  for (const plan::Stage& stage : plan.stages) {
    if (stage.spec.kind != runner::Kind::measure) continue;
    const bool is_inside = std::ranges::any_of(
        stage.needs, [&](const auto& need) { return need.second == server.id; });
    if (!is_inside) continue;
    const Wanted one = stated_by(stage);
    most.cpus = std::max(most.cpus, one.cpus);
    most.memory_gib = std::max(most.memory_gib, one.memory_gib);
  }
  if (server.spec.server) return most;
  const Wanted own = stated_by(server);
  return {.cpus = own.cpus > 0 ? own.cpus + most.cpus : 0,
          .memory_gib = own.memory_gib > 0 ? own.memory_gib + most.memory_gib : 0};
}

Wanted wanted_by(const plan::Plan& plan, const plan::Stage& stage, const SiteRequests& requests) {
  Wanted wanted =
      stage.spec.kind == runner::Kind::service ? with_measurements(plan, stage) : stated_by(stage);
  for (const std::string& name : {std::string(to_string(stage.spec.kind)), stage.spec.name}) {
    const auto site = requests.find(name);
    if (site == requests.end()) continue;
    wanted.cpus = site->second.cpus.value_or(wanted.cpus);
    wanted.memory_gib = site->second.memory_gib.value_or(wanted.memory_gib);
  }
  return wanted;
}

}  // namespace

execute::Place place_of(const plan::Plan& plan, const plan::Stage& stage,
                        const PlaceOptions& options) {
  const bool is_server = stage.spec.kind == runner::Kind::service;
  const int gpus = static_cast<int>(std::ceil(stage.gpus));
  const auto ranks =
      is_server ? ranks::mpi_ranks(container::put_in(stage.spec.argv, {})) : std::nullopt;
  const int nodes = ranks ? ranks::nodes_for(ranks->count, gpus, plan.nodes).value_or(1) : 1;
  const bool is_alone = is_server && plan.isolation == matrix::Isolation::strict;
  const Wanted wanted = is_alone ? Wanted{} : wanted_by(plan, stage, options.requests);
  return {.gpus = gpus,
          .cores = wanted.cpus,
          .memory_gib = wanted.memory_gib,
          .ranks = nodes > 1 ? ranks->count : 1,
          .nodes = nodes,
          .mpi = options.mpi,
          .seconds = is_server ? options.server_s : stage.spec.timeout_s,
          .stop_s = stage.spec.stop_s,
          .grace_s = options.grace_s,
          .alone = is_alone,
          .is_server = is_server,
          .ports = stage.spec.ports};
}

}  // namespace orch::attempt
