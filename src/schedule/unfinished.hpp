// An attempt that a run left without an end when it died: what the record says of it. What became
// of it is asked of the executor (recover.hpp).
#pragma once

#include "execute/executor.hpp"
#include "runner/manifest.hpp"
#include "schedule/journal.hpp"

#include <map>
#include <optional>
#include <string>

namespace orch::schedule {

struct Unfinished {
  AttemptKey
      attempt;  // stage: its id in the dead run's plan, which is its id in any plan that has it
  runner::Kind kind = runner::Kind::task;
  std::string token;
  std::string process;  // token of the process it has
  std::map<std::string, int> ports;
  std::vector<int> gpus;
  std::string log;                        // relative to the store
  std::string host;                       // where it was started
  std::optional<execute::Handle> handle;  // empty: no spawn is on record
  // Of a measurement: the server it runs against, and how many measurements of that are on record.
  // Found by recover().
  AttemptKey session = {};
  int session_measured = 0;
  // Of a service:
  bool ready = false;  // it was up
  int measured = 0;    // measurements on record in its session
  std::map<plan::StageId, int>
      attempts;  // attempts at measuring made since it was started, on record or not
};

}  // namespace orch::schedule
