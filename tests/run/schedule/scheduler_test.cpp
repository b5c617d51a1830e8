#include "run/attempt/stage_environment.hpp"
#include "run/schedule/support.hpp"
#include "run/slurm/slurm.hpp"

namespace orch::schedule {
namespace scheduler_test {

TEST(Scheduler, RunsOnePointFromTheModelToTheMeasurement) {
  Sweep run;
  run.points = one_point();
  const auto outcome = run.run();
  ASSERT_TRUE(outcome) << outcome.error().text();
  EXPECT_EQ(run.started(1), (Lines{"start download", "start build", "start prompts", "start serve",
                                   "start bench", "term serve"}));
  EXPECT_EQ(run.journal.lives(), (Lines{"download: ready intent running produced done",
                                        "build: ready intent running produced done",
                                        "prompts: ready intent running produced done",
                                        "repository: ready intent produced done",
                                        "serve: ready intent starting running stopping done",
                                        "bench: ready intent running produced done"}));
  EXPECT_EQ(outcome->done, 6u);
  EXPECT_EQ(outcome->failed, 0u);
}

TEST(Scheduler, LengthsShareAServerAndBatchSizesDoNot) {
  Sweep run;
  for (const char* precision : {"f16", "q8"})
    for (const char* batch : {"4", "8"})
      for (const char* isl : {"32", "128"}) run.points.push_back(point(precision, batch, isl));
  ASSERT_TRUE(run.run());
  const auto started = run.started(1);
  auto count = [&](const char* line) { return std::count(started.begin(), started.end(), line); };
  EXPECT_EQ(count("start download"), 1);
  EXPECT_EQ(count("start build"), 2);
  EXPECT_EQ(count("start serve"), 4);
  EXPECT_EQ(count("start bench"), 8);
}

TEST(Scheduler, OneProcessMakesTheWholeBatch) {
  Sweep run;
  for (const char* isl : {"32", "128", "512"}) run.points.push_back(point("f16", "4", isl));
  ASSERT_TRUE(run.run());
  const auto started = run.started(1);
  EXPECT_EQ(std::count(started.begin(), started.end(), "start prompts"), 1);
  for (const plan::Stage& stage : run.plan.stages) {
    if (stage.spec.name != "prompts") continue;
    EXPECT_TRUE(run.files.exists("/store/artifacts/" + stage.id + "/out/prompts.jsonl"));
    EXPECT_TRUE(run.files.exists("/store/artifacts/" + stage.id + "/manifest.json"));
  }
}

// Equal words may name files of different folders.
TEST(Scheduler, ABatchHasStagesOfOneRunner) {
  Sweep run;
  for (const char* isl : {"32", "128", "512"}) run.points.push_back(point("f16", "4", isl));
  run.change_plan = [](plan::Plan& made) {
    for (plan::Stage& stage : made.stages)
      if (stage.spec.name == "prompts" && stage.parameters.at("isl").text == "128")
        stage.spec.runner = "another";
  };
  ASSERT_TRUE(run.run());
  const auto started = run.started(1);
  EXPECT_EQ(std::count(started.begin(), started.end(), "start prompts"), 2);
}

TEST(Scheduler, NothingElseRunsWhileAServerLives) {
  Sweep run;
  run.options.jobs = 8;
  for (const char* precision : {"f16", "q8", "q4"}) run.points.push_back(point(precision));
  ASSERT_TRUE(run.run());
  std::size_t servers = 0;
  for (const std::string& line : run.started(1)) {
    EXPECT_TRUE(servers == 0 || line == "start bench" || line == "term serve") << line;
    if (line == "start serve") ++servers;
    if (line == "term serve") --servers;
  }
}

TEST(Scheduler, RunsNoMoreTasksAtOnceThanJobs) {
  Sweep run;
  run.options.jobs = 2;
  for (const char* precision : {"a", "b", "c", "d", "e"}) run.points.push_back(point(precision));
  ASSERT_TRUE(run.run());
  EXPECT_EQ(run.executor.most_at_once, 2u);
}

TEST(Scheduler, OneFailedStageLeavesIndependentOnesRunning) {
  Sweep run;
  run.points = {point("f16"), point("q8")};
  run.on("build q8", [&](const auto& launch, const Behaviour&) {
    run.files.files[launch.log] = "reading\nout of memory: needs 8 GiB, has 4 GiB\n";
    return Behaviour{.code = 3};
  });
  const auto outcome = run.run();
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->failed, 1u);
  EXPECT_EQ(outcome->skipped, 3u);  // repository, serve and bench of q8
  EXPECT_EQ(outcome->done, 6u);
  EXPECT_EQ(outcome->failures_by_class.at("exit_status"), 1u);
  ASSERT_EQ(run.journal.failures().size(), 1u);
  EXPECT_EQ(run.journal.failures()[0].message,
            "ended with exit status 3\nreading\nout of memory: needs 8 GiB, has 4 GiB");
}

TEST(Scheduler, AFailureMessageDoesNotRepeatALogOfOneLine) {
  Sweep run;
  run.points = one_point();
  run.on("build", [&](const auto& launch, const Behaviour&) {
    run.files.files[launch.log] = "build: error: unrecognized arguments: --x\n";
    return Behaviour{.code = 2};
  });
  ASSERT_TRUE(run.run());
  ASSERT_FALSE(run.journal.failures().empty());
  EXPECT_EQ(run.journal.failures()[0].message,
            "ended with exit status 2: build: error: unrecognized arguments: --x");
}

TEST(Scheduler, FailFastStartsNothingMore) {
  Sweep run;
  run.options.jobs = 1;
  run.options.fail_fast = true;
  run.points = {point("f16"), point("q8")};
  run.on("build", {.code = 1});
  ASSERT_TRUE(run.run());
  EXPECT_EQ(run.started(1), (Lines{"start download", "start build"}));
}

TEST(Scheduler, AMissingOutputIsAFailureWhateverTheExitStatus) {
  Sweep run;
  run.points = one_point();
  run.on("build", Behaviour{});
  const auto outcome = run.run();
  EXPECT_EQ(outcome->failures_by_class.at("output_missing"), 1u);
  EXPECT_EQ(run.journal.failures()[0].message, "the output 'engine' is missing or empty");
}

TEST(Scheduler, AProgramThatCannotBeRunIsAFailureOfItsStage) {
  Sweep run;
  run.points = one_point();
  run.manifest.replace(run.manifest.find("/bin/build"), 10, "/bin/missing");
  const auto outcome = run.run();
  EXPECT_EQ(outcome->failures_by_class.at("cannot_start"), 1u);
  EXPECT_EQ(run.journal.failures()[0].message, "cannot run 'missing': no such program");
}

TEST(Scheduler, AStageOverItsTimeoutGetsTermAndThenKill) {
  Sweep run;
  run.points = one_point();
  run.on("build", {.lasts_s = Sweep::k_forever, .ignores_term = true});
  const auto outcome = run.run();
  EXPECT_EQ(run.started(1),
            (Lines{"start download", "start build", "start prompts", "term build", "kill build"}));
  EXPECT_EQ(run.journal.failures()[0].failure_class, "timeout");
  EXPECT_EQ(run.journal.failures()[0].message, "did not end within 100 s");
  EXPECT_EQ(outcome->skipped, 3u);
}

TEST(Scheduler, ATimeoutDoesNotWaitForTheNextTick) {
  Sweep run;
  run.points = one_point();
  run.manifest.replace(run.manifest.find("timeout_s: 100"), 14, "timeout_s: 100.3");
  run.on("build", {.lasts_s = Sweep::k_forever, .ignores_term = true});
  ASSERT_TRUE(run.run());
  EXPECT_NEAR(run.clock.time_s, 1000 + 1 + 100.3 + 10,
              1e-6);  // download, build's time, the grace period
}

// Its processes would go on without a record; jobs go on in the run that has taken the store over.
TEST(Scheduler, WithoutAJournalItsProcessesEndAndJobsOfAStoreThatWasTakenOverGoOn) {
  const auto kills = [](const execute::Placement& placement, ErrorKind kind) {
    Sweep run;
    run.points = one_point();
    run.executor.placed = placement;
    run.journal.fail_at_commit = 2;  // the download runs
    run.journal.fails_as = kind;
    EXPECT_EQ(run.run().error().kind, kind);
    return std::count_if(run.executor.diary.begin(), run.executor.diary.end(),
                         [](const std::string& line) { return line.starts_with("kill "); });
  };
  EXPECT_EQ(kills({}, ErrorKind::io), 1);
  EXPECT_EQ(kills({}, ErrorKind::conflict), 1);
  EXPECT_EQ(kills(slurm::k_jobs, ErrorKind::io), 1);
  EXPECT_EQ(kills(slurm::k_jobs, ErrorKind::conflict), 0);
}

TEST(Scheduler, DeathByAForeignSignalIsReported) {
  Sweep run;
  run.points = one_point();
  run.on("build", {.signal = SIGKILL});
  EXPECT_EQ(run.run()->failures_by_class.at("killed_externally"), 1u);
}

TEST(Scheduler, OneMemberOfABatchThatLacksItsOutputFailsAlone) {
  Sweep run;
  run.points = {point("f16"), point("f16", "4", "64")};
  run.on("prompts", [&](const auto&, Behaviour normal) {
    normal.writes.erase(normal.writes.begin());
    return normal;
  });
  const auto outcome = run.run();
  EXPECT_EQ(outcome->failures_by_class.at("output_missing"), 1u);
  EXPECT_EQ(outcome->skipped, 1u);
  EXPECT_EQ(outcome->done, 6u);
}

TEST(Scheduler, MembersOfABatchNameTheProcessThatRan) {
  Sweep run;
  run.points = {point("f16"), point("f16", "4", "64")};
  ASSERT_TRUE(run.run());
  std::set<std::string> commands, logs;
  for (const Event& event : run.journal.events) {
    const auto* intended = std::get_if<AttemptIntended>(&event);
    if (!intended || !intended->attempt.stage.starts_with("prompts")) continue;
    commands.insert(intended->argv.at(1));
    logs.insert(intended->log);
  }
  EXPECT_EQ(commands.size(), 1u);
  ASSERT_EQ(logs.size(), 1u);
  EXPECT_TRUE(logs.begin()->starts_with("logs/prompts-")) << *logs.begin();
}

TEST(Scheduler, AFolderThatCannotBeMadeIsARecordedFailureAndRetried) {
  Sweep run;
  run.points = one_point();
  run.files.fail_on = "put /store/attempts/token003/jobs.json";
  const auto outcome = run.run();
  EXPECT_EQ(outcome->done, 6u);
  ASSERT_EQ(run.journal.failures().size(), 1u);
  EXPECT_EQ(run.journal.failures()[0].failure_class, "disk_full");
  EXPECT_TRUE(run.journal.failures()[0].attempt.stage.starts_with("prompts"));
}

TEST(Scheduler, FinishedStagesAreReusedAndNothingStarts) {
  Sweep run;
  run.points = one_point();
  ASSERT_TRUE(run.run());
  for (const plan::Stage& stage : run.plan.stages) run.done.made[stage.digest] = fakes::made_by(1);
  run.executor.diary.clear();
  const auto outcome = run.run();
  EXPECT_EQ(run.executor.diary, Lines{});
  EXPECT_EQ(outcome->reused, 6u);
}

TEST(Environment, HoldsTheAllowListAndNoSecrets) {
  const auto environment = attempt::stage_environment(
      {{"PATH", "/bin"}, {"HF_TOKEN", "s"}, {"PIP_CERT", "c"}, {"HOME", "/root"}}, {"PIP_*"},
      {{"PATH", "/venv/bin"}, {"X", "1"}});
  EXPECT_EQ(environment, (std::map<std::string, std::string>{{"PATH", "/venv/bin"},
                                                             {"X", "1"},
                                                             {"PIP_CERT", "c"},
                                                             {"HOME", "/root"},
                                                             {"PYTHONDONTWRITEBYTECODE", "1"}}));
}

}  // namespace scheduler_test
}  // namespace orch::schedule
