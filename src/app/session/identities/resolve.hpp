// Resolves mutable revisions of models and datasets: runs the runners' resolvers and writes the
// answers to the store, where they stay until --update. Only `run` makes this step, the only one
// before a plan that may use the network.
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

// Resolves ORIGINS; those that STORE has only with the option --update. A failure includes the last
// line of the resolver.
Resolved resolve_origins(const Context& context, store::Store& store, const Origins& origins);

// Queries the identity of servers that are already running, and stores the answers. Only `run`
// makes this step, and every run repeats it.

using RunningServices = std::vector<std::shared_ptr<const plan::RunningService>>;

// The running servers of those points of PLAN that are not rejected, each question once.
RunningServices services_to_ask(const plan::Plan& plan);

struct AskedServers {
  std::set<std::string> silent;  // questions without an answer, whose points wait
  Errors failures;               // one for each of these questions
};

// Queries SERVICES of the current plan.
AskedServers ask_servers(const Context& context, store::Store& store,
                         const RunningServices& services);

}  // namespace orch::session
