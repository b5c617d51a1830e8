// G7: whatever stands in the process table, nobody but ours is chosen.
#include "system/targets.hpp"

#include <gtest/gtest.h>

#include <random>

namespace orch::system {
namespace {

constexpr const char* k_boot = "this-boot";

// A process table of which the test knows more than what is chosen from sees: who is really ours.
struct World {
  Tree tree;
  Observer us;
  std::vector<ProcessFacts> everyone;
  std::map<int, bool> ours;
  bool of_this_boot = true;
};

class Worlds {
 public:
  World next() {
    World world;
    world.us = {.pid = 50, .group = any(40, 50), .session = any(30, 50)};
    world.of_this_boot = !one_in(8);
    world.tree.boot_id = world.of_this_boot ? k_boot
                         : one_in(2)        ? "an-earlier-boot"
                                            : "another-one";
    world.tree.leader = {any(2, 49), static_cast<std::uint64_t>(any(1, 4))};
    std::set<int> numbers = {world.us.pid};
    for (int i = any(0, 30); i > 0; --i) add(world, numbers);
    world.everyone.push_back({.id = {world.us.pid, 1},
                              .group = world.us.group,
                              .session = world.us.session,
                              .ended = false,
                              .marked = one_in(4)});
    return world;
  }

 private:
  int any(int least, int most) { return std::uniform_int_distribution<int>(least, most)(random_); }
  bool one_in(int n) { return any(1, n) == 1; }

  // Few numbers and few starts, so that the recorded leader's number is often somebody else's.
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
    if (!one.marked && !leads && one_in(3)) one.id.start_ticks = 0;  // nobody had to know
    world.ours[pid] = one.marked || leads;
    world.everyone.push_back(one);
  }

  std::mt19937 random_{20240607};
};

// Every number that a signal would go to.
std::set<int> reached(const World& world, const Targets& targets) {
  std::set<int> reached;
  for (const ProcessId& one : targets.processes) reached.insert(one.pid);
  for (const TargetGroup& group : targets.groups)
    for (const ProcessFacts& one : world.everyone)
      if (one.group == group.group) reached.insert(one.id.pid);
  return reached;
}

TEST(Targets, TenThousandProcessTablesAndNoSignalForAStranger) {
  Worlds worlds;
  int foreign = 0, missed = 0, told = 0, groups = 0;
  for (int i = 0; i < 10'000; ++i) {
    const World world = worlds.next();
    const Targets targets = choose_targets(world.tree, k_boot, world.everyone, world.us);
    const std::set<int> got = reached(world, targets);
    for (const int pid : got) foreign += !world.ours.contains(pid) || !world.ours.at(pid);
    for (const ProcessFacts& one : world.everyone)
      if (world.of_this_boot && one.id.pid != world.us.pid && world.ours.at(one.id.pid) &&
          !one.ended && one.id.pid > 1)
        missed += !got.contains(one.id.pid);
    told += static_cast<int>(got.size());
    groups += static_cast<int>(targets.groups.size());
  }
  EXPECT_EQ(foreign, 0);
  EXPECT_EQ(missed, 0);
  EXPECT_GT(told, 10'000);  // there was somebody to hit
  EXPECT_GT(groups, 1'000);
}

const Tree k_tree{.token = "t",
                  .leader = {100, 7},
                  .boot_id = k_boot,
                  .containment = Containment::session,
                  .cgroup = {}};
const Observer k_us{10, 10, 10};

ProcessFacts process(int pid, std::uint64_t start, int group, int session, bool marked) {
  return {{pid, start}, group, session, false, marked};
}

TEST(Targets, AGroupOfOursIsReachedAtOneInstant) {
  const std::vector<ProcessFacts> everyone = {process(100, 7, 100, 100, true),
                                              process(101, 8, 100, 100, true),
                                              process(10, 1, 10, 10, false)};
  const Targets targets = choose_targets(k_tree, k_boot, everyone, k_us);
  ASSERT_EQ(targets.groups.size(), 1U);
  EXPECT_EQ(targets.groups[0].group, 100);
  EXPECT_TRUE(targets.processes.empty());
}

TEST(Targets, AGroupWithAStrangerIsReachedOneByOne) {
  const std::vector<ProcessFacts> everyone = {process(100, 7, 100, 100, true),
                                              process(101, 0, 100, 100, false)};
  const Targets targets = choose_targets(k_tree, k_boot, everyone, k_us);
  EXPECT_TRUE(targets.groups.empty());
  EXPECT_EQ(targets.processes, (std::vector<ProcessId>{{100, 7}}));
}

TEST(Targets, InOurOwnSessionNoGroupIsSignalledAsAWhole) {
  const std::vector<ProcessFacts> everyone = {process(11, 3, 11, 10, true)};
  const Targets targets = choose_targets(k_tree, k_boot, everyone, k_us);
  EXPECT_TRUE(targets.groups.empty());
  EXPECT_EQ(targets.processes, (std::vector<ProcessId>{{11, 3}}));
}

TEST(Targets, AnotherStartOrAnotherBootIsAStranger) {
  const std::vector<ProcessFacts> other_start = {process(100, 8, 100, 100, false)};
  EXPECT_TRUE(choose_targets(k_tree, k_boot, other_start, k_us).empty());
  const std::vector<ProcessFacts> leader = {process(100, 7, 100, 100, false)};
  EXPECT_FALSE(choose_targets(k_tree, k_boot, leader, k_us).empty());
  EXPECT_TRUE(choose_targets(k_tree, "the-next-boot", leader, k_us).empty());
}

TEST(Targets, WhatHasEndedGetsNoSignal) {
  std::vector<ProcessFacts> everyone = {process(100, 7, 100, 100, true)};
  everyone[0].ended = true;
  EXPECT_TRUE(choose_targets(k_tree, k_boot, everyone, k_us).empty());
}

}  // namespace
}  // namespace orch::system
