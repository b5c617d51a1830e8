// Resolves mutable revisions of models and datasets: runs the runner's resolvers and writes the
// answers into the store, where they stay until --update. The only step before a plan that may use
// the network; only `run` takes it.
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
  Errors failures;   // one per origin; interrupted if the user requested a stop
};

// Resolves ORIGINS; with the option --update also those already resolved in STORE. A resolver's
// failure includes its last line.
Resolved resolve_origins(const Context& context, store::Store& store, const Origins& origins);

// Queries the identity of servers that are already running, and stores the answers. Like resolving
// revisions, only `run` takes this step; unlike it, every run repeats it.

using RunningServices = std::vector<std::shared_ptr<const plan::RunningService>>;

// The running servers of PLAN's points that are not rejected, each question once.
RunningServices services_to_ask(const plan::Plan& plan);

struct AskedServers {
  std::set<std::string> silent;  // questions without an answer: their points wait
  Errors failures;               // one for each of them
};

// Queries SERVICES of the current plan.
AskedServers ask_servers(const Context& context, store::Store& store,
                         const RunningServices& services);

}  // namespace orch::session
