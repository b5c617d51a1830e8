#include "run/schedule/support.hpp"

namespace orch::schedule {
namespace interrupts_test {

TEST(Interrupts, TheFirstLetsRunningStagesEndAndStartsNothing) {
  Sweep run;
  run.points = {point("f16"), point("f16", "4", "64")};
  run.on("bench", [&](const auto&, Behaviour normal) {
    run.interrupts.requested = 1;
    return normal;
  });
  const auto outcome = run.run();
  EXPECT_TRUE(outcome->interrupted);
  EXPECT_EQ(run.started(1), (Lines{"start download", "start build", "start prompts", "start serve",
                                   "start bench", "term serve"}));
  EXPECT_EQ(outcome->done, 7u);  // the measurement that ran counts
  EXPECT_EQ(outcome->cancelled, 1u);
}

TEST(Interrupts, AServerThatIsStillStartingIsNotWaitedFor) {
  Sweep run;
  run.points = one_point();
  run.readiness.after_s = 100;
  run.on("serve", [&](const auto&, Behaviour normal) {
    run.interrupts.requested = 1;
    return normal;
  });
  const auto outcome = run.run();
  EXPECT_TRUE(outcome->interrupted);
  EXPECT_EQ(outcome->failed, 0u);
  EXPECT_EQ(run.started(1).back(), "term serve");
  EXPECT_LT(run.clock.time_s, 1010);
}

TEST(Interrupts, OneAfterTheLastStageChangesNothing) {
  Sweep run;
  run.points = one_point();
  run.on("bench", [&](const auto&, Behaviour normal) {
    run.interrupts.requested = 1;
    return normal;
  });
  const auto outcome = run.run();
  EXPECT_FALSE(outcome->interrupted);
  EXPECT_EQ(outcome->done, 6u);
}

TEST(Interrupts, TheFirstTakesWhatWaitsOutOfTheQueueOfACluster) {
  Sweep run;
  run.points = one_point();
  run.executor.waits_for_a_place = [](const std::string& name) {
    return name.starts_with("prompts");
  };
  run.on("prompts", [&](const auto&, const Behaviour&) {
    run.interrupts.requested = 1;
    return Behaviour{.lasts_s = Sweep::k_forever};
  });
  const auto outcome = run.run();
  EXPECT_TRUE(outcome->interrupted);
  EXPECT_EQ(outcome->failed, 0u);
  EXPECT_EQ(run.started(1).back(), "term prompts");
  EXPECT_LT(run.clock.time_s, 1010);
}

TEST(Interrupts, EachOneEscalates) {
  Sweep run;
  run.points = one_point();
  run.on("build", {.lasts_s = Sweep::k_forever, .ignores_term = true});
  run.executor.on_time = [&](double time_s) {
    run.interrupts.requested = time_s < 1005 ? 0 : time_s < 1010 ? 1 : time_s < 1015 ? 2 : 3;
  };
  EXPECT_TRUE(run.run()->interrupted);
  EXPECT_EQ(run.started(1),
            (Lines{"start download", "start build", "start prompts", "term build", "kill build"}));
  EXPECT_GE(run.clock.time_s, 1015);
  EXPECT_LT(run.clock.time_s, 1020);
}

TEST(Interrupts, TheSecondEndsRunningStages) {
  Sweep run;
  run.points = one_point();
  run.on("build", [&](const auto&, const Behaviour&) {
    run.interrupts.requested = 2;
    return Behaviour{.lasts_s = Sweep::k_forever};
  });
  const auto outcome = run.run();
  EXPECT_TRUE(outcome->interrupted);
  EXPECT_EQ(outcome->failed, 0u);
  const auto started = run.started(1);
  EXPECT_EQ(std::count(started.begin(), started.end(), "term build"), 1);
}

// Its server ends with it, and its end may be reported first.
TEST(Interrupts, AMeasurementThatWasEndedWithItsServerWasInterrupted) {
  Sweep run;
  run.points = one_point();
  run.on("bench", [&](const auto&, const Behaviour&) {
    run.interrupts.requested = 2;
    return Behaviour{.lasts_s = Sweep::k_forever};
  });
  const auto outcome = run.run();
  EXPECT_TRUE(outcome->interrupted);
  EXPECT_EQ(outcome->failed, 0u);
  EXPECT_EQ(outcome->cancelled, 2u);
  Lines classes;
  for (const Event& event : run.journal.events)
    if (const auto* ended = std::get_if<AttemptEnded>(&event); ended && !ended->ok)
      classes.push_back(ended->failure_class + ": " + ended->message);
  EXPECT_EQ(classes, (Lines{"interrupted: ended on request", "interrupted: ended on request"}));
}

TEST(Interrupts, TheThirdKills) {
  Sweep run;
  run.points = one_point();
  run.on("build", [&](const auto&, const Behaviour&) {
    run.interrupts.requested = 3;
    return Behaviour{.lasts_s = Sweep::k_forever, .ignores_term = true};
  });
  const double before = run.clock.time_s;
  EXPECT_TRUE(run.run()->interrupted);
  const auto started = run.started(1);
  EXPECT_EQ(std::count(started.begin(), started.end(), "kill build"), 1);
  EXPECT_LT(run.clock.time_s - before, 5);
}

}  // namespace interrupts_test
}  // namespace orch::schedule
