#include "schedule/stage_state.hpp"
#include "schedule/support.hpp"

namespace orch::schedule {
namespace {

TEST(Scheduler, DoesOnePointFromTheModelToTheMeasurement) {
  Sweep run;
  run.points = one_point();
  const auto outcome = run.run();
  ASSERT_TRUE(outcome) << outcome.error().text();
  EXPECT_EQ(run.started(1), (Lines{"start download", "start build", "start prompts", "start serve", "start bench", "term serve"}));
  EXPECT_EQ(run.journal.lives(), (Lines{"download: ready intent running produced done", "build: ready intent running produced done", "prompts: ready intent running produced done",
                                        "repository: ready intent produced done", "serve: ready intent starting running stopping done", "bench: ready intent running produced done"}));
  EXPECT_EQ(outcome->done, 6u);
  EXPECT_EQ(outcome->failed, 0u);
}

TEST(Scheduler, LengthsShareAServerAndBatchSizesDoNot) {
  Sweep run;
  for (const char* precision : {"f16", "q8"})
    for (const char* batch : {"4", "8"})
      for (const char* isl : {"32", "128"}) run.points.push_back({{"precision", precision}, {"batch_size", batch}, {"isl", isl}});
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
  for (const char* isl : {"32", "128", "512"}) run.points.push_back({{"precision", "f16"}, {"batch_size", "4"}, {"isl", isl}});
  ASSERT_TRUE(run.run());
  const auto started = run.started(1);
  EXPECT_EQ(std::count(started.begin(), started.end(), "start prompts"), 1);
  for (const plan::Stage& stage : run.plan.stages) {
    if (stage.spec.name != "prompts") continue;
    EXPECT_TRUE(run.files.exists("/store/artifacts/" + stage.id + "/out/prompts.jsonl"));
    EXPECT_TRUE(run.files.exists("/store/artifacts/" + stage.id + "/manifest.json"));
  }
}

TEST(Scheduler, NothingElseRunsWhileAServerLives) {
  Sweep run;
  run.options.jobs = 8;
  for (const char* precision : {"f16", "q8", "q4"}) run.points.push_back({{"precision", precision}, {"batch_size", "4"}, {"isl", "32"}});
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
  for (const char* precision : {"a", "b", "c", "d", "e"}) run.points.push_back({{"precision", precision}, {"batch_size", "4"}, {"isl", "32"}});
  ASSERT_TRUE(run.run());
  EXPECT_EQ(run.executor.most_at_once, 2u);
}

TEST(Scheduler, OneFailedStageLeavesIndependentOnesRunning) {
  Sweep run;
  run.points = {{{"precision", "f16"}, {"batch_size", "4"}, {"isl", "32"}}, {{"precision", "q8"}, {"batch_size", "4"}, {"isl", "32"}}};
  run.executor.behave = [&](const execute::Launch& launch) {
    if (launch.argv[0] != "build" || launch.argv[1] != "q8") return run.normal(launch);
    run.files.files[launch.log] = "reading\nout of memory: needs 8 GiB, has 4 GiB\n";
    return Behaviour{.code = 3};
  };
  const auto outcome = run.run();
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->failed, 1u);
  EXPECT_EQ(outcome->skipped, 3u);  // repository, serve and bench of q8
  EXPECT_EQ(outcome->done, 6u);
  EXPECT_EQ(outcome->failures_by_class.at("exit_status"), 1u);
  ASSERT_EQ(run.journal.failures().size(), 1u);
  EXPECT_EQ(run.journal.failures()[0].message, "ended with exit status 3\nreading\nout of memory: needs 8 GiB, has 4 GiB");
}

TEST(Scheduler, FailFastStartsNothingMore) {
  Sweep run;
  run.options.jobs = 1;
  run.options.fail_fast = true;
  run.points = {{{"precision", "f16"}, {"batch_size", "4"}, {"isl", "32"}}, {{"precision", "q8"}, {"batch_size", "4"}, {"isl", "32"}}};
  run.executor.behave = [&](const execute::Launch& launch) { return launch.argv[0] == "build" ? Behaviour{.code = 1} : run.normal(launch); };
  ASSERT_TRUE(run.run());
  EXPECT_EQ(run.started(1), (Lines{"start download", "start build"}));
}

TEST(Scheduler, AMissingOutputIsAFailureWhateverTheExitStatus) {
  Sweep run;
  run.points = one_point();
  run.executor.behave = [&](const execute::Launch& launch) { return launch.argv[0] == "build" ? Behaviour{} : run.normal(launch); };
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

TEST(Scheduler, AStageOverItsTimeIsAskedAndThenKilled) {
  Sweep run;
  run.points = one_point();
  run.executor.behave = [&](const execute::Launch& launch) { return launch.argv[0] == "build" ? Behaviour{.lasts_s = Sweep::k_forever, .ignores_term = true} : run.normal(launch); };
  const auto outcome = run.run();
  EXPECT_EQ(run.started(1), (Lines{"start download", "start build", "start prompts", "term build", "kill build"}));
  EXPECT_EQ(run.journal.failures()[0].failure_class, "timeout");
  EXPECT_EQ(run.journal.failures()[0].message, "did not end within 100 s");
  EXPECT_EQ(outcome->skipped, 3u);
}

TEST(Scheduler, TimeIsOverWhenItIsOverAndNotAtTheNextTick) {
  Sweep run;
  run.points = one_point();
  run.manifest.replace(run.manifest.find("timeout_s: 100"), 14, "timeout_s: 100.3");
  run.executor.behave = [&](const execute::Launch& launch) { return launch.argv[0] == "build" ? Behaviour{.lasts_s = Sweep::k_forever, .ignores_term = true} : run.normal(launch); };
  ASSERT_TRUE(run.run());
  EXPECT_NEAR(run.clock.time_s, 1000 + 1 + 100.3 + 10, 1e-6);  // download, build's time, the grace period
}

TEST(Scheduler, OutputsAreDurableBeforeTheyAreVisible) {
  Sweep run;
  run.points = one_point();
  ASSERT_TRUE(run.run());
  const auto& diary = run.files.diary;
  const auto renamed = std::find_if(diary.begin(), diary.end(), [](const std::string& line) { return line.starts_with("rename "); });
  ASSERT_NE(renamed, diary.end());
  EXPECT_NE(std::find(diary.begin(), renamed, "sync /store/attempts/token001/artifact"), renamed);
}

TEST(Scheduler, DeathBySomebodyElsesSignalIsSaid) {
  Sweep run;
  run.points = one_point();
  run.executor.behave = [&](const execute::Launch& launch) { return launch.argv[0] == "build" ? Behaviour{.signal = SIGKILL} : run.normal(launch); };
  EXPECT_EQ(run.run()->failures_by_class.at("killed_externally"), 1u);
}

TEST(Scheduler, AServerThatDiesWhileStartingIsReportedAtOnceWithItsLog) {
  Sweep run;
  run.points = one_point();
  run.readiness.after_s = 60;
  run.executor.behave = [&](const execute::Launch& launch) {
    if (launch.argv[0] != "serve") return run.normal(launch);
    run.files.files[launch.log] = "loading\nfailed to load 'tensorrt_llm'\n";
    return Behaviour{.lasts_s = 3, .code = 1};
  };
  const auto outcome = run.run();
  EXPECT_EQ(outcome->failures_by_class.at("died_starting"), 1u);
  EXPECT_EQ(run.journal.failures()[0].message, "ended with exit status 1 while starting\nloading\nfailed to load 'tensorrt_llm'");
  EXPECT_LT(run.clock.time_s, 1010);  // not after the minute that readiness takes
  EXPECT_EQ(run.journal.lives().back(), "bench: skipped");
}

TEST(Scheduler, AServerThatIsNeverReadyIsEnded) {
  Sweep run;
  run.points = one_point();
  run.readiness.then = {execute::Health::failed, "not ready after 120 s: http://127.0.0.1:20000/ready answers 400"};
  const auto outcome = run.run();
  EXPECT_EQ(outcome->failures_by_class.at("not_ready"), 1u);
  EXPECT_EQ(run.started(1).back(), "term serve");
}

TEST(Scheduler, ADeadServerFailsItsPointsAndNotTheNextServers) {
  Sweep run;
  run.points = {{{"precision", "f16"}, {"batch_size", "4"}, {"isl", "32"}}, {{"precision", "f16"}, {"batch_size", "4"}, {"isl", "64"}}, {{"precision", "q8"}, {"batch_size", "4"}, {"isl", "32"}}};
  run.executor.behave = [&](const execute::Launch& launch) {
    if (launch.argv[0] == "bench" && launch.argv[1] == "f16") {
      run.executor.die("serve f16", SIGSEGV);
      return Behaviour{.lasts_s = 5, .code = 1};
    }
    return run.normal(launch);
  };
  const auto outcome = run.run();
  EXPECT_EQ(outcome->failures_by_class, (std::map<std::string, std::size_t>{{"died_serving", 2}}));  // the server, and what was measured on it
  EXPECT_EQ(outcome->skipped, 1u);
  const auto started = run.started(2);
  EXPECT_EQ(std::count(started.begin(), started.end(), "start bench q8"), 1);
}

TEST(Scheduler, OneMemberOfABatchThatLacksItsOutputFailsAlone) {
  Sweep run;
  run.points = {{{"precision", "f16"}, {"batch_size", "4"}, {"isl", "32"}}, {{"precision", "f16"}, {"batch_size", "4"}, {"isl", "64"}}};
  run.executor.behave = [&](const execute::Launch& launch) {
    Behaviour behaviour = run.normal(launch);
    if (launch.argv[0] == "prompts") behaviour.writes.erase(behaviour.writes.begin());
    return behaviour;
  };
  const auto outcome = run.run();
  EXPECT_EQ(outcome->failures_by_class.at("output_missing"), 1u);
  EXPECT_EQ(outcome->skipped, 1u);
  EXPECT_EQ(outcome->done, 6u);
}

TEST(Scheduler, MembersOfABatchNameTheProcessThatRan) {
  Sweep run;
  run.points = {{{"precision", "f16"}, {"batch_size", "4"}, {"isl", "32"}}, {{"precision", "f16"}, {"batch_size", "4"}, {"isl", "64"}}};
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

TEST(Scheduler, AFolderThatCannotBeMadeIsAFailureOnRecordAndTriedAgain) {
  Sweep run;
  run.points = one_point();
  run.files.fail_on = "put /store/attempts/token003/jobs.json";
  const auto outcome = run.run();
  EXPECT_EQ(outcome->done, 6u);
  ASSERT_EQ(run.journal.failures().size(), 1u);
  EXPECT_EQ(run.journal.failures()[0].failure_class, "cannot_prepare");
  EXPECT_TRUE(run.journal.failures()[0].attempt.stage.starts_with("prompts"));
}

TEST(Scheduler, AMeasurementKeepsItsServerThoughBothEndTogether) {
  Sweep run;
  run.points = one_point();
  run.executor.behave = [&](const execute::Launch& launch) {
    Behaviour behaviour = run.normal(launch);
    if (launch.argv[0] == "bench") run.executor.die_at("serve", run.clock.time_s + behaviour.lasts_s, SIGSEGV);
    return behaviour;
  };
  ASSERT_TRUE(run.run());
  std::vector<plan::StageId> sessions;
  for (const Event& event : run.journal.events)
    if (const auto* produced = std::get_if<MeasurementProduced>(&event)) sessions.push_back(produced->session.stage.substr(0, 6));
  EXPECT_EQ(sessions, (Lines{"serve-"}));
}

TEST(Scheduler, SharedMemoryOfAServerGoesWithIt) {
  Sweep run;
  run.points = one_point();
  run.executor.behave = [&](const execute::Launch& launch) {
    if (launch.argv[0] == "serve") {
      run.files.files["/dev/shm/" + launch.token + "_region"] = "x";
      run.files.files["/dev/shm/somebody_else"] = "x";
    }
    return run.normal(launch);
  };
  ASSERT_TRUE(run.run());
  EXPECT_EQ(run.files.list("/dev/shm").value().size(), 1u);
}

TEST(Scheduler, RenderedTextIsPublishedSymbolicAndPlacedReal) {
  Sweep run;
  run.points = one_point();
  std::string placed;
  run.executor.behave = [&](const execute::Launch& launch) {
    if (launch.argv[0] == "serve") placed = run.files.files.at(launch.work + "/repository/config");
    return run.normal(launch);
  };
  ASSERT_TRUE(run.run());
  const std::string build = run.plan.stages[1].id;
  EXPECT_EQ(placed, "max 4 dir /store/artifacts/" + build + "/out");
  EXPECT_EQ(run.files.files.at("/store/artifacts/" + run.plan.stages[2].id + "/out/config"), "max 4 dir {stage:" + build + "}");
}

TEST(Scheduler, AnInvalidMeasurementIsMadeAgainOnTheSameServerWithOtherPrompts) {
  Sweep run;
  run.points = one_point();
  run.journal.judge = [](const AttemptKey& key) { return key.number < 3 ? std::string("client thread at 97 %") : std::string(); };
  const auto outcome = run.run();
  EXPECT_EQ(outcome->failed, 0u);
  Lines benches;
  for (const std::string& line : run.executor.diary)
    if (line.starts_with("start bench")) benches.push_back(line.substr(line.rfind(' ') + 1));
  EXPECT_EQ(benches, (Lines{"0", "1", "2"}));
  const auto started = run.started(1);
  EXPECT_EQ(std::count(started.begin(), started.end(), "start serve"), 1);
}

TEST(Scheduler, AMeasurementThatStaysInvalidIsAFailure) {
  Sweep run;
  run.points = one_point();
  run.journal.judge = [](const AttemptKey&) { return std::string("client thread at 97 %"); };
  EXPECT_EQ(run.run()->failures_by_class.at("invalid_measurement"), 1u);
}

TEST(Scheduler, NoTimePassesBetweenOneMeasurementAndTheNext) {
  Sweep run;
  run.points = {{{"precision", "f16"}, {"batch_size", "4"}, {"isl", "32"}}, {{"precision", "f16"}, {"batch_size", "4"}, {"isl", "64"}}};
  std::vector<double> starts;
  run.executor.behave = [&](const execute::Launch& launch) {
    if (launch.argv[0] == "bench") starts.push_back(run.clock.time_s);
    Behaviour behaviour = run.normal(launch);
    if (launch.argv[0] == "bench") behaviour.lasts_s = 0.125;
    return behaviour;
  };
  ASSERT_TRUE(run.run());
  ASSERT_EQ(starts.size(), 2u);
  EXPECT_DOUBLE_EQ(starts[1] - starts[0], 0.125);
}

TEST(Scheduler, RepeatsGoThroughAllLoadsOnceAndThenAgain) {
  Sweep run;
  run.repeats = 2;
  run.points = {{{"precision", "f16"}, {"batch_size", "4"}, {"isl", "32"}}, {{"precision", "f16"}, {"batch_size", "4"}, {"isl", "64"}}};
  ASSERT_TRUE(run.run());
  Lines benches;
  for (const std::string& line : run.started(3))
    if (line.starts_with("start bench")) benches.push_back(line);
  EXPECT_EQ(benches, (Lines{"start bench f16 32", "start bench f16 64", "start bench f16 32", "start bench f16 64"}));
}

TEST(Scheduler, WhatIsDoneIsReusedAndNothingStarts) {
  Sweep run;
  run.points = one_point();
  ASSERT_TRUE(run.run());
  for (const plan::Stage& stage : run.plan.stages) run.done.made[stage.digest] = fakes::made_by(1);
  run.executor.diary.clear();
  const auto outcome = run.run();
  EXPECT_EQ(run.executor.diary, Lines{});
  EXPECT_EQ(outcome->reused, 6u);
}

TEST(Interrupts, TheFirstLetsWhatRunsEndAndStartsNothing) {
  Sweep run;
  run.points = {{{"precision", "f16"}, {"batch_size", "4"}, {"isl", "32"}}, {{"precision", "f16"}, {"batch_size", "4"}, {"isl", "64"}}};
  run.executor.behave = [&](const execute::Launch& launch) {
    if (launch.argv[0] == "bench") run.interrupts.asked = 1;
    return run.normal(launch);
  };
  const auto outcome = run.run();
  EXPECT_TRUE(outcome->interrupted);
  EXPECT_EQ(run.started(1), (Lines{"start download", "start build", "start prompts", "start serve", "start bench", "term serve"}));
  EXPECT_EQ(outcome->done, 7u);       // the measurement that ran counts
  EXPECT_EQ(outcome->cancelled, 1u);
}

TEST(Interrupts, AServerThatIsStillStartingIsNotWaitedFor) {
  Sweep run;
  run.points = one_point();
  run.readiness.after_s = 100;
  run.executor.behave = [&](const execute::Launch& launch) {
    if (launch.argv[0] == "serve") run.interrupts.asked = 1;
    return run.normal(launch);
  };
  const auto outcome = run.run();
  EXPECT_TRUE(outcome->interrupted);
  EXPECT_EQ(outcome->failed, 0u);
  EXPECT_EQ(run.started(1).back(), "term serve");
  EXPECT_LT(run.clock.time_s, 1010);
}

TEST(Interrupts, OneThatComesWhenAllIsDoneTakesNothingBack) {
  Sweep run;
  run.points = one_point();
  run.executor.behave = [&](const execute::Launch& launch) {
    if (launch.argv[0] == "bench") run.interrupts.asked = 1;
    return run.normal(launch);
  };
  const auto outcome = run.run();
  EXPECT_FALSE(outcome->interrupted);
  EXPECT_EQ(outcome->done, 6u);
}

TEST(Interrupts, OneAfterTheOtherAskMoreEachTime) {
  Sweep run;
  run.points = one_point();
  run.executor.behave = [&](const execute::Launch& launch) {
    return launch.argv[0] == "build" ? Behaviour{.lasts_s = Sweep::k_forever, .ignores_term = true} : run.normal(launch);
  };
  run.executor.on_time = [&](double time_s) { run.interrupts.asked = time_s < 1005 ? 0 : time_s < 1010 ? 1 : time_s < 1015 ? 2 : 3; };
  EXPECT_TRUE(run.run()->interrupted);
  EXPECT_EQ(run.started(1), (Lines{"start download", "start build", "start prompts", "term build", "kill build"}));
  EXPECT_GE(run.clock.time_s, 1015);
  EXPECT_LT(run.clock.time_s, 1020);
}

TEST(Interrupts, TheSecondEndsWhatRuns) {
  Sweep run;
  run.points = one_point();
  run.executor.behave = [&](const execute::Launch& launch) {
    if (launch.argv[0] != "build") return run.normal(launch);
    run.interrupts.asked = 2;
    return Behaviour{.lasts_s = Sweep::k_forever};
  };
  const auto outcome = run.run();
  EXPECT_TRUE(outcome->interrupted);
  EXPECT_EQ(outcome->failed, 0u);
  const auto started = run.started(1);
  EXPECT_EQ(std::count(started.begin(), started.end(), "term build"), 1);
}

TEST(Interrupts, TheThirdKills) {
  Sweep run;
  run.points = one_point();
  run.executor.behave = [&](const execute::Launch& launch) {
    if (launch.argv[0] != "build") return run.normal(launch);
    run.interrupts.asked = 3;
    return Behaviour{.lasts_s = Sweep::k_forever, .ignores_term = true};
  };
  const double before = run.clock.time_s;
  EXPECT_TRUE(run.run()->interrupted);
  const auto started = run.started(1);
  EXPECT_EQ(std::count(started.begin(), started.end(), "kill build"), 1);
  EXPECT_LT(run.clock.time_s - before, 5);
}

TEST(Journal, NothingStartsBeforeTheIntentIsDurable) {
  Sweep run;
  run.points = one_point();
  run.executor.behave = [&](const execute::Launch& launch) {
    bool known = false;
    for (std::size_t i = 0; i < run.journal.durable; ++i)
      if (const auto* intent = std::get_if<AttemptIntended>(&run.journal.events[i])) known = known || intent->token == launch.token;
    EXPECT_TRUE(known) << launch.argv[0];
    return run.normal(launch);
  };
  ASSERT_TRUE(run.run());
}

TEST(Journal, AJournalThatCannotBeWrittenEndsTheRunAndWhatRuns) {
  Sweep run;
  run.points = one_point();
  run.journal.fail_at_commit = 4;
  const auto outcome = run.run();
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().message, "disk I/O error");
  EXPECT_EQ(run.started(1), (Lines{"start download", "start build", "start prompts", "kill build", "kill prompts"}));
}

TEST(Journal, AnIntentThatCannotBeWrittenKillsNobody) {
  Sweep run;
  run.points = one_point();
  run.journal.fail_at_commit = 3;  // the intents of build and prompts: neither has a process yet
  EXPECT_FALSE(run.run());
  EXPECT_EQ(run.started(1), (Lines{"start download"}));
}

TEST(Journal, AFullDiskWhilePublishingPublishesNothingUntilItIsTriedAgain) {
  Sweep run;
  run.points = one_point();
  run.files.fail_on = "rename /store/attempts/token001/artifact";
  const auto outcome = run.run();
  ASSERT_EQ(run.journal.failures().size(), 1u);
  EXPECT_EQ(run.journal.failures()[0].failure_class, "cannot_publish");
  EXPECT_EQ(outcome->done, 6u);
  EXPECT_EQ(run.started(1)[1], "start download");  // once more, from the beginning
}

TEST(Environment, HoldsTheAllowListAndNoSecrets) {
  const auto environment = execute::stage_environment({{"PATH", "/bin"}, {"HF_TOKEN", "s"}, {"PIP_CERT", "c"}, {"HOME", "/root"}}, {"PIP_*"}, {{"PATH", "/venv/bin"}, {"X", "1"}});
  EXPECT_EQ(environment, (std::map<std::string, std::string>{{"PATH", "/venv/bin"}, {"X", "1"}, {"PIP_CERT", "c"}, {"HOME", "/root"}}));
}

TEST(StageStates, TheMovesAreThese) {
  Lines moves;
  for (std::size_t a = 0; a < k_state_count; ++a) {
    std::string line = fmt::format("{}:", to_string(static_cast<State>(a)));
    for (std::size_t b = 0; b < k_state_count; ++b)
      if (is_allowed(static_cast<State>(a), static_cast<State>(b))) line += fmt::format(" {}", to_string(static_cast<State>(b)));
    moves.push_back(line);
  }
  EXPECT_EQ(moves, (Lines{"planned: ready starting running reused skipped cancelled", "ready: planned intent starting running reused skipped cancelled",
                          "waiting: planned ready skipped cancelled", "intent: waiting starting running produced failed", "starting: waiting running stopping failed",
                          "running: waiting stopping produced failed cancelled", "stopping: waiting done failed cancelled", "produced: ready waiting done failed", "done:",
                          "reused:", "failed:", "skipped:", "cancelled:"}));
  for (const State final : {State::done, State::reused, State::failed, State::skipped, State::cancelled}) EXPECT_TRUE(is_final(final)) << to_string(final);
  EXPECT_FALSE(is_final(State::produced));
}

TEST(StageStates, CountsFollowTheMoves) {
  Lines heard;
  StageStates states(2, [&](std::size_t stage, State from, State to, const std::string& why) { heard.push_back(fmt::format("{} {} {} {}", stage, to_string(from), to_string(to), why)); });
  states.set(1, State::ready);
  states.set(1, State::cancelled, "stop");
  EXPECT_EQ(heard, (Lines{"1 planned ready ", "1 ready cancelled stop"}));
  EXPECT_EQ(states.count(State::planned), 1u);
  EXPECT_EQ(states.count(State::cancelled), 1u);
}

TEST(StageStatesDeathTest, AnImpossibleMoveAsserts) {
  StageStates states(1, [](std::size_t, State, State, const std::string&) {});
  EXPECT_DEATH(states.set(0, State::done), "is_allowed");
}

}  // namespace
}  // namespace orch::schedule
