#include "os/system/signal_targets.hpp"

#include <set>

namespace orch::system {

namespace {

bool is_leader(const Tree& tree, const ProcessFacts& one) {
  return !tree.boot_id.empty() && one.id.start_ticks != 0 && one.id == tree.leader;
}

// Groups with a process outside the tree, and the groups of our own session.
std::set<int> mixed_groups(const Tree& tree, std::span<const ProcessFacts> everyone,
                           const Sender& sender) {
  std::set<int> mixed = {0, 1, sender.group};
  for (const ProcessFacts& one : everyone)
    if (one.session == sender.session || !(one.marked || is_leader(tree, one)))
      mixed.insert(one.group);
  return mixed;
}

}  // namespace

bool may_be_alive(const Tree& tree, const std::string& boot_id) {
  return tree.boot_id.empty() || tree.boot_id == boot_id;
}

SignalTargets choose_targets(const Tree& tree, const std::string& boot_id,
                             std::span<const ProcessFacts> everyone, const Sender& sender) {
  SignalTargets targets;
  if (!may_be_alive(tree, boot_id)) return targets;
  const std::set<int> mixed = mixed_groups(tree, everyone, sender);
  std::set<int> taken;
  for (const ProcessFacts& one : everyone) {
    if (one.ended || one.id.pid <= 1 || one.id.pid == sender.pid ||
        !(one.marked || is_leader(tree, one)))
      continue;
    if (mixed.contains(one.group)) targets.processes.push_back(one.id);
    else if (taken.insert(one.group).second) targets.groups.push_back({one.group, one.id});
  }
  return targets;
}

}  // namespace orch::system
