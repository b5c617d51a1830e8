// What moving names of models mean now: asks the runner's resolvers and writes the answers into the
// store, where they stay until --update. The only step before a plan that may use the network, and
// only `run` takes it.
#pragma once

#include "cli/experiment.hpp"
#include "schedule/scheduler.hpp"
#include "store/store.hpp"
#include "system/clock.hpp"
#include "system/process.hpp"

namespace orch::cli {

struct ResolveWorld {
  system::Files& files;
  system::Clock& clock;
  system::Processes& processes;
  schedule::Interrupts& interrupts;
  std::map<std::string, std::string> environment;  // ours
};

struct Resolved {
  bool any = false;  // something is on record that was not, or is something else now
  Errors failures;   // by model; interrupted: the user asked us to stop
};

// Resolves the sources of MODELS (names under `models:`). With UPDATE also those whose meaning is
// on record. A source whose scheme the runner has no resolver for is a failure that says so; so is
// a resolver that fails, with its last line.
Resolved resolve_models(const Experiment& experiment, const std::set<std::string>& models,
                        const attempt::Layout& layout, store::Store& store, ResolveWorld world,
                        bool update);

}  // namespace orch::cli
