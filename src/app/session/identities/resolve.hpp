// Resolves mutable revisions of models and datasets: asks the runner's resolvers and writes the
// answers into the store, where they stay until --update. The only step before a plan that may use
// the network; only `run` takes it.
#pragma once

#include "app/session/experiment.hpp"
#include "app/session/reporter.hpp"
#include "run/schedule/scheduler.hpp"
#include "results/store/store.hpp"

#include <set>
#include <string>

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

}  // namespace orch::session
