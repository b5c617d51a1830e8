// The real world of a run, and a plan driven through it to its end.
#pragma once

#include "cli/planning.hpp"
#include "schedule/scheduler.hpp"
#include "schedule/unfinished.hpp"
#include "store/run_journal.hpp"
#include "system/clock.hpp"
#include "system/http.hpp"
#include "system/process.hpp"

#include <map>
#include <string>

namespace orch::cli {

// What a run works with beyond the experiment; made once, in one place.
struct World {
  system::RealFiles files;
  system::RealClock clock;
  system::RealProcesses processes;
  system::CurlHttp http;
  std::map<std::string, std::string> environment;  // ours

  World();
};

// What a run is driven by, beside the plan.
struct Drive {
  store::RunJournal& journal;
  schedule::Interrupts& interrupts;
  execute::Executor& executor;
  std::vector<schedule::Unfinished> unfinished;  // what runs that died left
  schedule::Options options;
};

// Drives PLANNING's plan until nothing is left to do. First what dead runs left is taken over or
// ended. Then, while points wait for facts of models, the stages that tell those facts go first;
// these points are planned again, the journal is told, and everything else follows.
Result<schedule::Outcome> drive(World& world, Planning& planning, const Experiment& experiment,
                                Drive drive);

}  // namespace orch::cli
