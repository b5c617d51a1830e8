// The executor on a cluster in memory; the test is the agent of its jobs.
#include "cluster/slurm_executor.hpp"

#include "cluster/fake_slurm.hpp"
#include "fakes/fake_world.hpp"
#include "fakes/temp_folder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

namespace orch::cluster {
namespace slurm_executor_test {

using execute::Ended;
using execute::Launch;
using execute::Recovered;
using testing::ElementsAre;
using testing::IsEmpty;

class SlurmExecutorTest : public testing::Test {
 protected:
  SlurmExecutorTest() { begin(); }

  // A new orchestrator on the same store.
  void begin() {
    executor.emplace(files, clock, std::make_unique<FakeSlurm>(cluster),
                     SlurmOptions{.store = store.path(), .program = "/opt/orchestrate"});
  }
  Launch launch(int cores = 1) {
    Launch made{.argv = {"true"}, .token = system::new_token()};
    made.place.cores = cores;
    return made;
  }
  std::string start(int cores = 1) {
    const Launch made = launch(cores);
    EXPECT_TRUE(executor->start(made)) << made.token;
    return made.token;
  }
  std::vector<Ended> poll() { return executor->poll(0); }
  // Polls through S seconds, one at a time.
  std::vector<Ended> poll_for(double s) {
    std::vector<Ended> all;
    for (double passed = 0; passed < s; ++passed, ++clock.time_s) {
      auto ended = poll();
      std::move(ended.begin(), ended.end(), std::back_inserter(all));
    }
    return all;
  }
  void end(const std::string& token, bool stopped = false) {
    Ended ended{.token = token, .code = 0};
    ended.stopped_by_slurm = stopped;
    ASSERT_TRUE(agent.write_ended(ended));
  }

