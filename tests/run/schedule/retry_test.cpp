#include "run/schedule/support.hpp"

namespace orch::schedule {
namespace retry_test {

TEST(Retries, FailuresOfTheSystemAreNotRetried) {
  Sweep run;
  run.points = one_point();
  run.on("build", {.code = 3});
  const auto outcome = run.run();
  EXPECT_EQ(count(run.started(1), "start build"), 1u);
  EXPECT_EQ(outcome->failures_by_class, (std::map<std::string, std::size_t>{{"exit_status", 1}}));
}

TEST(Retries, AKilledStageIsRetriedWithExponentialBackoff) {
  Sweep run;
  run.points = one_point();
  std::vector<double> starts;
  run.on("build", [&](const auto&, Behaviour normal) {
    starts.push_back(run.clock.time_s);
    return starts.size() < 4 ? Behaviour{.signal = SIGKILL} : normal;
  });
  const auto outcome = run.run();
  EXPECT_EQ(outcome->done, 6u);
  ASSERT_EQ(starts.size(), 4u);
  EXPECT_DOUBLE_EQ(starts[1] - starts[0], 1 + 1);  // it lasts a second itself
  EXPECT_DOUBLE_EQ(starts[2] - starts[1], 1 + 2);
  EXPECT_DOUBLE_EQ(starts[3] - starts[2], 1 + 4);
  EXPECT_EQ(run.journal.lives()[1],
            "build: ready intent running waiting ready intent running waiting ready intent running "
            "waiting ready intent running produced done");
}

TEST(Retries, AServerWhoseReadinessCannotBeWatchedIsRestarted) {
  Sweep run;
  run.points = one_point();
  run.readiness.then = {attempt::Health::failed, "no thread", FailureClass::cannot_watch};
  run.on("serve", [&, served = 0](const auto&, Behaviour normal) mutable {
    if (++served == 2) run.readiness.then = {attempt::Health::ready, ""};
    return normal;
  });
  const auto outcome = run.run();
  ASSERT_TRUE(outcome);
  EXPECT_EQ(run.journal.failures()[0].failure_class, "cannot_watch");
  EXPECT_EQ(outcome->failed, 0u);
  EXPECT_EQ(run.journal.lives().back(), "bench: ready intent running produced done");
}

TEST(Retries, AreBoundedAndTheBudgetIsKeptAcrossACrash) {
  Sweep run;
  run.points = one_point();
  run.journal.failures_before["build"] = 3;  // in runs that died
  run.on("build", {.signal = SIGTERM});
  const auto outcome = run.run();
  EXPECT_EQ(count(run.started(1), "start build"), 2u);
  EXPECT_EQ(outcome->failures_by_class,
            (std::map<std::string, std::size_t>{{"killed_externally", 1}}));
  EXPECT_EQ(outcome->skipped, 3u);
}

TEST(Retries, OtherStagesContinueMeanwhile) {
  Sweep run;
  run.points = {point("f16"), point("q8")};
  int f16 = 0;
  run.on("build f16", [&](const auto&, Behaviour normal) {
    return ++f16 == 1 ? Behaviour{.signal = SIGKILL} : normal;
  });
  EXPECT_EQ(run.run()->done, 10u);
  const Lines started = run.started(2);
  EXPECT_LT(
      std::find(started.begin(), started.end(), "start build q8") - started.begin(),
      std::find(started.rbegin(), started.rend(), "start build f16").base() - started.begin());
}

TEST(Retries, AServerThatWasKilledIsRestartedAndItsMeasurementsFollow) {
  Sweep run;
  for (const char* isl : {"32", "64", "128"}) run.points.push_back(point("f16", "4", isl));
  int benches = 0;
  run.on("bench", [&](const auto&, Behaviour normal) {
    if (++benches != 2) return normal;
    run.executor.die("serve", SIGKILL);
    return Behaviour{.lasts_s = 5, .code = 1};
  });
  const auto outcome = run.run();
  EXPECT_EQ(outcome->failed, 0u);
  EXPECT_EQ(outcome->skipped, 0u);
  EXPECT_EQ(count(run.started(1), "start serve"), 2u);
  EXPECT_EQ(count(run.started(1), "start bench"), 4u);  // the one in flight twice
  for (const std::string& life : run.journal.lives()) {
    if (life.starts_with("serve")) {
      EXPECT_EQ(life,
                "serve: ready intent starting running waiting ready intent starting running "
                "stopping done");
    }
  }
}

TEST(Retries, AnInterruptCancelsWaitingStages) {
  Sweep run;
  run.points = one_point();
  run.on("build", {.signal = SIGKILL});
  run.executor.on_time = [&](double time_s) {
    if (time_s > 1004) run.interrupts.requested = 1;
  };
  const auto outcome = run.run();
  EXPECT_TRUE(outcome->interrupted);
  EXPECT_EQ(outcome->failed, 0u);
  EXPECT_EQ(run.journal.lives()[1].substr(run.journal.lives()[1].rfind(' ')), " cancelled");
}

TEST(Retries, TheWholeBudgetIsUsed) {
  Sweep run;
  run.points = one_point();
  run.on("build", {.signal = SIGKILL});
  ASSERT_TRUE(run.run());
  EXPECT_EQ(count(run.started(1), "start build"),
            static_cast<std::size_t>(run.options.backoff.most_failures));
}

}  // namespace retry_test
}  // namespace orch::schedule
