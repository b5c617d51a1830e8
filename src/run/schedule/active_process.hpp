// The processes of this run, from the recorded intent to the recorded end. Holds data only: other
// classes start, stop and conclude them.
#pragma once

#include "run/execute/executor.hpp"
#include "run/attempt/attempt_folders.hpp"
#include "spec/runner/manifest.hpp"
#include "run/schedule/attempt_failure.hpp"
#include "run/schedule/journal.hpp"
#include "run/schedule/stage_queue.hpp"
#include "run/schedule/timers.hpp"
#include "os/system/ports.hpp"

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace orch::schedule {

// One process, which works for one stage or for the stages of a batch.
struct ActiveProcess {
  struct Member {
    Index stage;
    AttemptKey key;
    attempt::Prepared prepared;
  };
  std::string token;
  runner::Kind kind = runner::Kind::task;
  std::vector<Member> members;
  std::vector<system::PortLease> leases;
  bool launched = false;   // a process of it may live
  bool adopted = false;    // a dead run started it
  bool was_ready = false;  // an adopted server whose ServiceReady is on record
  // A further server of a stage that has one. The state of the stage is that of the first.
  bool further = false;
  bool up = false;         // a server whose readiness probe has passed
  bool retired = false;    // a server that gets no more measurements
  bool rechecked = false;  // a failed measurement whose judgement was deferred once
  double started_s = 0;
  double deadline_s = k_never;
  double kill_at_s = k_never;
  std::optional<AttemptFailure> stopped_for;  // set when this run asked it to end
  AttemptKey session;                         // of a measurement: the server it runs against
  std::string holder;                         // its name in RunState::host
  std::set<plan::StageId> neighbours;         // of a measurement: what worked beside it
  std::string log_tail;                       // the end of its log, once it has failed

  const Member& first() const { return members.front(); }
  Index stage() const { return first().stage; }
};

class ActiveProcesses {
 public:
  ActiveProcess& add(ActiveProcess process);
  // Removes the process and returns it; TOKEN must be known.
  ActiveProcess take(const std::string& token);
  // Null when TOKEN is unknown.
  ActiveProcess* find(const std::string& token);
  std::size_t count(runner::Kind kind) const;
  bool empty() const { return by_token_.empty(); }

  // In the order of their tokens.
  auto begin() { return by_token_.begin(); }
  auto end() { return by_token_.end(); }
  auto begin() const { return by_token_.begin(); }
  auto end() const { return by_token_.end(); }

 private:
  std::map<std::string, ActiveProcess> by_token_;
};

}  // namespace orch::schedule