  fakes::TempFolder store;
  system::RealFiles files;
  fakes::FakeClock clock;
  FakeCluster cluster;
  JobFiles agent{files, store.path()};
  std::optional<SlurmExecutor> executor;
};

TEST_F(SlurmExecutorTest, SubmitsWhatStartsTogetherAsOneArray) {
  const std::vector<std::string> tokens = {start(), start(), start()};
  start(2);
  EXPECT_THAT(poll(), IsEmpty());
  ASSERT_EQ(cluster.submitted.size(), 2u);
  EXPECT_EQ(cluster.submitted[0].tasks, 3u);
  EXPECT_EQ(cluster.submitted[1].tasks, 1u);
  EXPECT_EQ(agent.tokens_of(cluster.submitted[0].comment), tokens);
  EXPECT_NE(cluster.submitted[0].comment, cluster.submitted[1].comment);
}

TEST_F(SlurmExecutorTest, ReportsTheRecordThatAnAgentLeaves) {
  const std::string token = start();
  poll();
  end(token);
  const auto ended = poll();
  ASSERT_EQ(ended.size(), 1u);
  EXPECT_EQ(ended[0].token, token);
  EXPECT_EQ(ended[0].code, 0);
  EXPECT_THAT(poll_for(60), IsEmpty());
}

TEST_F(SlurmExecutorTest, ARefusedSubmissionEndsItsLaunches) {
  cluster.refuses = "sbatch: error: invalid partition specified: gpus";
  const std::string token = start();
  const auto ended = poll();
  ASSERT_EQ(ended.size(), 1u);
  EXPECT_EQ(ended[0].token, token);
  EXPECT_EQ(ended[0].refused, cluster.refuses);
}

TEST_F(SlurmExecutorTest, SubmitsAgainWhatAControllerForgotAndOnlyOnceItHasSettled) {
  cluster.forgets = true;
  start();
  poll();
  cluster.forgets = false;
  poll_for(10);
  EXPECT_EQ(cluster.submitted.size(), 0u);
  poll_for(30);
  EXPECT_EQ(cluster.submitted.size(), 1u);
}

TEST_F(SlurmExecutorTest, FindsWhatAControllerKeptWithoutAnAnswer) {
  cluster.swallows = true;
  const std::string token = start();
  poll();
  cluster.swallows = false;
  poll_for(60);
  EXPECT_EQ(cluster.submitted.size(), 1u);
  end(token);
  EXPECT_EQ(poll().size(), 1u);
}

TEST_F(SlurmExecutorTest, WaitsForAJobThatLivesThoughItsControllerSaysOtherwise) {
  const std::string token = start();
  poll();
  ASSERT_TRUE(agent.claim(token, "1"));
  cluster.jobs[0].state = "NODE_FAIL";
  std::vector<Ended> ended;
  for (std::uint64_t beat = 1; beat <= 60; ++beat) {
    agent.pulse(token, beat);
    ended = poll_for(2);
    EXPECT_THAT(ended, IsEmpty()) << beat;
  }
  ended = poll_for(60);
  ASSERT_EQ(ended.size(), 1u);
  EXPECT_TRUE(ended[0].guardian_lost);
  EXPECT_EQ(ended[0].job_state, "NODE_FAIL");
  EXPECT_EQ(agent.asked_signal(token), SIGKILL) << "it would end a tree that it still has";
}

TEST_F(SlurmExecutorTest, AJobThatIsLostBeforeItBeganCannotBeginLater) {
  const std::string token = start();
  poll();
  cluster.jobs[0].state = "CANCELLED";
  const auto ended = poll_for(60);
  ASSERT_EQ(ended.size(), 1u);
  EXPECT_EQ(ended[0].job_state, "CANCELLED");
  const auto claimed = agent.claim(token, "1");
  ASSERT_TRUE(claimed);
  EXPECT_FALSE(*claimed);
}

TEST_F(SlurmExecutorTest, AsksSlurmWhyAJobWasStopped) {
  const std::string token = start();
  poll();
  ASSERT_TRUE(agent.claim(token, "1"));
  cluster.jobs[0].state = "RUNNING";
  poll_for(10);
  end(token, true);
  EXPECT_THAT(poll_for(2), IsEmpty());
  cluster.jobs[0].state = "TIMEOUT";
  const auto ended = poll_for(5);
  ASSERT_EQ(ended.size(), 1u);
  EXPECT_EQ(ended[0].job_state, "TIMEOUT");
}

TEST_F(SlurmExecutorTest, CancelsAJobThatWasPutBackIntoTheQueue) {
  const std::string token = start();
  poll();
  ASSERT_TRUE(agent.claim(token, "1"));
  cluster.jobs[0].state = "RUNNING";
  poll_for(10);
  end(token, true);
  cluster.jobs[0].state = "PENDING";
  const auto ended = poll_for(5);
  ASSERT_EQ(ended.size(), 1u);
  EXPECT_EQ(ended[0].job_state, "PREEMPTED");
  EXPECT_THAT(cluster.cancelled, ElementsAre("1"));
}

TEST_F(SlurmExecutorTest, CancelsTheHeldSecondStartOfAJobThatRan) {
  const std::string token = start();
  poll();
  ASSERT_TRUE(agent.claim(token, "1"));
  agent.pulse(token, 1);
  cluster.jobs[0].reason = "launch failed requeued held";
  poll_for(10);
  EXPECT_THAT(cluster.cancelled, ElementsAre("1"));
  end(token);
  EXPECT_EQ(poll().size(), 1u);
}

TEST_F(SlurmExecutorTest, LeavesAHeldJobThatNobodyBeganToTheUser) {
  start();
  poll();
  cluster.jobs[0].reason = "JobHeldUser";
  EXPECT_THAT(poll_for(600), IsEmpty());
  EXPECT_THAT(cluster.cancelled, IsEmpty());
}

TEST_F(SlurmExecutorTest, AsksLessOftenTheLongerNothingChanges) {
  start();
  poll_for(600);
  EXPECT_LT(cluster.asked, 40);
}

TEST_F(SlurmExecutorTest, EndsAWaitingJobByCancellingIt) {
  const std::string token = start();
  poll();
  executor->terminate(token);
  const auto ended = poll_for(60);
  EXPECT_THAT(cluster.cancelled, ElementsAre("1"));
  ASSERT_EQ(ended.size(), 1u);
  EXPECT_EQ(ended[0].signal, SIGTERM);
  EXPECT_EQ(ended[0].job_state, "");
}

TEST_F(SlurmExecutorTest, EndsARunningJobByItsAgentAndCancelsOneThatHangs) {
  const std::string token = start();
  poll();
  ASSERT_TRUE(agent.claim(token, "1"));
  cluster.jobs[0].state = "RUNNING";
  executor->kill(token);
  EXPECT_EQ(agent.asked_signal(token), SIGKILL);
  for (std::uint64_t beat = 1; beat <= 25; ++beat) {
    agent.pulse(token, beat);
    poll_for(2);
  }
  EXPECT_THAT(cluster.cancelled, IsEmpty());
  poll_for(30);
  EXPECT_THAT(cluster.cancelled, ElementsAre("1"));
}

TEST_F(SlurmExecutorTest, AMeasurementIsAskedOfTheJobOfItsServer) {
  const std::string server = start();
  poll();
  ASSERT_TRUE(agent.claim(server, "1"));
  Launch inside = launch();
  inside.place.within = server;
  ASSERT_TRUE(executor->start(inside));
  poll();
  EXPECT_EQ(cluster.submitted.size(), 1u);
  EXPECT_THAT(agent.asked_of(server), ElementsAre(inside.token));
  end(server);
  EXPECT_EQ(poll().size(), 1u);
  const auto ended = poll_for(60);
  ASSERT_EQ(ended.size(), 1u) << "it cannot outlive its server";
  EXPECT_TRUE(ended[0].guardian_lost);
}

TEST_F(SlurmExecutorTest, TakesOverTheJobsOfADeadOrchestrator) {
  const Launch made = launch(), gone = launch(2);
  ASSERT_TRUE(executor->start(made));
  ASSERT_TRUE(executor->start(gone));
  poll();
  cluster.jobs.pop_back();  // the controller forgot it
  begin();
  executor->hold(made, std::nullopt);
  executor->hold(gone, std::nullopt);
  EXPECT_EQ(executor->recover(made, std::nullopt).fate, Recovered::Fate::running);
  EXPECT_EQ(executor->recover(gone, std::nullopt).fate, Recovered::Fate::lost);
  EXPECT_FALSE(*agent.claim(gone.token, "2"));
  end(made.token);
  EXPECT_EQ(poll().size(), 1u);
}

TEST_F(SlurmExecutorTest, TakesOverWhatEndedMeanwhileAndWhatWasNeverSubmitted) {
  const Launch made = launch(), never = launch();
  ASSERT_TRUE(executor->start(made));
  poll();
  end(made.token);
  ASSERT_TRUE(executor->start(never));
  begin();
  EXPECT_EQ(executor->recover(made, std::nullopt).fate, Recovered::Fate::ended);
  EXPECT_EQ(executor->recover(never, std::nullopt).fate, Recovered::Fate::lost);
}

TEST_F(SlurmExecutorTest, RemovesWhatEarlierRunsLeft) {
  const std::string token = start();
  poll();
  end(token);
  poll();
  cluster.jobs[0].reason = "launch failed requeued held";
  begin();
  start();
  poll();
  EXPECT_THAT(cluster.cancelled, ElementsAre("1"));
  EXPECT_THAT(agent.ended(), IsEmpty());
  EXPECT_EQ(agent.batches().size(), 1u);
}

TEST_F(SlurmExecutorTest, LeavesWhatASuccessorHasSubmitted) {
  SlurmExecutor stopped(files, clock, std::make_unique<FakeSlurm>(cluster),
                        SlurmOptions{.store = store.path(), .program = "/opt/orchestrate"});
  begin();
  const std::string waiting = start(), ended = start();
  poll();
  end(ended);
  stopped.poll(0);  // the first one wakes up
  EXPECT_THAT(cluster.cancelled, IsEmpty());
  EXPECT_EQ(agent.ended(), std::vector{ended});
  EXPECT_EQ(agent.batches().size(), 1u);
}

TEST_F(SlurmExecutorTest, OutlivesAControllerThatIsAway) {
  const std::string token = start();
  poll();
  cluster.is_down = true;
  EXPECT_THAT(poll_for(300), IsEmpty());
  end(token);
  EXPECT_EQ(poll().size(), 1u);
}

}  // namespace slurm_executor_test
}  // namespace orch::cluster
