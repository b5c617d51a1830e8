// Which processes get a signal that is meant for a tree: a pure decision over facts from /proc.
// Reads nothing and sends nothing.
#pragma once

#include "os/system/proc.hpp"

#include <span>
#include <vector>

namespace orch::system {

// The calling process. Neither it nor its group as a whole is ever signalled.
struct Sender {
  int pid = 0;
  int group = 0;
  int session = 0;
};

// A group with no process outside the tree: one call signals all of it at one instant, including
// processes that are forking.
struct TargetGroup {
  int group = 0;
  ProcessId member;  // its identity is re-checked before the group is signalled
};

struct SignalTargets {
  std::vector<TargetGroup> groups;
  std::vector<ProcessId> processes;  // that are in none of these groups

  bool empty() const { return groups.empty() && processes.empty(); }
};

// EVERYONE: all processes of this host, with `marked` set for those of TREE. BOOT_ID: of the
// running kernel.
SignalTargets choose_targets(const Tree& tree, const std::string& boot_id,
                             std::span<const ProcessFacts> everyone, const Sender& sender);

// False: TREE was started in another boot. A tree that is known by its token alone has no boot id,
// and may be alive.
bool may_be_alive(const Tree& tree, const std::string& boot_id);

}  // namespace orch::system
