// An attempt without a recorded end, left by a run that died: the contents of its record. The
// executor knows whether its process lives (recover.hpp).
#pragma once

#include "run/execute/executor.hpp"
#include "spec/runner/manifest.hpp"
#include "run/schedule/journal.hpp"

#include <map>
#include <optional>
#include <string>

namespace orch::schedule {

struct Unfinished {
  AttemptKey attempt;  // a stage has the same id in every plan that contains it
  runner::Kind kind = runner::Kind::task;
  std::string token;
  std::string process;  // token of its process: its own, or that of its batch
  std::map<std::string, int> ports;
  std::vector<int> gpus, cpus;
  std::string log;                        // relative to the store
  std::string host;                       // on which it was started
  std::optional<execute::Handle> handle;  // empty: no spawn is on record
  // Of a measurement, set by recover(): its server session, and the measurements recorded in it.
  AttemptKey session = {};
  int session_measured = 0;
  // Of a service:
  bool ready = false;  // its ServiceReady is on record
  int measured = 0;    // measurements recorded in its session
  // Attempts of each measurement since the service was started, recorded or not.
  std::map<plan::StageId, int> attempts;
};

}  // namespace orch::schedule
