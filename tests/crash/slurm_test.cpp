// The sweep on a real Slurm of two nodes: its rows, and kills.
#include "crash/local_slurm.hpp"
#include "crash/trials.hpp"

#include <memory>

namespace orch::crash {
namespace slurm_test {

class OnSlurm : public testing::Test {
 protected:
  void SetUp() override {
    if (!slurm.why_not().empty()) GTEST_SKIP() << slurm.why_not();
  }
  Options options() const {
    return {.arguments = {"--executor", "slurm"}, .variables = slurm.variables()};
  }
  // The jobs of a sweep that has ended leave the queue a little later.
  bool is_empty() const {
    return wait_for([&] { return slurm.live_jobs().empty(); }, 20);
  }

  Slurm slurm;
};

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

// The kill points of submissions and jobs.
TEST_F(OnSlurm, AfterAKillAtAnyPointTheSameCommandCompletesTheSweep) {
  ASSERT_EQ(reference().complaint, "");
  const Scenario scenario{.options = options()};
  Hits hits = count_mode(scenario);
  std::vector<std::vector<Kill>> plans;
  for (const char* name : {"slurm-before-submit", "slurm-after-submit", "slurm-before-terminate",
                           "job-began", "job-claimed", "job-spawned", "job-before-ended"}) {
    EXPECT_GT(hits[name], 0) << name;
    plans.push_back({{name, (hits[name] + 1) / 2}});
  }
  attempt_all("on Slurm, killed at", scenario, plans);
  EXPECT_TRUE(is_empty()) << slurm.live_jobs();
}

}  // namespace slurm_test
}  // namespace orch::crash
