// Looks after servers: notices that they are ready, stops those that no stage needs, and passes the
// failure of a server on to the measurements that run against it. Starts nothing.
#pragma once

#include "run/schedule/run_state.hpp"
#include "run/schedule/stopper.hpp"

namespace orch::schedule {

class Services {
 public:
  Services(RunState& run, Stopper& stopper) : run_(run), stopper_(stopper) {}

  // One look at every server.
  void watch();
  // Called when no process of SERVER is left. Finds out why, unless this run stopped it.
  void ended(ActiveProcess& server, const execute::Ended& ended);

 private:
  void watch_start(ActiveProcess& server);

  RunState& run_;
  Stopper& stopper_;
};

}  // namespace orch::schedule
