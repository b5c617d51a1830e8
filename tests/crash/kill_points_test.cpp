// Every kill point, at each of its hits: after the kill, the same command completes the sweep, and
// the store equals that of an undisturbed sweep.
#include "crash/trials.hpp"

namespace orch::crash {
namespace kill_points_test {

TEST(KillPoints, ThereAreAtLeastForty) { EXPECT_GE(names_in_source().size(), 40u); }

TEST(KillPoints, AfterAKillAtAnyTheSameCommandCompletesTheSweep) {
  ASSERT_EQ(reference().complaint, "");
  std::set<std::string> seen;
  const auto [first, trials] = attempt_new("killed at, then resumed", {}, seen);

  World::Variables leaves = k_paced;
  leaves["ORCH_CRASH_LEAVES"] = "build-f16";
  attempt_new("a task that leaves a process behind; killed at", {.variables = leaves}, seen);
  attempt_resuming("killed while resuming, at", {}, {first, trials}, seen);

  const Reference keeping = make_reference(k_keeping_axes, k_kept_outputs);
  ASSERT_EQ(keeping.complaint, "");
  attempt_new("outputs that go; killed at", {.axes = k_keeping_axes, .undisturbed = &keeping},
              seen);
  const Reference stubborn = make_reference(k_stubborn_axes, k_one_point_outputs);
  ASSERT_EQ(stubborn.complaint, "");
  attempt_new("a server that ignores TERM; killed at",
              {.axes = k_stubborn_axes, .undisturbed = &stubborn}, seen);
  World::Variables dies = k_paced;
  dies["ORCH_CRASH_DIES"] = "build-f16";
  attempt_new("a task that another process kills; killed at", {.variables = dies}, seen);

  std::set<std::string> never = names_in_source();
  for (const std::string& name : seen) never.erase(name);
  for (const char* name : k_reached_elsewhere) never.erase(name);
  EXPECT_EQ(never, std::set<std::string>()) << "no sweep reaches these";
}

}  // namespace kill_points_test
}  // namespace orch::crash
