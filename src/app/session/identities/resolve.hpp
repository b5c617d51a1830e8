// Resolves mutable revisions of models and datasets: asks the runner's resolvers and writes the
// answers into the store, where they stay until --update. The only step before a plan that may use
// the network; only `run` takes it.
#pragma once

#include "app/session/experiment.hpp"
#include "app/session/world.hpp"
#include "plan/graph/plan.hpp"
#include "results/store/store.hpp"
#include "run/schedule/scheduler.hpp"

#include <memory>
#include <set>
#include <string>
#include <vector>

namespace orch::session {

// What resolving works with. Borrows everything.
struct Resolving {
  World& world;
  Reporter& reporter;
  schedule::Interrupts& interrupts;
  const Experiment& experiment;
  const attempt::Layout& layout;
  store::Store& store;
};

struct Resolved {
  bool any = false;  // a resolution is new or has changed
  Errors failures;   // one per origin; interrupted when the user asked to stop
};

// Resolves ORIGINS; with UPDATE also those that are already resolved. A resolver's failure carries
// its last line.
Resolved resolve_origins(const Resolving& with, const Origins& origins, bool update);

// Asks servers that run already what they are, and keeps the answers in the store. Like the
// resolving of revisions, only `run` takes this step; unlike it, every run takes it anew.

using RunningServices = std::vector<std::shared_ptr<const plan::RunningService>>;

// The running servers of points of PLAN that are not rejected, each question once.
RunningServices services_to_ask(const plan::Plan& plan);

struct AskedServers {
  std::set<std::string> silent;  // questions without an answer: their points wait
  Errors failures;               // one for each of them
};

AskedServers ask_servers(const Resolving& with, const RunningServices& services,
                         const plan::Plan& plan);

}  // namespace orch::session
