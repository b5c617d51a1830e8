// Resolves mutable revisions of models and datasets: asks the runner's resolvers and writes the
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
  Errors failures;   // one per origin; interrupted when the user asked to stop
};

// Resolves ORIGINS; with the option --update also those that STORE has resolved already. A
// resolver's failure carries its last line.
Resolved resolve_origins(const Context& context, store::Store& store, const Origins& origins);

// Asks servers that run already what they are, and keeps the answers in the store. Like the
// resolving of revisions, only `run` takes this step; unlike it, every run takes it anew.

using RunningServices = std::vector<std::shared_ptr<const plan::RunningService>>;

// The running servers of points of PLAN that are not rejected, each question once.
RunningServices services_to_ask(const plan::Plan& plan);

struct AskedServers {
  std::set<std::string> silent;  // questions without an answer: their points wait
  Errors failures;               // one for each of them
};

// Asks SERVICES, which the current plan has.
AskedServers ask_servers(const Context& context, store::Store& store,
                         const RunningServices& services);

}  // namespace orch::session
