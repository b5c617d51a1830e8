#include "schedule/support.hpp"

namespace orch::schedule {
namespace {

using Lines = std::vector<std::string>;

std::size_t count(const Lines& lines, std::string_view wanted) { return static_cast<std::size_t>(std::count(lines.begin(), lines.end(), wanted)); }

TEST(Retries, WhatTheSystemFailedAtIsNotTriedAgain) {
  Sweep run;
  run.points = one_point();
  run.executor.behave = [&](const execute::Launch& launch) { return launch.argv[0] == "build" ? Behaviour{.code = 3} : run.normal(launch); };
  const auto outcome = run.run();
  EXPECT_EQ(count(run.started(1), "start build"), 1u);
  EXPECT_EQ(outcome->failures_by_class, (std::map<std::string, std::size_t>{{"exit_status", 1}}));
}

TEST(Retries, WhatSomebodyElseKilledIsTriedAgainAfterAGrowingWhile) {
  Sweep run;
  run.points = one_point();
  std::vector<double> starts;
  run.executor.behave = [&](const execute::Launch& launch) {
    if (launch.argv[0] != "build") return run.normal(launch);
    starts.push_back(run.clock.time_s);
    return starts.size() < 4 ? Behaviour{.signal = SIGKILL} : run.normal(launch);
  };
  const auto outcome = run.run();
  EXPECT_EQ(outcome->done, 6u);
  ASSERT_EQ(starts.size(), 4u);
  EXPECT_DOUBLE_EQ(starts[1] - starts[0], 1 + 1);  // it lasts a second itself
  EXPECT_DOUBLE_EQ(starts[2] - starts[1], 1 + 2);
  EXPECT_DOUBLE_EQ(starts[3] - starts[2], 1 + 4);
  EXPECT_EQ(run.journal.lives()[1], "build: ready intent running waiting ready intent running waiting ready intent running waiting ready intent running produced done");
}

TEST(Retries, AServerThatNobodyCanWatchIsStartedAgain) {
  Sweep run;
  run.points = one_point();
  run.readiness.then = {execute::Health::failed, "no thread", "cannot_watch"};
  run.executor.behave = [&, served = 0](const execute::Launch& launch) mutable {
    if (launch.argv[0] == "serve" && ++served == 2) run.readiness.then = {execute::Health::ready, ""};
    return run.normal(launch);
  };
  const auto outcome = run.run();
  ASSERT_TRUE(outcome);
  EXPECT_EQ(run.journal.failures()[0].failure_class, "cannot_watch");
  EXPECT_EQ(outcome->failed, 0u);
  EXPECT_EQ(run.journal.lives().back(), "bench: ready intent running produced done");
}

TEST(Retries, AreBoundedAndTheBudgetOutlivesTheRunThatDied) {
  Sweep run;
  run.points = one_point();
  run.journal.failures_before["build"] = 3;  // in runs that died
  run.executor.behave = [&](const execute::Launch& launch) { return launch.argv[0] == "build" ? Behaviour{.signal = SIGTERM} : run.normal(launch); };
  const auto outcome = run.run();
  EXPECT_EQ(count(run.started(1), "start build"), 2u);
  EXPECT_EQ(outcome->failures_by_class, (std::map<std::string, std::size_t>{{"killed_externally", 1}}));
  EXPECT_EQ(outcome->skipped, 3u);
}

TEST(Retries, OtherStagesGoOnMeanwhile) {
  Sweep run;
  run.points = {{{"precision", "f16"}, {"batch_size", "4"}, {"isl", "32"}}, {{"precision", "q8"}, {"batch_size", "4"}, {"isl", "32"}}};
  int f16 = 0;
  run.executor.behave = [&](const execute::Launch& launch) { return launch.argv[0] == "build" && launch.argv[1] == "f16" && ++f16 == 1 ? Behaviour{.signal = SIGKILL} : run.normal(launch); };
  EXPECT_EQ(run.run()->done, 10u);
  const Lines started = run.started(2);
  EXPECT_LT(std::find(started.begin(), started.end(), "start build q8") - started.begin(), std::find(started.rbegin(), started.rend(), "start build f16").base() - started.begin());
}

TEST(Retries, AServerThatSomebodyKilledIsStartedAgainAndItsMeasurementsFollow) {
  Sweep run;
  for (const char* isl : {"32", "64", "128"}) run.points.push_back({{"precision", "f16"}, {"batch_size", "4"}, {"isl", isl}});
  int benches = 0;
  run.executor.behave = [&](const execute::Launch& launch) {
    if (launch.argv[0] == "bench" && ++benches == 2) {
      run.executor.die("serve", SIGKILL);
      return Behaviour{.lasts_s = 5, .code = 1};
    }
    return run.normal(launch);
  };
  const auto outcome = run.run();
  EXPECT_EQ(outcome->failed, 0u);
  EXPECT_EQ(outcome->skipped, 0u);
  EXPECT_EQ(count(run.started(1), "start serve"), 2u);
  EXPECT_EQ(count(run.started(1), "start bench"), 4u);  // the one in flight twice
  for (const std::string& life : run.journal.lives()) {
    if (life.starts_with("serve")) { EXPECT_EQ(life, "serve: ready intent starting running waiting ready intent starting running stopping done"); }
  }
}

TEST(Retries, AnInterruptCallsOffWhatWaits) {
  Sweep run;
  run.points = one_point();
  run.executor.behave = [&](const execute::Launch& launch) {
    if (launch.argv[0] == "build") return Behaviour{.signal = SIGKILL};
    return run.normal(launch);
  };
  run.executor.on_time = [&](double time_s) {
    if (time_s > 1004) run.interrupts.asked = 1;
  };
  const auto outcome = run.run();
  EXPECT_TRUE(outcome->interrupted);
  EXPECT_EQ(outcome->failed, 0u);
  EXPECT_EQ(run.journal.lives()[1].substr(run.journal.lives()[1].rfind(' ')), " cancelled");
}

// A client sees "connection refused" before we hear that the server is gone.
TEST(Servers, AMeasurementThatEndsBeforeItsServerIsKnownToBeDeadHasTheServersClass) {
  Sweep run;
  run.points = one_point();
  run.executor.behave = [&](const execute::Launch& launch) {
    Behaviour behaviour = run.normal(launch);
    if (launch.argv[0] != "bench") return behaviour;
    run.files.files[launch.log] = "connection refused\n";
    run.executor.die_at("serve", run.clock.time_s + 1.5, SIGSEGV);
    return Behaviour{.lasts_s = 1, .code = 1};
  };
  const auto outcome = run.run();
  EXPECT_EQ(outcome->failures_by_class, (std::map<std::string, std::size_t>{{"died_serving", 2}}));
}

TEST(Servers, AnInvalidMeasurementWhoseServerDiedMeanwhileHasTheServersClass) {
  Sweep run;
  run.points = one_point();
  run.journal.judge = [](const AttemptKey&) { return "no request succeeded"; };
  run.executor.behave = [&](const execute::Launch& launch) {
    if (launch.argv[0] == "bench") run.executor.die_at("serve", run.clock.time_s + 1.5, SIGSEGV);
    return run.normal(launch);
  };
  const auto outcome = run.run();
  EXPECT_EQ(outcome->failures_by_class, (std::map<std::string, std::size_t>{{"died_serving", 2}}));
  EXPECT_EQ(count(run.started(1), "start bench"), 1u);
}

TEST(Servers, WhatIsMeasuredOnADeadServerIsEndedAtOnce) {
  Sweep run;
  run.points = one_point();
  run.executor.behave = [&](const execute::Launch& launch) {
    if (launch.argv[0] != "bench") return run.normal(launch);
    run.executor.die("serve", SIGSEGV);
    return Behaviour{.lasts_s = 3600, .code = 1};
  };
  ASSERT_TRUE(run.run());
  EXPECT_LT(run.clock.time_s, 1060);
}

TEST(Clock, WhatEndedWhileWeWereStoppedIsNotOutOfTime) {
  Sweep run;
  run.points = one_point();
  bool stopped = false;
  run.executor.on_time = [&](double) {
    // SIGSTOP for longer than the build may take, while the build runs.
    const bool building = std::any_of(run.executor.diary.begin(), run.executor.diary.end(), [](const std::string& line) { return line.starts_with("start build"); });
    if (building && !std::exchange(stopped, true)) run.clock.time_s += 3600;
  };
  const auto outcome = run.run();
  EXPECT_TRUE(stopped);
  EXPECT_EQ(outcome->done, 6u);
}

TEST(Fence, AnAttemptThatIsNotTheNewestPublishesNothing) {
  Sweep run;
  run.points = one_point();
  run.options.backoff.most_failures = 1;
  run.journal.current = [](const AttemptKey& key) { return !key.stage.starts_with("download"); };
  const auto outcome = run.run();
  EXPECT_EQ(outcome->failed, 1u);
  EXPECT_FALSE(run.files.exists("/store/artifacts/" + run.plan.stages[0].id));
  EXPECT_EQ(run.journal.failures()[0].message, "a newer attempt of this stage is on record, so what this one made is not published");
}

TEST(ChangedInput, IsUsedNowAndNotCacheableNorIsWhatIsMadeFromIt) {
  Sweep run;
  run.points = one_point();
  run.changed_input = [](const plan::Stage& stage) { return stage.spec.name == "build" ? "/data/model.gguf changed while the stage ran" : ""; };
  EXPECT_EQ(run.run()->done, 6u);
  std::map<std::string, std::string> why;
  for (const Event& event : run.journal.events)
    if (const auto* published = std::get_if<ArtifactPublished>(&event)) why[published->attempt.stage.substr(0, published->attempt.stage.find('-'))] = published->not_cacheable;
  const std::string changed = "/data/model.gguf changed while the stage ran";
  EXPECT_EQ(why, (std::map<std::string, std::string>{{"download", ""}, {"build", changed}, {"prompts", ""}, {"repository", changed}, {"bench", changed}}));
}

// --- GPUs ----------------------------------------------------------------------------------------------------------

struct GpuSweep : Sweep {
  GpuSweep() {
    points = {{{"precision", "f16"}, {"batch_size", "4"}, {"isl", "32"}}, {{"precision", "q8"}, {"batch_size", "4"}, {"isl", "32"}}};
    gpus.gpus = {{.index = 0, .uuid = "GPU-0", .memory_gib = 80, .used_gib = 0.4, .pids = {}}};
    change_plan = [](plan::Plan& made) {
      for (plan::Stage& stage : made.stages)
        if (stage.spec.name == "serve") stage.gpus = 1;
    };
    executor.behave = [this](const execute::Launch& launch) {
      if (launch.argv[0] == "serve") visible.push_back(launch.env.contains("CUDA_VISIBLE_DEVICES") ? launch.env.at("CUDA_VISIBLE_DEVICES") : "none");
      return normal(launch);
    };
  }
  Lines visible;
};

TEST(GpuSlots, AreGivenByIndex) {
  GpuSweep run;
  EXPECT_EQ(run.run()->failed, 0u);
  EXPECT_EQ(run.visible, (Lines{"0", "0"}));
}

TEST(GpuSlots, AreGivenAgainOnlyWhenTheirMemoryIsBack) {
  GpuSweep run;
  double stopped_s = 0, started_s = 0;
  run.executor.on_time = [&](double time_s) {
    const auto& diary = run.executor.diary;
    const auto starts = std::count_if(diary.begin(), diary.end(), [](const std::string& line) { return line.starts_with("start serve"); });
    const bool stopped = std::any_of(diary.begin(), diary.end(), [](const std::string& line) { return line.starts_with("term serve"); });
    if (stopped && !stopped_s) stopped_s = time_s;
    if (starts == 2 && !started_s) started_s = time_s;
    run.gpus.gpus[0].used_gib = starts > 0 && (!stopped_s || time_s < stopped_s + 7) ? 60 : 0.5;
  };
  EXPECT_EQ(run.run()->failed, 0u);
  EXPECT_GE(started_s, stopped_s + 7);
}

TEST(GpuSlots, ThatStayDirtyAreSaidWithWhoHoldsThem) {
  GpuSweep run;
  run.options.backoff.most_failures = 1;
  run.executor.on_time = [&](double) {
    const auto& diary = run.executor.diary;
    if (std::any_of(diary.begin(), diary.end(), [](const std::string& line) { return line.starts_with("start serve"); })) {
      run.gpus.gpus[0].used_gib = 60;
      run.gpus.gpus[0].pids = {4711};
    }
  };
  const auto outcome = run.run();
  EXPECT_EQ(outcome->failures_by_class, (std::map<std::string, std::size_t>{{"dirty_gpu", 1}}));
  EXPECT_EQ(run.visible.size(), 1u);  // nothing was started on it
  std::string why;
  for (const Event& event : run.journal.events)
    if (const auto* moved = std::get_if<StageMoved>(&event); moved && moved->to == State::failed) why = moved->why;
  EXPECT_EQ(why, "dirty_gpu: GPU 0: 60.0 of 80.0 GiB are in use by pid 4711");
}

}  // namespace
}  // namespace orch::schedule
