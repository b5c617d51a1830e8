#include "run/schedule/support.hpp"

#include <gmock/gmock.h>

namespace orch::schedule {
namespace recover_test {

Lines after_resume(const Sweep& run, std::size_t words = 1) {
  const Lines all = run.started(words);
  if (std::find(all.begin(), all.end(), "--- resumed") == all.end()) return {};
  return {std::find(all.begin(), all.end(), "--- resumed") + 1, all.end()};
}

Lines lost_because(const Sweep& run) {
  Lines reasons;
  for (const Event& event : run.journal.events)
    if (const auto* lost = std::get_if<AttemptLost>(&event)) reasons.push_back(lost->why);
  return reasons;
}

// One second each: download 1000-1001, build and prompts 1001-1002, serve ready at about 1004, then
// bench.
TEST(Recover, ATaskThatStillRunsContinues) {
  Sweep run;
  run.points = one_point();
  run.set_duration("build", 20);
  run.die_at(1003);
  run.run_until_it_dies();
  const auto outcome = run.resume();
  ASSERT_TRUE(outcome);
  EXPECT_EQ(count(run.started(1), "start build"), 1u);
  EXPECT_EQ(count(run.started(1), "take over build"), 0u);  // "take over" is two words
  EXPECT_EQ(count(run.started(2), "take over build"), 1u);
  EXPECT_EQ(outcome->failed + outcome->skipped, 0u);
  EXPECT_GE(run.clock.time_s, 1020);
}

TEST(Recover, ATaskThatEndedBetweenRunsIsPublishedAndNotRepeated) {
  Sweep run;
  run.points = one_point();
  run.set_duration("build", 5);
  run.die_at(1003);
  run.run_until_it_dies();
  run.clock.time_s += 30;
  const auto outcome = run.resume();
  ASSERT_TRUE(outcome);
  EXPECT_EQ(count(run.started(1), "start build"), 1u);
  EXPECT_EQ(outcome->failed + outcome->skipped, 0u);
  for (const plan::Stage& stage : run.plan.stages)
    if (stage.spec.name == "build") {
      EXPECT_TRUE(run.files.exists("/store/artifacts/" + stage.id + "/manifest.json"));
    }
}

TEST(Recover, ATaskThatFailedBetweenRunsHasFailed) {
  Sweep run;
  run.points = one_point();
  run.on("build", {.lasts_s = 5, .code = 3});
  run.die_at(1003);
  run.run_until_it_dies();
  run.clock.time_s += 30;
  const auto outcome = run.resume();
  EXPECT_EQ(outcome->failures_by_class, (std::map<std::string, std::size_t>{{"exit_status", 1}}));
  EXPECT_EQ(count(run.started(1), "start build"), 1u);
}

TEST(Recover, AServerThatIsUpAndForgetsPromptsIsNotRestartedAndItsMeasurementIsRepeated) {
  Sweep run;
  run.points = {point("f16"), point("f16", "4", "64")};
  run.set_duration("bench", 10);
  run.executor.on_time = [&](double time_s) {
    const auto benches =
        std::count_if(run.executor.diary.begin(), run.executor.diary.end(),
                      [](const std::string& line) { return line.starts_with("start bench"); });
    if (benches == 2 && time_s > 1000) {  // one is done, one is under way
      run.executor.on_time = nullptr;
      throw Sweep::Died{};
    }
  };
  run.run_until_it_dies();
  const auto outcome = run.resume();
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->failed + outcome->skipped, 0u);
  const Lines all = run.started(1);
  EXPECT_EQ(count(all, "start serve"), 1u);
  EXPECT_EQ(count(all, "start bench"), 3u);
  EXPECT_EQ(after_resume(run), (Lines{"start bench", "term serve"}));
  EXPECT_EQ(lost_because(run), (Lines{"a measurement is not taken over but repeated"}));
}

TEST(Recover, AServerThatMayHaveCachedThePromptsOfABrokenOffMeasurementIsRestarted) {
  Sweep run;
  run.forgets_prompts = false;
  run.points = one_point();
  run.set_duration("bench", 10);
  run.executor.on_time = [&](double time_s) {
    if (time_s > 1000 && run.executor.diary.back().starts_with("start bench")) {
      run.executor.on_time = nullptr;
      throw Sweep::Died{};
    }
  };
  run.run_until_it_dies();
  ASSERT_TRUE(run.resume());
  EXPECT_EQ(count(run.started(1), "start serve"), 2u);
  EXPECT_THAT(lost_because(run),
              testing::Contains("it may have cached the prompts of a measurement "
                                "that was broken off"));
}

TEST(Recover, AServerIsTakenOverBeforeItsMeasurement) {
  Sweep run;
  run.points = one_point();
  run.set_duration("bench", 10);
  run.tokens = 500;  // the token of the measurement is to come first
  run.on("serve", [&](const auto&, Behaviour normal) {
    run.tokens = 0;
    return normal;
  });
  run.die_when_starts("bench");
  run.run_until_it_dies();
  ASSERT_TRUE(run.resume());
  Lines order;
  for (const std::string& line : run.executor.diary)
    if (line.starts_with("take over ")) order.push_back(line.substr(10, line.find(' ', 10) - 10));
  EXPECT_EQ(order, (Lines{"serve", "bench"}));
}

TEST(Recover, AServerThatWasStartingIsWaitedFor) {
  Sweep run;
  run.points = one_point();
  run.readiness.after_s = 10;
  run.die_when_starts("serve");
  run.run_until_it_dies();
  EXPECT_EQ(run.resume()->failed, 0u);
  EXPECT_EQ(count(run.started(1), "start serve"), 1u);
}

TEST(Recover, AServerThatDiedMeanwhileIsRestarted) {
  Sweep run;
  run.points = one_point();
  run.set_duration("bench", 10);
  run.die_at(1004.5);
  run.run_until_it_dies();
  run.executor.die("serve", SIGSEGV);
  run.clock.time_s += 1;
  const auto outcome = run.resume();
  EXPECT_EQ(outcome->failed, 0u);
  EXPECT_EQ(count(after_resume(run), "start serve"), 1u);
  EXPECT_EQ(lost_because(run).front(), "its server ended");
}

TEST(Recover, AServerThatNoLongerAnswersIsRestartedWithoutAFailure) {
  Sweep run;
  run.points = one_point();
  run.set_duration("bench", 10);
  run.die_at(1004.5);
  run.run_until_it_dies();
  run.readiness.then = {attempt::Health::failed, "not ready after 30 s: connection refused"};
  run.executor.on_time = [&](double) {
    if (count(after_resume(run), "term serve")) run.readiness.then = {attempt::Health::ready, ""};
  };
  const auto outcome = run.resume();
  EXPECT_EQ(outcome->failed, 0u);
  EXPECT_EQ(count(after_resume(run), "start serve"), 1u);
}

TEST(Recover, NothingIsStartedBeforeRecoveryIsComplete) {
  Sweep run;
  for (const char* precision : {"a", "b", "c"}) run.points.push_back(point(precision));
  run.executor.behave = [&](const execute::Launch& launch) {
    Behaviour behaviour = run.normal(launch);
    if (launch.argv[0] != "serve") behaviour.lasts_s = 50;
    return behaviour;
  };
  run.die_at(1060);
  run.run_until_it_dies();
  EXPECT_EQ(run.resume()->failed, 0u);
  const auto& diary = run.executor.diary;
  const auto resumed = std::find(diary.begin(), diary.end(), "--- resumed");
  EXPECT_TRUE(std::none_of(resumed, diary.end(),
                           [](const std::string& line) { return line.starts_with("take over"); }));
  EXPECT_EQ(run.executor.most_at_once, 2u);
}

TEST(Recover, AProcessThatNoStageNeedsIsEnded) {
  Sweep run;
  run.points = {point("f16")};
  run.set_duration("build f16", 500);
  run.die_at(1003);
  run.run_until_it_dies();
  run.points = {point("q8")};
  EXPECT_EQ(run.resume()->failed, 0u);
  EXPECT_EQ(count(run.started(2), "kill build f16"), 1u);
  EXPECT_EQ(lost_because(run), (Lines{"no stage needs it any more"}));
}

TEST(Recover, AnIntentThatWasNeverStartedIsDiscarded) {
  Sweep run;
  run.points = one_point();
  bool died = false;
  run.on("build", [&](const auto&, Behaviour normal) {
    if (!std::exchange(died, true)) throw Sweep::Died{};  // before it was started
    return normal;
  });
  run.run_until_it_dies();
  const auto outcome = run.resume();
  EXPECT_EQ(outcome->failed, 0u);
  EXPECT_EQ(lost_because(run),
            (Lines{"it was never started", "it was never started"}));  // the prompts were to follow
}

TEST(Recover, AProcessOnAnotherHostIsNotTouched) {
  Sweep run;
  run.points = one_point();
  run.set_duration("download", 50);
  run.die_at(1003);
  run.run_until_it_dies();
  run.host = "elsewhere";
  EXPECT_EQ(run.resume()->failed, 0u);
  EXPECT_EQ(lost_because(run),
            (Lines{"it ran on here, whose run is gone; it ends there by itself"}));
  EXPECT_EQ(count(run.started(1), "kill download"), 0u);
}

// A process that ends while another plan runs.
TEST(Recover, TheEndOfAProcessThatOnlyALaterPlanNeedsIsKeptForIt) {
  Sweep run;
  run.points = one_point();
  run.set_duration("build", 5);
  run.die_at(1003);
  run.run_until_it_dies();
  // The first plan: only prompts of another length, which take longer than the build.
  std::vector<Unfinished> unfinished = run.journal.unfinished();
  const plan::Plan before = run.plan;
  for (const plan::Stage& stage : before.stages)
    if (stage.spec.name == "download") run.done.made[stage.digest] = fakes::made_by(1);
  plan::Plan all = run.plan_now();
  attempt::Workspace workspace = run.make_workspace();
  auto found = recover(all, std::move(unfinished),
                       {.journal = run.journal,
                        .executor = run.executor,
                        .workspace = workspace,
                        .clock = run.clock,
                        .host = "here"});
  ASSERT_TRUE(found);
  run.adopted = std::move(*found);
  ASSERT_FALSE(run.adopted.empty());
  run.set_duration("prompts", 60);
  run.points = {point("f16", "4", "64")};
  run.change_plan = [](plan::Plan& made) {
    for (plan::Stage& stage : made.stages)
      if (stage.spec.name != "prompts" && stage.status == plan::Status::run)
        stage.status = plan::Status::idle;
  };
  ASSERT_TRUE(run.run());
  run.change_plan = nullptr;
  run.points = one_point();
  EXPECT_EQ(run.run()->failed, 0u);
}

// A handle that is learnt from a guardian is recorded.
TEST(Recover, AnAdoptedAttemptWithoutARecordedSpawnGetsItsHandleRecorded) {
  Sweep run;
  run.points = one_point();
  run.set_duration("build", 100);
  run.die_at(1003);
  run.run_until_it_dies();
  std::erase_if(run.journal.events, [](const Event& event) {
    const auto* spawned = std::get_if<AttemptSpawned>(&event);
    return spawned && spawned->attempt.stage.starts_with("build");
  });
  run.journal.durable = run.journal.events.size();
  ASSERT_TRUE(run.resume());
  EXPECT_TRUE(
      std::any_of(run.journal.events.begin(), run.journal.events.end(), [](const Event& event) {
        const auto* spawned = std::get_if<AttemptSpawned>(&event);
        return spawned && spawned->attempt.stage.starts_with("build");
      }));
}

// Adopted after Ctrl-C twice: it is ended and its stages are cancelled.
TEST(Recover, AnAdoptedServerIsEndedWhenTheRunIsInterruptedImmediately) {
  Sweep run;
  run.points = one_point();
  run.set_duration("bench", 50);
  run.die_when_starts("bench");
  run.run_until_it_dies();
  run.interrupts.requested = 2;
  const auto outcome = run.resume();
  ASSERT_TRUE(outcome);
  EXPECT_TRUE(outcome->interrupted);
  EXPECT_EQ(decided(*outcome), run.plan.stages.size());
}

// A measurement that was complete between two runs, valid or not; its server died with the first
// one.
TEST(Recover, AMeasurementThatEndedBetweenRunsIsRecordedOnce) {
  for (const int code : {0, execute::k_not_valid_status}) {
    Sweep run;
    run.points = one_point();
    run.on("bench", [code](const execute::Launch&, Behaviour normal) {
      normal.lasts_s = 50;
      normal.code = code;
      return normal;
    });
    run.die_at(1010);
    run.run_until_it_dies();
    run.clock.time_s += 100;
    const auto outcome = run.resume();
    ASSERT_TRUE(outcome);
    EXPECT_EQ(outcome->failed, 0u);
    EXPECT_EQ(count(run.started(1), "start bench"), 1u) << code;
    std::vector<plan::StageId> sessions;
    for (const Event& event : run.journal.events)
      if (const auto* measured = std::get_if<MeasurementProduced>(&event))
        sessions.push_back(measured->session.stage.substr(0, measured->session.stage.find('-')));
    EXPECT_EQ(sessions, (std::vector<plan::StageId>{"serve"}));
  }
}

// It failed, its outputs were discarded, and the run died before the commit of its end.
TEST(Recover, ADiscardedAttemptWithoutARecordedEndIsLostAndTriedAgain) {
  Sweep run;
  run.points = one_point();
  run.set_duration("build", 5);
  run.die_at(1003);
  run.run_until_it_dies();
  run.clock.time_s += 30;
  ASSERT_TRUE(run.files.remove_tree("/store/attempts/token002/artifact"));
  const auto outcome = run.resume();
  ASSERT_TRUE(outcome);
  ASSERT_EQ(run.journal.failures().size(), 1u);
  EXPECT_EQ(run.journal.failures()[0].failure_class, "lost");
  EXPECT_FALSE(run.files.exists("/store/attempts/token002"));
  EXPECT_EQ(outcome->failed, 0u);
  EXPECT_EQ(count(run.started(1), "start build"), 2u);
}

// The first commit of recovery needs room, and what fills the disk may be the dead run's.
TEST(Recover, MakesRoomOnAFullDiskByTheOutputsThatWillNotBePublished) {
  for (const bool full : {false, true}) {
    Sweep run;
    run.points = {point("failed"), point("lost"), point("made"), point("runs")};
    run.options.jobs = 5;
    run.on("build", [](const auto& launch, Behaviour normal) {
      normal.lasts_s = launch.argv[1] == "runs" ? 100 : 5;
      normal.code = launch.argv[1] == "failed" ? 3 : 0;
      return normal;
    });
    run.die_at(1003);
    run.run_until_it_dies();
    run.clock.time_s += 30;
    std::map<std::string, std::string> outputs;  // by precision
    for (const std::string& line : run.executor.diary)
      if (line.starts_with("start build "))
        outputs[line.substr(12, line.find(' ', 12) - 12)] =
            line.substr(line.rfind(' ') + 1, line.rfind("/out/") - line.rfind(' ') - 1);
    ASSERT_EQ(outputs.size(), 4u);
    const std::string& lost = outputs.at("lost");
    run.executor.lose(lost.substr(16, lost.find('/', 16) - 16));  // "/store/attempts/TOKEN/..."
    if (full) run.files.space.bytes = 0;
    attempt::Workspace workspace = run.make_workspace();
    make_room(run.journal.unfinished(), run.executor, workspace, "here");
    for (const auto& [precision, folder] : outputs)
      EXPECT_EQ(run.files.exists(folder), !full || precision == "made" || precision == "runs")
          << precision;
  }
}

}  // namespace recover_test
}  // namespace orch::schedule
