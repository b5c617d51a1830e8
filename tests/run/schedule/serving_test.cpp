#include "run/schedule/support.hpp"

namespace orch::schedule {
namespace serving_test {

TEST(Servers, AServerThatDiesWhileStartingIsReportedImmediatelyWithItsLog) {
  Sweep run;
  run.points = one_point();
  run.readiness.after_s = 60;
  run.on("serve", [&](const auto& launch, const Behaviour&) {
    run.files.files[launch.log] = "loading\nfailed to load 'tensorrt_llm'\n";
    return Behaviour{.lasts_s = 3, .code = 1};
  });
  const auto outcome = run.run();
  EXPECT_EQ(outcome->failures_by_class.at("died_starting"), 1u);
  EXPECT_EQ(run.journal.failures()[0].message,
            "ended with exit status 1 while starting\nloading\nfailed to load 'tensorrt_llm'");
  EXPECT_LT(run.clock.time_s, 1010);  // not after the readiness timeout of a minute
  EXPECT_EQ(run.journal.lives().back(), "bench: skipped");
}

TEST(Servers, APinnedPortIsWaitedForAndNeverReplaced) {
  Sweep run;
  run.points = one_point();
  run.change_plan = [](plan::Plan& made) { made.ports = {{"http", {18000}}}; };
  run.ports.taken[18000] = 2;
  EXPECT_EQ(run.run()->failed, 0u);
  const std::string refused = "port_in_use: port 18000 is in use by triton (pid 7)";
  EXPECT_EQ(std::count_if(run.journal.events.begin(), run.journal.events.end(),
                          [&](const Event& event) {
                            const auto* moved = std::get_if<StageMoved>(&event);
                            return moved && moved->why.find(refused) != std::string::npos;
                          }),
            2);
  std::vector<int> used;
  for (const Event& event : run.journal.events)
    if (const auto* intended = std::get_if<AttemptIntended>(&event))
      if (intended->ports.contains("http")) used.push_back(intended->ports.at("http"));
  EXPECT_EQ(used, std::vector<int>{18000});
}

TEST(Servers, AServerThatIsNeverReadyIsEnded) {
  Sweep run;
  run.points = one_point();
  run.readiness.then = {attempt::Health::failed,
                        "not ready after 120 s: http://127.0.0.1:20000/ready answers 400"};
  const auto outcome = run.run();
  EXPECT_EQ(outcome->failures_by_class.at("not_ready"), 1u);
  EXPECT_EQ(run.started(1).back(), "term serve");
}

TEST(Servers, ADeadServerFailsItsPointsAndNotTheNextServers) {
  Sweep run;
  run.points = {point("f16"), point("f16", "4", "64"), point("q8")};
  run.on("bench f16", [&](const auto&, const Behaviour&) {
    run.executor.die("serve f16", SIGSEGV);
    return Behaviour{.lasts_s = 5, .code = 1};
  });
  const auto outcome = run.run();
  EXPECT_EQ(
      outcome->failures_by_class,
      (std::map<std::string, std::size_t>{{"server_crash", 2}}));  // the server and its measurement
  EXPECT_EQ(outcome->skipped, 1u);
  const auto started = run.started(2);
  EXPECT_EQ(std::count(started.begin(), started.end(), "start bench q8"), 1);
}

TEST(Servers, AMeasurementIsRecordedWithItsServerIfBothEndTogether) {
  Sweep run;
  run.points = one_point();
  run.on("bench", [&](const auto&, Behaviour normal) {
    run.executor.die_at("serve", run.clock.time_s + normal.lasts_s, SIGSEGV);
    return normal;
  });
  ASSERT_TRUE(run.run());
  std::vector<plan::StageId> sessions;
  for (const Event& event : run.journal.events)
    if (const auto* produced = std::get_if<MeasurementProduced>(&event))
      sessions.push_back(produced->session.stage.substr(0, 6));
  EXPECT_EQ(sessions, (Lines{"serve-"}));
}

TEST(Servers, SharedMemoryOfAServerIsRemovedWithIt) {
  Sweep run;
  run.points = one_point();
  run.on("serve", [&](const auto& launch, Behaviour normal) {
    run.files.files["/dev/shm/" + launch.token + "_region"] = "x";
    run.files.files["/dev/shm/somebody_else"] = "x";
    return normal;
  });
  ASSERT_TRUE(run.run());
  EXPECT_EQ(run.files.list("/dev/shm").value().size(), 1u);
}

// A client sees "connection refused" before the scheduler learns that the server is gone.
TEST(Servers, AMeasurementThatEndsBeforeItsServerIsKnownToBeDeadHasTheServersClass) {
  Sweep run;
  run.points = one_point();
  run.on("bench", [&](const auto& launch, const Behaviour&) {
    run.files.files[launch.log] = "connection refused\n";
    run.executor.die_at("serve", run.clock.time_s + 1.5, SIGSEGV);
    return Behaviour{.lasts_s = 1, .code = 1};
  });
  const auto outcome = run.run();
  EXPECT_EQ(outcome->failures_by_class, (std::map<std::string, std::size_t>{{"server_crash", 2}}));
}

TEST(Servers, AnInvalidMeasurementWhoseServerDiedMeanwhileHasTheServersClass) {
  Sweep run;
  run.points = one_point();
  run.journal.judge = [](const AttemptKey&) { return "no request succeeded"; };
  run.on("bench", [&](const auto&, Behaviour normal) {
    run.executor.die_at("serve", run.clock.time_s + 1.5, SIGSEGV);
    return normal;
  });
  const auto outcome = run.run();
  EXPECT_EQ(outcome->failures_by_class, (std::map<std::string, std::size_t>{{"server_crash", 2}}));
  EXPECT_EQ(count(run.started(1), "start bench"), 1u);
}

TEST(Servers, AMeasurementOnADeadServerIsEndedImmediately) {
  Sweep run;
  run.points = one_point();
  run.on("bench", [&](const auto&, const Behaviour&) {
    run.executor.die("serve", SIGSEGV);
    return Behaviour{.lasts_s = 3600, .code = 1};
  });
  ASSERT_TRUE(run.run());
  EXPECT_LT(run.clock.time_s, 1060);
}

TEST(Servers, AMeasurementWhoseServerFailedForGoodGetsAFinalState) {
  Sweep run;
  run.points = one_point();
  run.options.backoff.most_failures = 1;
  run.on("bench", [&](const auto&, const Behaviour&) {
    run.executor.die("serve", SIGKILL);
    return Behaviour{.lasts_s = 3600, .code = 1};
  });
  const auto outcome = run.run();
  ASSERT_TRUE(outcome);
  EXPECT_EQ(decided(*outcome), run.plan.stages.size());
}

// The same; its measurement ends before the server is known to be dead.
TEST(Servers, AnInvalidMeasurementWhoseServerFailedForGoodGetsAFinalState) {
  Sweep run;
  run.points = one_point();
  run.options.backoff.most_failures = 1;
  run.journal.judge = [](const AttemptKey&) { return "no request succeeded"; };
  run.on("bench", [&](const auto&, Behaviour normal) {
    run.executor.die_at("serve", run.clock.time_s + 1.5, SIGKILL);
    return normal;
  });
  const auto outcome = run.run();
  ASSERT_TRUE(outcome);
  EXPECT_EQ(decided(*outcome), run.plan.stages.size());
}

// Four deaths of the server end four attempts of the measurement.
TEST(Servers, DeathsOfAServerAreNoFailuresOfItsMeasurement) {
  Sweep run;
  run.points = one_point();
  run.options.backoff.most_failures = 6;
  int benches = 0;
  run.on("bench", [&](const auto&, Behaviour normal) {
    if (++benches <= 4) {
      run.executor.die("serve", SIGKILL);
      return Behaviour{.lasts_s = 5, .code = 1};
    }
    return benches == 5 ? Behaviour{.signal = SIGKILL} : normal;
  });
  const auto outcome = run.run();
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->failed, 0u);
  EXPECT_EQ(count(run.started(1), "start bench"), 6u);
}

}  // namespace serving_test
}  // namespace orch::schedule
