// What runs at this moment. Private to the scheduler.
#pragma once

#include "execute/executor.hpp"
#include "execute/failure.hpp"
#include "execute/workspace.hpp"
#include "schedule/journal.hpp"
#include "system/ports.hpp"

#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace orch::schedule {

using Index = std::size_t;  // of a stage in the plan

inline constexpr double k_never = std::numeric_limits<double>::infinity();

// Why an attempt did not end well. `klass` is one of execute::failure_classes(); its first line is
// the reason, the rest the end of the log.
struct Failure {
  std::string klass;
  std::string message;
  std::optional<double> retry_after_s = {};

  execute::FailureKind kind() const {
    const execute::FailureClass* known = execute::find_failure_class(klass);
    return known ? known->kind : execute::FailureKind::system;
  }
  std::string reason() const { return klass + ": " + message.substr(0, message.find('\n')); }
};

// One process at work for one stage, or for several of a batch.
struct Active {
  struct Member {
    Index stage;
    AttemptKey key;
    execute::Prepared prepared;
  };
  std::string token;  // of the process
  std::vector<Member> members;
  std::vector<system::PortLease> leases;
  bool launched = false;   // a process of it may live
  bool adopted = false;    // a run that died started it
  bool was_ready = false;  // of an adopted server: it was up, and its start is on record
  double started_s = 0;
  double deadline_s = k_never;
  double kill_at_s = k_never;
  std::optional<Failure> ended_by_us;  // klass "": all is well, it is simply not needed any more
  AttemptKey session;                  // of a measurement: the server it runs against

  Index first() const { return members.front().stage; }
};

}  // namespace orch::schedule
