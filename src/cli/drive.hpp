// The real world of a run, and a plan driven through it to its end.
#pragma once

#include "cli/planning.hpp"
#include "schedule/scheduler.hpp"
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

// Drives PLANNING's plan until nothing is left to do. While points wait for facts of models, the stages that tell those
// facts go first; then these points are planned again, JOURNAL is told, and everything else follows.
Result<schedule::Outcome> drive(World& world, Planning& planning, const Experiment& experiment, store::RunJournal& journal, const schedule::Options& options);

}  // namespace orch::cli
