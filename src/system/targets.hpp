// Who of all processes is to get a signal that is meant for a tree: a pure decision over what /proc
// said. Knows neither /proc nor how a signal is sent.
#pragma once

#include "system/process.hpp"

#include <span>
#include <vector>

namespace orch::system {

struct ProcessFacts {
  ProcessId id;  // start_ticks: 0 where nobody had to know
  int group = 0;
  int session = 0;
  bool ended = false;   // waits to be reaped
  bool marked = false;  // carries the tree's mark, or stands in its cgroup
  int parent = 0;
  bool has_terminal = false;
};

// The process that asks. Neither it nor its group as a whole is ever signalled.
struct Observer {
  int pid = 0;
  int group = 0;
  int session = 0;
};

// A group of which all are ours, so that one call reaches them all at one instant, also those that
// fork.
struct TargetGroup {
  int group = 0;
  ProcessId member;  // through which the group is looked at once more
};

struct Targets {
  std::vector<TargetGroup> groups;
  std::vector<ProcessId> processes;  // that are in none of these groups

  bool empty() const { return groups.empty() && processes.empty(); }
};

Targets choose_targets(const Tree& tree, const std::string& boot_id,
                       std::span<const ProcessFacts> everyone, const Observer& us);

// Of another boot nothing is left; a tree that is known by its token alone has no boot id.
bool may_be_left(const Tree& tree, const std::string& boot_id);

}  // namespace orch::system
