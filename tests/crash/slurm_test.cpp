// The sweep on a real Slurm of two nodes: its rows, and kills of its own processes.
#include "crash/on_slurm.hpp"
#include "crash/trials.hpp"

namespace orch::crash {
namespace slurm_test {

TEST_F(OnSlurm, TheSweepGivesTheRowsThatItGivesHere) {
  ASSERT_EQ(reference().complaint, "");
  World world(options());
  Referee referee(world, reference().store);
  const Ended ended = world.run(k_paced);
  EXPECT_EQ(referee.judge(ended, world.last_stderr()).text(), "");
  const auto ask = [&](const std::string& sql) {
    return ask_store(world.store(), world.folder(), sql);
  };
  EXPECT_EQ(ask("SELECT DISTINCT node FROM provenance WHERE kind = 'service' ORDER BY node"),
            (std::vector<std::string>{"n1", "n2"}))
      << "two servers that are to be alone have a node each";
  EXPECT_EQ(ask("SELECT count(*) FROM provenance WHERE stage NOT LIKE 'config%' AND job IS NULL"),
            std::vector<std::string>{"0"});
  EXPECT_TRUE(is_empty()) << slurm.live_jobs();
}

// Those of submissions and jobs, and of the others every fourth; with ORCH_CRASH=full all of them,
// and those that only a resuming run reaches.
TEST_F(OnSlurm, AfterAKillAtAnyPointTheSameCommandCompletesTheSweep) {
  ASSERT_EQ(reference().complaint, "");
  const Scenario scenario{.options = options()};
  const Hits hits = count_mode(scenario);
  std::vector<std::vector<Kill>> plans;
  std::set<std::string> seen,
      own = {"slurm-before-submit", "slurm-after-submit", "slurm-before-terminate", "job-began",
             "job-claimed",         "job-spawned",        "job-before-ended"};
  int others = 0;
  for (const auto& [name, count] : hits) {
    seen.insert(name);
    const bool is_chosen = own.erase(name) > 0 || others++ % 4 == 0;
    if (is_chosen || full()) plans.push_back({{name, (count + 1) / 2}});
  }
  EXPECT_EQ(own, std::set<std::string>()) << "the sweep does not reach these";
  fmt::print("[ on slurm ] a run reaches {} kill points\n", hits.size());
  const auto trials = attempt_all("on Slurm, killed at", scenario, plans);
  if (full())
    attempt_resuming("on Slurm, killed while resuming, at", scenario, {plans, trials}, seen);
  EXPECT_TRUE(is_empty()) << slurm.live_jobs();
}

}  // namespace slurm_test
}  // namespace orch::crash
