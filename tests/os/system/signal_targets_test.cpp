// Only processes of the tree are chosen, whatever else the process table contains.
#include "os/system/tree_signal.hpp"

#include <random>

#include <gtest/gtest.h>

namespace orch::system {
namespace signal_targets_test {

constexpr const char* k_boot = "this-boot";

// A process table, and which of its processes really belong to the tree.
struct World {
  Tree tree;
  Sender sender;
  std::vector<ProcessFacts> everyone;
  std::map<int, bool> in_tree;
  bool of_this_boot = true;
};

class Worlds {
 public:
  World next() {
    World world;
    world.sender = {.pid = 50, .group = any(40, 50), .session = any(30, 50)};
    world.of_this_boot = !one_in(8);
    world.tree.boot_id = world.of_this_boot ? k_boot
                         : one_in(2)        ? "an-earlier-boot"
                                            : "another-one";
    world.tree.leader = {any(2, 49), static_cast<std::uint64_t>(any(1, 4))};
    std::set<int> numbers = {world.sender.pid};
    for (int i = any(0, 30); i > 0; --i) add(world, numbers);
    world.everyone.push_back({.id = {world.sender.pid, 1},
                              .group = world.sender.group,
                              .session = world.sender.session,
                              .ended = false,
                              .marked = one_in(4)});
    return world;
  }

 private:
  int any(int least, int most) { return std::uniform_int_distribution<int>(least, most)(random_); }
  bool one_in(int n) { return any(1, n) == 1; }

  // Few pids and few start times, so that the recorded leader's pid is often reused.
  void add(World& world, std::set<int>& numbers) {
    const int pid = any(1, 49);
    if (!numbers.insert(pid).second) return;
    ProcessFacts one{.id = {pid, static_cast<std::uint64_t>(any(1, 4))},
                     .group = any(2, 49),
                     .session = any(2, 49),
                     .ended = one_in(6),
                     .marked = false};
    one.marked = pid != 1 && world.of_this_boot && one_in(2);
    const bool leads = world.of_this_boot && one.id == world.tree.leader;
    if (!one.marked && !leads && one_in(3)) one.id.start_ticks = 0;  // not read
    world.in_tree[pid] = one.marked || leads;
    world.everyone.push_back(one);
  }

  std::mt19937 random_{20240607};
};

// Every pid that a signal would reach.
std::set<int> reached(const World& world, const SignalTargets& targets) {
  std::set<int> reached;
  for (const ProcessId& one : targets.processes) reached.insert(one.pid);
  for (const TargetGroup& group : targets.groups)
    for (const ProcessFacts& one : world.everyone)
      if (one.group == group.group) reached.insert(one.id.pid);
  return reached;
}

TEST(SignalTargets, InTenThousandProcessTablesNoOtherProcessIsChosen) {
  Worlds worlds;
  int foreign = 0, missed = 0, chosen = 0, groups = 0;
  for (int i = 0; i < 10'000; ++i) {
    const World world = worlds.next();
    const SignalTargets targets = choose_targets(world.tree, k_boot, world.everyone, world.sender);
    const std::set<int> got = reached(world, targets);
    for (const int pid : got) foreign += !world.in_tree.contains(pid) || !world.in_tree.at(pid);
    for (const ProcessFacts& one : world.everyone)
      if (world.of_this_boot && one.id.pid != world.sender.pid && world.in_tree.at(one.id.pid) &&
          !one.ended && one.id.pid > 1)
        missed += !got.contains(one.id.pid);
    chosen += static_cast<int>(got.size());
    groups += static_cast<int>(targets.groups.size());
  }
  EXPECT_EQ(foreign, 0);
  EXPECT_EQ(missed, 0);
  EXPECT_GT(chosen, 10'000);  // the tables had targets
  EXPECT_GT(groups, 1'000);
}

const Tree k_tree{.token = "t",
                  .leader = {100, 7},
                  .boot_id = k_boot,
                  .containment = Containment::session,
                  .cgroup = {}};
const Sender k_sender{10, 10, 10};

ProcessFacts process(int pid, std::uint64_t start, int group, int session, bool marked) {
  return {{pid, start}, group, session, false, marked};
}

TEST(SignalTargets, AGroupOfTheTreeAloneIsSignalledAtOnce) {
  const std::vector<ProcessFacts> everyone = {process(100, 7, 100, 100, true),
                                              process(101, 8, 100, 100, true),
                                              process(10, 1, 10, 10, false)};
  const SignalTargets targets = choose_targets(k_tree, k_boot, everyone, k_sender);
  ASSERT_EQ(targets.groups.size(), 1U);
  EXPECT_EQ(targets.groups[0].group, 100);
  EXPECT_TRUE(targets.processes.empty());
}

TEST(SignalTargets, InAGroupWithOthersProcessesAreSignalledOneByOne) {
  const std::vector<ProcessFacts> everyone = {process(100, 7, 100, 100, true),
                                              process(101, 0, 100, 100, false)};
  const SignalTargets targets = choose_targets(k_tree, k_boot, everyone, k_sender);
  EXPECT_TRUE(targets.groups.empty());
  EXPECT_EQ(targets.processes, (std::vector<ProcessId>{{100, 7}}));
}

TEST(SignalTargets, InTheSendersSessionNoGroupIsSignalledAsAWhole) {
  const std::vector<ProcessFacts> everyone = {process(11, 3, 11, 10, true)};
  const SignalTargets targets = choose_targets(k_tree, k_boot, everyone, k_sender);
  EXPECT_TRUE(targets.groups.empty());
  EXPECT_EQ(targets.processes, (std::vector<ProcessId>{{11, 3}}));
}

TEST(SignalTargets, ADifferentStartTimeOrBootMeansADifferentProcess) {
  const std::vector<ProcessFacts> other_start = {process(100, 8, 100, 100, false)};
  EXPECT_TRUE(choose_targets(k_tree, k_boot, other_start, k_sender).empty());
  const std::vector<ProcessFacts> leader = {process(100, 7, 100, 100, false)};
  EXPECT_FALSE(choose_targets(k_tree, k_boot, leader, k_sender).empty());
  EXPECT_TRUE(choose_targets(k_tree, "the-next-boot", leader, k_sender).empty());
}

TEST(SignalTargets, AZombieGetsNoSignal) {
  std::vector<ProcessFacts> everyone = {process(100, 7, 100, 100, true)};
  everyone[0].ended = true;
  EXPECT_TRUE(choose_targets(k_tree, k_boot, everyone, k_sender).empty());
}

}  // namespace signal_targets_test
}  // namespace orch::system
