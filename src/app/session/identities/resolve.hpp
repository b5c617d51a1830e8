// Resolves mutable revisions of models and datasets: runs the runners' resolvers and writes the
// answers to the store, where they stay until --update. Only `run` and `doctor MATRIX` take this
// step, the only one before a plan that may use the network.
#pragma once

#include "app/session/planning.hpp"
#include "plan/graph/plan.hpp"
#include "results/store/store.hpp"

#include <memory>
#include <set>
#include <string>
#include <vector>

namespace orch::session {

struct Resolved {
  bool any = false;  // a resolution is new or has changed
  Errors failures;   // one per origin; of ErrorKind::interrupted if the user requested a stop
};

// Resolves those of ORIGINS that STORE does not have; with the option --update, all. A failure
// includes the last line of the resolver's output.
Resolved resolve_origins(const Context& context, store::Store& store, const Origins& origins);

// Asks servers that are already running for their identity, and stores the answers. Only `run` and
// `doctor MATRIX` take this step, each time again.

using RunningServices = std::vector<std::shared_ptr<const plan::RunningService>>;

// The running servers of those points of PLAN that are not rejected, each question once.
RunningServices services_to_ask(const plan::Plan& plan);

struct AskedServers {
  std::set<std::string> silent;  // questions without an answer, whose points wait
  Errors failures;               // one for each of these questions
};

// Asks SERVICES of the current plan.
AskedServers ask_servers(const Context& context, store::Store& store,
                         const RunningServices& services);

}  // namespace orch::session
