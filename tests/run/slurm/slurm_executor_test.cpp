// The executor on a cluster in memory; the test is the agent of its jobs.
#include "run/slurm/slurm_executor.hpp"

#include "fakes/fake_world.hpp"
#include "fakes/temp_folder.hpp"
#include "run/slurm/fake_slurm.hpp"
#include "run/slurm/job_board.hpp"

#include <atomic>
#include <csignal>
#include <fstream>
#include <functional>
#include <map>
#include <thread>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace orch::slurm {
namespace slurm_executor_test {

using execute::Ended;
using execute::Launch;
using execute::Recovered;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

// The executor reads it from its heart as well, in a thread.
struct SharedClock final : system::Clock {
  std::atomic<double> time_s = 1000;
  double now_s() override { return time_s; }
  double wall_s() override { return time_s + 1.7e9; }
  // The test moves the time, or says so here.
  std::function<void(double)> sleeps = [](double) { std::this_thread::yield(); };
  void sleep_s(double s) override { sleeps(s); }
};

class SlurmExecutorTest : public testing::Test {
 protected:
  SlurmExecutorTest() { begin(); }

  // A new orchestrator on the same store.
  void begin() {
    executor.emplace(
        files, clock, std::make_unique<FakeSlurm>(cluster),
        SlurmOptions{.store = store.path(),
                     .submit = {.program = "/opt/orchestrate", .words = {}, .extra = {}},
                     .tell = [this](const std::string& text) { told.push_back(text); }});
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
  // The first launch of a test; its job has begun it.
  std::string start_running() {
    const std::string token = start();
    poll();
    EXPECT_TRUE(*agent.claim(token, "1"));
    cluster.jobs.at(0).state = "RUNNING";
    return token;
  }
  // A measurement in the job of SERVER.
  Launch start_inside(const std::string& server) {
    Launch inside = launch();
    inside.place.within = server;
    EXPECT_TRUE(executor->start(inside));
    return inside;
  }
  std::vector<Ended> poll() { return executor->poll(0); }
  // Polls through S seconds, one at a time.
  std::vector<Ended> poll_for(double s) {
    std::vector<Ended> all;
    for (double passed = 0; passed < s; ++passed, clock.time_s += 1) {
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
  SharedClock clock;
  FakeCluster cluster;
  std::vector<std::string> told;
  AgentFiles agent{files, store.path()};
  OrchestratorFiles run_files{files, store.path()};
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

TEST_F(SlurmExecutorTest, WaitsForLaunchesThatStartSoonAfter) {
  executor.emplace(files, clock, std::make_unique<FakeSlurm>(cluster),
                   SlurmOptions{.store = store.path(),
                                .submit = {.program = "/opt/orchestrate", .gather_s = 1}});
  start();
  poll();
  clock.time_s += 0.9;
  start();
  poll();
  clock.time_s += 0.9;
  poll();
  EXPECT_EQ(cluster.submitted.size(), 0u);
  clock.time_s += 0.2;
  poll();
  ASSERT_EQ(cluster.submitted.size(), 1u);
  EXPECT_EQ(cluster.submitted[0].tasks, 2u);
  for (int i = 0; i < 60; ++i) {  // not for ever
    start();
    poll();
    clock.time_s += 0.5;
  }
  EXPECT_EQ(cluster.submitted.size(), 2u);
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
  EXPECT_FALSE(*agent.claim(token, "1")) << "a job of it begins after all";
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

TEST_F(SlurmExecutorTest, AJobThatTheLinesOfTheSiteEndedIsNotPlaced) {
  start();
  poll();
  const std::string folder = agent.batch_folder(cluster.submitted[0].comment);
  std::ofstream(folder + "/lines.0") << "status 0\n";
  cluster.jobs[0].state = "COMPLETED";
  const auto ended = poll_for(60);
  ASSERT_EQ(ended.size(), 1u);
  EXPECT_NE(ended[0].refused.find("have ended its shell (status 0)"), std::string::npos)
      << ended[0].refused;
}

TEST_F(SlurmExecutorTest, SubmitsAgainWhatAControllerHasForgottenAndNobodyBegan) {
  const std::string begun = start(), forgotten = start();
  poll();
  ASSERT_TRUE(agent.claim(begun, "1"));
  agent.pulse(begun, 1);
  cluster.jobs.clear();
  std::vector<Ended> ended = poll_for(20);
  EXPECT_THAT(ended, IsEmpty());
  ASSERT_EQ(cluster.submitted.size(), 2u);
  EXPECT_THAT(agent.tokens_of(cluster.submitted[1].comment), ElementsAre(forgotten));
  end(forgotten);
  ended = poll();
  ASSERT_EQ(ended.size(), 1u);
  EXPECT_EQ(ended[0].token, forgotten);
}

TEST_F(SlurmExecutorTest, ADoubtfulIdIsNeverCancelled) {
  const std::string token = start();
  poll();
  ASSERT_TRUE(agent.claim(token, "1"));
  agent.pulse(token, 1);
  executor->kill(token);
  cluster.jobs[0].batch = "of somebody else";  // who got the id, because a controller forgot ours
  for (std::uint64_t beat = 2; beat <= 60; ++beat) {
    agent.pulse(token, beat);
    poll_for(2);
  }
  EXPECT_THAT(cluster.cancelled, IsEmpty());
}

TEST_F(SlurmExecutorTest, AJobThatIsBackInTheQueueIsLostOnceItsFirstStartIsSilent) {
  const std::string token = start();
  poll();
  ASSERT_TRUE(agent.claim(token, "1"));
  agent.pulse(token, 1);
  cluster.jobs[0].reason = "BeginTime";
  const auto ended = poll_for(60);
  ASSERT_EQ(ended.size(), 1u);
  EXPECT_EQ(ended[0].job_state, "PREEMPTED");
  executor->leave();
  EXPECT_THAT(cluster.cancelled, ElementsAre("1"));
}

TEST_F(SlurmExecutorTest, AJobThatSucceedsWithoutARecordWasASecondStart) {
  const std::string token = start();
  poll();
  ASSERT_TRUE(agent.claim(token, "1"));
  agent.pulse(token, 1);
  cluster.jobs[0].state = "COMPLETED";
  const auto ended = poll_for(60);
  ASSERT_EQ(ended.size(), 1u);
  EXPECT_EQ(ended[0].job_state, "PREEMPTED");
}

TEST_F(SlurmExecutorTest, AJobThatRunsWithoutASignOfLifeIsCancelledAfterTenMinutes) {
  const std::string token = start();
  poll();
  ASSERT_TRUE(agent.claim(token, "1"));
  agent.pulse(token, 1);
  cluster.jobs[0].state = "RUNNING";
  EXPECT_THAT(poll_for(590), IsEmpty());
  EXPECT_THAT(cluster.cancelled, IsEmpty());
  const auto ended = poll_for(120);
  EXPECT_THAT(cluster.cancelled, ElementsAre("1"));
  ASSERT_EQ(ended.size(), 1u);
  EXPECT_EQ(ended[0].job_state, "NODE_FAIL");
}

TEST_F(SlurmExecutorTest, AnAgentThatEndedBeforeItsTimeLimitSaysWhySlurmDoesNot) {
  const std::string token = start_running();
  poll_for(10);
  Ended record{.token = token, .code = -1, .signal = SIGTERM};
  record.stopped_by_slurm = true;
  record.job_state = "TIMEOUT";
  ASSERT_TRUE(agent.write_ended(record));
  cluster.jobs[0].state = "COMPLETED";
  const auto ended = poll_for(5);
  ASSERT_EQ(ended.size(), 1u);
  EXPECT_EQ(ended[0].job_state, "TIMEOUT");
}

TEST_F(SlurmExecutorTest, AsksSlurmWhyAJobWasStopped) {
  const std::string token = start_running();
  poll_for(10);
  end(token, true);
  EXPECT_THAT(poll_for(2), IsEmpty());
  cluster.jobs[0].state = "TIMEOUT";
  const auto ended = poll_for(5);
  ASSERT_EQ(ended.size(), 1u);
  EXPECT_EQ(ended[0].job_state, "TIMEOUT");
}

TEST_F(SlurmExecutorTest, AJobThatWasStoppedForASecondStartOfItselfWasPutBack) {
  for (const bool is_second : {true, false}) {
    const std::string token = start_running();
    poll_for(10);
    if (is_second) agent.note_second_start(token);
    end(token, true);
    cluster.jobs.back().state = "COMPLETED";
    const auto ended = poll_for(5);
    ASSERT_EQ(ended.size(), 1u);
    EXPECT_EQ(ended[0].job_state, is_second ? "PREEMPTED" : "");
  }
}

TEST_F(SlurmExecutorTest, CancelsAJobThatWasPutBackIntoTheQueue) {
  const std::string token = start_running();
  poll_for(10);
  end(token, true);
  cluster.jobs[0].state = "PENDING";
  const auto ended = poll_for(5);
  ASSERT_EQ(ended.size(), 1u);
  EXPECT_EQ(ended[0].job_state, "PREEMPTED");
  EXPECT_THAT(cluster.cancelled, ElementsAre("1"));
}

TEST_F(SlurmExecutorTest, CancelsTheHeldSecondStartOfAJobOnceTheFirstHasEnded) {
  const std::string token = start(), other = start();
  poll();
  ASSERT_TRUE(agent.claim(token, "1"));
  cluster.jobs[0].reason = "launch failed requeued held";
  for (std::uint64_t beat = 1; beat <= 30; ++beat) {
    agent.pulse(token, beat);
    EXPECT_THAT(poll_for(2), IsEmpty());
  }
  EXPECT_THAT(cluster.cancelled, IsEmpty());
  end(token);
  EXPECT_EQ(poll_for(60).size(), 1u);
  EXPECT_THAT(cluster.cancelled, ElementsAre("1_0"));
}

TEST_F(SlurmExecutorTest, LeavesAHeldJobThatNobodyBeganToTheUserAndSaysSoOnce) {
  start();
  poll();
  cluster.jobs[0].reason = "JobHeldUser";
  EXPECT_THAT(poll_for(600), IsEmpty());
  EXPECT_THAT(cluster.cancelled, IsEmpty());
  EXPECT_THAT(told, ElementsAre("job 1 of Slurm is held (JobHeldUser) and will not start: "
                                "`scontrol release 1` lets it start, `scancel 1` ends it"));
}

TEST_F(SlurmExecutorTest, SaysOnceThatTheControllerDoesNotAnswer) {
  start();
  poll();
  cluster.is_down = true;
  poll_for(600);
  ASSERT_EQ(told.size(), 1u);
  EXPECT_THAT(told[0], testing::HasSubstr("has not answered for"));
  cluster.is_down = false;
  poll_for(100);
  EXPECT_THAT(told, ElementsAre(told[0], "the controller of Slurm answers again"));
}

TEST_F(SlurmExecutorTest, LeavesNoJobOfALaunchThatHasEndedInTheQueue) {
  const std::string token = start();
  poll();
  end(token);
  EXPECT_EQ(poll().size(), 1u);
  cluster.jobs[0].reason = "launch failed requeued held";
  executor->leave();
  EXPECT_THAT(cluster.cancelled, ElementsAre("1"));
}

TEST_F(SlurmExecutorTest, AsksLessOftenTheLongerNothingChanges) {
  start();
  poll_for(600);
  EXPECT_LT(cluster.asked, 40);
}

TEST_F(SlurmExecutorTest, TellsWhereItsLaunchesAreAndWhyTheyWait) {
  const std::string first = start(), second = start();
  poll();
  JobBoard board(files, store.path());
  EXPECT_EQ(executor->whereabouts(first), "job 1_0 pending");
  EXPECT_EQ(board.read().at(first).id, "1_0") << "as soon as it is submitted";
  cluster.jobs[0].reason = "Resources";
  cluster.jobs[1].reason = "JobHeldAdmin";
  poll_for(10);
  EXPECT_EQ(executor->whereabouts(first), "job 1_0 pending: Resources");
  EXPECT_EQ(executor->whereabouts(second), "job 1_1 held: JobHeldAdmin");
  cluster.jobs[0] = {
      .id = "1_0", .batch = cluster.jobs[0].batch, .index = 0, .state = "RUNNING", .nodes = "n1"};
  poll_for(60);
  EXPECT_EQ(executor->whereabouts(first), "job 1_0 running on n1");
  EXPECT_EQ(board.read().at(first).node, "n1");
  EXPECT_EQ(executor->whereabouts("unknown"), "");
}

TEST_F(SlurmExecutorTest, EndsAWaitingJobAtOnceAndCancelsItWhenTheControllerAnswers) {
  const std::string token = start();
  poll();
  EXPECT_TRUE(executor->waits(token));
  cluster.is_down = true;
  executor->terminate(token);
  EXPECT_FALSE(*agent.claim(token, "1")) << "it begins no more";
  const auto ended = poll();
  EXPECT_THAT(cluster.cancelled, IsEmpty());
  cluster.is_down = false;
  EXPECT_THAT(poll_for(60), IsEmpty());
  EXPECT_THAT(cluster.cancelled, ElementsAre("1"));
  ASSERT_EQ(ended.size(), 1u);
  EXPECT_EQ(ended[0].signal, SIGTERM);
  EXPECT_EQ(ended[0].job_state, "");
}

TEST_F(SlurmExecutorTest, EndsARunningJobByItsAgentAndCancelsOneThatHangs) {
  const std::string token = start();
  poll();
  ASSERT_TRUE(agent.claim(token, "1"));
  EXPECT_FALSE(executor->waits(token));
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
  const Launch inside = start_inside(server);
  poll();
  EXPECT_EQ(cluster.submitted.size(), 1u);
  EXPECT_THAT(agent.asked_of(server), ElementsAre(inside.token));
  end(server);
  EXPECT_EQ(poll().size(), 1u);
  const auto ended = poll_for(60);
  ASSERT_EQ(ended.size(), 1u) << "it cannot outlive its server";
  EXPECT_TRUE(ended[0].guardian_lost);
}

// Only the end of its server's job tells why it was stopped.
TEST_F(SlurmExecutorTest, AStoppedMeasurementIsReportedWithItsServer) {
  const std::string server = start_running();
  const Launch inside = start_inside(server);
  end(inside.token, true);
  for (std::uint64_t beat = 1; beat <= 60; ++beat) {  // the server takes its time to end
    agent.pulse(server, beat);
    EXPECT_THAT(poll_for(2), IsEmpty());
  }
  end(server, true);
  cluster.jobs[0].state = "PREEMPTED";
  const auto ended = poll_for(20);
  ASSERT_EQ(ended.size(), 2u);
  EXPECT_EQ(ended[0].token, server);
  EXPECT_EQ(ended[0].job_state, "PREEMPTED");
  EXPECT_EQ(ended[1].token, inside.token);
}

TEST_F(SlurmExecutorTest, AMeasurementThatDoesNotEndTakesTheJobOfItsServerAlong) {
  const std::string server = start_running();
  const Launch inside = start_inside(server);
  executor->kill(inside.token);
  EXPECT_EQ(agent.asked_signal(inside.token), SIGKILL);
  std::uint64_t beat = 0;
  const auto beat_and_poll = [&] {
    agent.pulse(server, ++beat);
    EXPECT_THAT(poll_for(1), IsEmpty());
  };
  while (beat < 59) beat_and_poll();
  EXPECT_THAT(cluster.cancelled, IsEmpty());
  while (beat < 62) beat_and_poll();
  EXPECT_THAT(cluster.cancelled, ElementsAre("1"));
}

// Its node is dead, which the controller notices only minutes later.
TEST_F(SlurmExecutorTest, AMeasurementOfASilentAgentIsOverAndItsServerToEnd) {
  const Launch server = launch();
  ASSERT_TRUE(executor->start(server));
  poll();
  ASSERT_TRUE(agent.claim(server.token, "1"));
  agent.pulse(server.token, 1);
  cluster.jobs[0].state = "RUNNING";
  Launch inside = start_inside(server.token);
  ASSERT_TRUE(agent.claim(inside.token, "1"));
  begin();
  EXPECT_EQ(executor->recover(server, std::nullopt).fate, Recovered::Fate::running);
  EXPECT_EQ(executor->recover(inside, std::nullopt).fate, Recovered::Fate::running);
  executor->kill(inside.token);
  EXPECT_THAT(poll_for(60), IsEmpty()) << "its agent may be busy with what is left of it";
  auto ended = poll_for(5);
  ASSERT_EQ(ended.size(), 1u);
  EXPECT_EQ(ended[0].token, inside.token);
  EXPECT_EQ(ended[0].signal, SIGKILL);
  EXPECT_THAT(cluster.cancelled, ElementsAre("1"));
  EXPECT_EQ(agent.asked_signal(server.token), SIGKILL)
      << "an agent that comes back would measure the server twice at a time";
  end(inside.token);  // it has come back
  ended = poll_for(60);
  ASSERT_EQ(ended.size(), 1u) << "what it writes counts for nothing";
  EXPECT_EQ(ended[0].token, server.token);
  EXPECT_EQ(ended[0].job_state, "NODE_FAIL");
}

TEST_F(SlurmExecutorTest, ASuspendedJobIsNotCancelledForAMeasurementThatDoesNotEnd) {
  const std::string server = start_running();
  agent.pulse(server, 1);
  const Launch inside = start_inside(server);
  poll_for(70);  // the controller is now asked seldom
  cluster.jobs[0].state = "SUSPENDED";
  executor->kill(inside.token);
  EXPECT_THAT(poll_for(600), IsEmpty());
  EXPECT_THAT(cluster.cancelled, IsEmpty());
  EXPECT_EQ(agent.asked_signal(inside.token), SIGKILL) << "which its agent reads when it is back";
  EXPECT_EQ(agent.asked_signal(server), 0);
}

TEST_F(SlurmExecutorTest, AMeasurementThatIsTakenOverIsHeardThroughItsServer) {
  const Launch server = launch();
  ASSERT_TRUE(executor->start(server));
  poll();
  ASSERT_TRUE(agent.claim(server.token, "1"));
  cluster.jobs[0].state = "RUNNING";
  Launch inside = start_inside(server.token);
  ASSERT_TRUE(agent.claim(inside.token, "1"));
  begin();
  executor->hold(server, std::nullopt);
  inside.place.within.clear();  // whoever takes it over does not know
  EXPECT_EQ(executor->recover(inside, std::nullopt).fate, Recovered::Fate::running);
  for (std::uint64_t beat = 1; beat <= 20; ++beat) {
    agent.pulse(server.token, beat);
    EXPECT_THAT(poll_for(2), IsEmpty()) << "its server's agent lives";
  }
  EXPECT_EQ(executor->recover(server, std::nullopt).fate, Recovered::Fate::running);
  EXPECT_THAT(poll_for(60), IsEmpty());
}

// Jobs were as unable to write as this was to read.
TEST_F(SlurmExecutorTest, AFileSystemThatWasAwayEndsNoJob) {
  const std::string token = start_running();
  agent.pulse(token, 1);
  poll_for(70);  // it is heard
  clock.time_s += 900;
  EXPECT_THAT(poll_for(300), IsEmpty());
  EXPECT_THAT(cluster.cancelled, IsEmpty());
}

TEST_F(SlurmExecutorTest, ASuspendedJobIsNotSilent) {
  const std::string token = start_running();
  agent.pulse(token, 1);
  poll_for(70);  // it is heard
  cluster.jobs[0].state = "SUSPENDED";
  poll_for(1200);
  cluster.jobs[0].state = "RUNNING";
  poll_for(120);
  EXPECT_THAT(cluster.cancelled, IsEmpty());
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

// The run was dead for longer than the controller remembers jobs.
TEST_F(SlurmExecutorTest, TheAccountingSaysHowForgottenJobsEnded) {
  const Launch first = launch(), second = launch();
  ASSERT_TRUE(executor->start(first));
  ASSERT_TRUE(executor->start(second));
  poll();
  ASSERT_TRUE(agent.claim(first.token, "1"));
  ASSERT_TRUE(agent.claim(second.token, "2"));
  cluster.accounted = std::exchange(cluster.jobs, {});
  cluster.accounted[0].state = "OUT_OF_MEMORY";
  cluster.accounted[1].state = "TIMEOUT";
  begin();
  EXPECT_EQ(executor->recover(first, std::nullopt).fate, Recovered::Fate::running);
  EXPECT_EQ(executor->recover(second, std::nullopt).fate, Recovered::Fate::running);
  std::map<std::string, std::string> states;
  for (const Ended& ended : poll_for(120)) states[ended.token] = ended.job_state;
  EXPECT_EQ(states, (std::map<std::string, std::string>{{first.token, "OUT_OF_MEMORY"},
                                                        {second.token, "TIMEOUT"}}));
  EXPECT_THAT(cluster.accounted_ids, ElementsAre(UnorderedElementsAre("1_0", "1_1")))
      << "one question";
}

TEST_F(SlurmExecutorTest, TheAccountingIsAskedAboutTheJobThatAnAgentNamed) {
  const std::string token = start_running();
  ASSERT_TRUE(agent.write_started(token, {.node = "n1", .job = "1", .ports = {}}));
  ASSERT_TRUE(files.remove_tree(store.file("slurm/jobs.json")));
  cluster.accounted = std::exchange(cluster.jobs, {});
  cluster.accounted[0].state = "NODE_FAIL";
  begin();
  Launch same;
  same.token = token;
  EXPECT_EQ(executor->recover(same, std::nullopt).fate, Recovered::Fate::running);
  const auto ended = poll_for(120);
  ASSERT_EQ(ended.size(), 1u);
  EXPECT_EQ(ended[0].job_state, "NODE_FAIL");
  EXPECT_THAT(cluster.accounted_ids, ElementsAre(ElementsAre("1")));
}

TEST_F(SlurmExecutorTest, ALaterJobWithTheIdOfAForgottenOneSaysNothingOfIt) {
  start_running();
  cluster.accounted = std::exchange(cluster.jobs, {});
  cluster.accounted[0].batch = "of somebody else";
  cluster.accounted[0].state = "OUT_OF_MEMORY";
  const auto ended = poll_for(180);
  ASSERT_EQ(ended.size(), 1u);
  EXPECT_TRUE(ended[0].guardian_lost);
  EXPECT_EQ(cluster.accounted_ids.size(), 1u);
  EXPECT_NE(ended[0].job_state, "OUT_OF_MEMORY");
}

TEST_F(SlurmExecutorTest, AsksNoMoreWhereThereIsNoAccounting) {
  cluster.has_accounting = false;
  const std::string first = start(), second = start();
  poll();
  ASSERT_TRUE(agent.claim(first, "1"));
  ASSERT_TRUE(agent.claim(second, "2"));
  cluster.jobs.clear();
  std::size_t ended = 0;
  for (std::uint64_t beat = 1; beat <= 60; ++beat) {  // the second lives longer
    agent.pulse(second, beat);
    ended += poll_for(2).size();
  }
  EXPECT_EQ(ended, 1u);
  EXPECT_EQ(poll_for(60).size(), 1u);
  EXPECT_EQ(cluster.accounted_ids.size(), 1u);
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

TEST_F(SlurmExecutorTest, AsksWhyAJobWasStoppedWhileNoOrchestratorWasThere) {
  const Launch made = launch();
  ASSERT_TRUE(executor->start(made));
  poll();
  cluster.jobs[0].state = "CANCELLED";
  end(made.token, true);
  begin();
  const Recovered found = executor->recover(made, std::nullopt);
  ASSERT_EQ(found.fate, Recovered::Fate::ended);
  EXPECT_EQ(found.ended->job_state, "CANCELLED");
}

TEST_F(SlurmExecutorTest, TakesOverTheLaterOfTwoSubmissionsOfALaunch) {
  const Launch made = launch();
  ASSERT_TRUE(executor->start(made));
  poll();
  cluster.jobs.clear();
  poll_for(20);
  ASSERT_EQ(cluster.submitted.size(), 2u);
  begin();
  EXPECT_EQ(executor->recover(made, std::nullopt).fate, Recovered::Fate::running);
  EXPECT_TRUE(executor->waits(made.token));
}

TEST_F(SlurmExecutorTest, AThousandJobsAreTakenOverWithOneQuestion) {
  std::vector<Launch> many(1000);
  for (Launch& one : many) {
    one = launch();
    ASSERT_TRUE(executor->start(one));
  }
  poll();
  begin();
  const int before = cluster.asked;
  for (const Launch& one : many)
    EXPECT_EQ(executor->recover(one, std::nullopt).fate, Recovered::Fate::running);
  EXPECT_EQ(cluster.asked, before + 1);
}

TEST_F(SlurmExecutorTest, AllJobsWaitOnceForAControllerThatIsAway) {
  std::vector<Launch> some(10);
  for (Launch& one : some) {
    one = launch();
    ASSERT_TRUE(executor->start(one));
  }
  poll();
  begin();
  cluster.is_down = true;
  const double before_s = clock.time_s;
  clock.sleeps = [this](double s) { clock.time_s += s; };
  for (const Launch& one : some)
    EXPECT_EQ(executor->recover(one, std::nullopt).fate, Recovered::Fate::running);
  EXPECT_LE(clock.time_s, before_s + 31);
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
  EXPECT_THAT(run_files.ended(), IsEmpty());
  EXPECT_EQ(run_files.batches().size(), 1u);
}

TEST_F(SlurmExecutorTest, LeavesWhatASuccessorHasSubmitted) {
  SlurmExecutor stopped(files, clock, std::make_unique<FakeSlurm>(cluster),
                        SlurmOptions{.store = store.path()});
  begin();
  const std::string waiting = start(), ended = start();
  poll();
  end(ended);
  stopped.poll(0);  // the first one wakes up
  EXPECT_THAT(cluster.cancelled, IsEmpty());
  EXPECT_EQ(run_files.ended(), std::vector{ended});
  EXPECT_EQ(run_files.batches().size(), 1u);
}

class KilledAgent : public SlurmExecutorTest {
 protected:
  // Of a job on NODE, which is lost.
  void kill_agent_on(const std::string& node) {
    const std::string token = start_running();
    ASSERT_TRUE(agent.write_started(token, {.node = node, .job = "1"}));
    cluster.jobs.at(0).state = "FAILED";
    ASSERT_EQ(poll_for(60).size(), 1u);
  }
  // Leaves; the job that is submitted meanwhile is given to HAPPENS at each look.
  void leave(const std::function<void(JobState&)>& happens) {
    clock.sleeps = [this, happens](double s) {
      clock.time_s += s;
      if (cluster.jobs.size() > 1) happens(cluster.jobs.at(1));
    };
    executor->leave();
  }
};

TEST_F(KilledAgent, ItsNodeIsCleanedByAJobAtTheEnd) {
  kill_agent_on("n1");
  leave([this](JobState& job) {
    agent.forget_unclean("n1");
    job.state = "COMPLETED";
  });
  ASSERT_EQ(cluster.submitted.size(), 2u);
  EXPECT_THAT(cluster.submitted[1].options, testing::Contains("--nodelist=n1"));
  EXPECT_THAT(agent.tokens_of(cluster.submitted[1].comment), IsEmpty());
  EXPECT_THAT(told, IsEmpty());
  EXPECT_THAT(cluster.cancelled, IsEmpty());
}

TEST_F(KilledAgent, ItsNodeIsCleanedByAnotherJobThatBeginsThere) {
  kill_agent_on("n1");
  agent.forget_unclean("n1");
  leave([](JobState&) {});
  EXPECT_EQ(cluster.submitted.size(), 1u);
}

TEST_F(KilledAgent, ItsNodeIsCleanedByTheNextOrchestratorToo) {
  kill_agent_on("n1");
  begin();
  leave([](JobState& job) { job.state = "COMPLETED"; });
  EXPECT_EQ(cluster.submitted.size(), 2u);
}

TEST_F(KilledAgent, ANodeThatIsNotAvailableIsNamedOnceAndTheJobCancelled) {
  kill_agent_on("n1");
  const double before_s = clock.time_s;
  leave([](JobState& job) { job.reason = "ReqNodeNotAvail,_UnavailableNodes:n1"; });
  EXPECT_THAT(told, ElementsAre(testing::HasSubstr("node n1 may still have temporary files")));
  EXPECT_THAT(cluster.cancelled, ElementsAre("2"));
  EXPECT_LT(clock.time_s, before_s + 10);
  begin();
  leave([](JobState&) {});
  EXPECT_EQ(cluster.submitted.size(), 2u);
}

TEST_F(KilledAgent, ABusyNodeIsNotWaitedForLong) {
  kill_agent_on("n1");
  const double before_s = clock.time_s;
  leave([](JobState& job) { job.reason = "Resources"; });
  EXPECT_EQ(told.size(), 1u);
  EXPECT_THAT(cluster.cancelled, ElementsAre("2"));
  EXPECT_LT(clock.time_s, before_s + 31);
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
}  // namespace orch::slurm
