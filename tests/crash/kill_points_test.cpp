// Every kill point, at each of its hits: after the kill, the same command completes the sweep, and
// the store equals that of an undisturbed sweep.
#include "crash/trials.hpp"

namespace orch::crash {
namespace kill_points_test {

// Names that only a resuming run reaches: killed there, after a first kill that leads there.
// Whether it does may depend on timing; then the next first kill is tried. FIRST and TRIALS: kills,
// and the trials after them.
void attempt_resuming(const std::vector<std::vector<Kill>>& first, const std::vector<Trial>& trials,
                      std::set<std::string>& seen) {
  struct Way {
    Kill kill;
    int hits = 0;
  };
  std::map<std::string, std::vector<Way>> ways;
  for (std::size_t i = 0; i < trials.size(); ++i)
    for (const auto& [name, hits] : trials[i].resumed)
      if (!seen.contains(name)) ways[name].push_back({first[i].front(), hits});
  constexpr int k_rounds = 5;
  for (int round = 0; round < k_rounds && !ways.empty(); ++round) {
    std::vector<std::vector<Kill>> plans;
    for (auto& [name, left] : ways) {
      const auto best = std::max_element(
          left.begin(), left.end(), [](const Way& a, const Way& b) { return a.hits < b.hits; });
      for (const int hit : chosen(best->hits)) plans.push_back({best->kill, {name, hit}});
      left.erase(best);
    }
    const auto tried = attempt_all("killed while resuming, at", {}, plans);
    for (std::size_t i = 0; i < plans.size(); ++i)
      if (tried[i].reached) ways.erase(plans[i].back().name), seen.insert(plans[i].back().name);
    std::erase_if(ways, [](const auto& entry) { return entry.second.empty(); });
  }
}

TEST(KillPoints, ThereAreAtLeastForty) { EXPECT_GE(names_in_source().size(), 40u); }

TEST(KillPoints, AfterAKillAtAnyTheSameCommandCompletesTheSweep) {
  ASSERT_EQ(reference().complaint, "");
  std::set<std::string> seen;
  const auto [first, trials] = attempt_new("killed at, then resumed", {}, seen);

  World::Variables leaves = k_paced;
  leaves["ORCH_CRASH_LEAVES"] = "build-f16";
  attempt_new("a task that leaves a process behind; killed at", {.variables = leaves}, seen);
  attempt_resuming(first, trials, seen);

  const Reference stubborn = make_reference(k_stubborn_axes, k_stubborn_outputs);
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
