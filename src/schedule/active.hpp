// What runs at this moment. Private to the scheduler.
#pragma once

#include "execute/executor.hpp"
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

// Why an attempt did not end well.
struct Failure {
  std::string klass;
  std::string message;
};

// One process at work for one stage, or for several of a batch.
struct Active {
  struct Member {
    Index stage;
    AttemptKey key;
    execute::Prepared prepared;
  };
  std::vector<Member> members;
  std::vector<system::PortLease> leases;
  execute::Handle handle;
  bool launched = false;
  bool exited = false;      // the leader is gone; others of its tree may not be
  double started_s = 0;
  double deadline_s = k_never;
  double kill_at_s = k_never;
  std::optional<Failure> ended_by_us;
  AttemptKey session;       // of a measurement: the server it runs against

  const std::string& token() const { return members.front().prepared.attempt.token; }
};

}  // namespace orch::schedule
