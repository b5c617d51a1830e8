// Outputs are laid out, checked and published by other threads: the run goes on meanwhile.
#include "run/schedule/support.hpp"

#include <gmock/gmock.h>

namespace orch::schedule {
namespace checking_test {

using ::testing::Contains;
using ::testing::Not;

// Work with files is held from the moment on at which a program called PROGRAM has started, but not
// the laying out of other attempts.
void hold_after_start_of(Sweep& run, const std::string& program) {
  run.workers.holds = [&run, program] {
    const auto* last = run.journal.events.empty() ? nullptr : &run.journal.events.back();
    const bool is_launch = last && std::holds_alternative<AttemptIntended>(*last);
    return !is_launch && std::any_of(run.executor.diary.begin(), run.executor.diary.end(),
                                     [&](const std::string& line) {
                                       return line.starts_with("start " + program);
                                     });
  };
}

void release(Sweep& run) {
  run.workers.holds = [] { return false; };
  run.workers.do_all();
}

// Calls THEN once, at the first poll at which work has waited for SECONDS.
void when_held_for(Sweep& run, double seconds, const std::function<void()>& then) {
  run.executor.on_time = [&run, seconds, then, since_s = -1.0](double time_s) mutable {
    if (run.workers.waiting() == 0) return;
    if (since_s < 0) since_s = time_s;
    if (time_s < since_s + seconds) return;
    const auto once = then;  // the next line destroys this function
    run.executor.on_time = nullptr;
    once();
  };
}

std::vector<fakes::Parameters> two_precisions() { return {point("f16"), point("q8")}; }

bool was_noted(const Sweep& run, const std::function<bool(const Event&)>& is) {
  return std::any_of(run.journal.events.begin(), run.journal.events.end(), is);
}

TEST(Checking, OtherStagesStartAndEndMeanwhile) {
  Sweep run;
  run.points = two_precisions();
  run.options.jobs = 3;
  hold_after_start_of(run, "build");
  Lines meanwhile;
  when_held_for(run, 10, [&] {
    meanwhile = run.started(2);
    EXPECT_EQ(run.workers.waiting(), 3u);  // both builds and the prompts
    release(run);
  });
  EXPECT_EQ(run.run()->failed, 0u);
  EXPECT_THAT(meanwhile, Contains("start build q8"));
  EXPECT_EQ(count(run.started(1), "start prompts"), 1u);
}

TEST(Checking, ADeadlineOfAnotherStagePassesMeanwhile) {
  Sweep run;
  run.points = two_precisions();
  run.options.jobs = 3;
  hold_after_start_of(run, "build");
  run.set_duration("build q8", Sweep::k_forever);
  Lines meanwhile;
  when_held_for(run, 150, [&] {
    meanwhile = run.started(2);
    release(run);
    run.interrupts.requested = 1;
  });
  ASSERT_TRUE(run.run());
  EXPECT_THAT(meanwhile, Contains("term build q8"));
  EXPECT_THAT(meanwhile, Not(Contains("term build f16")));
  ASSERT_FALSE(run.journal.failures().empty());
  EXPECT_EQ(run.journal.failures()[0].failure_class, "timeout");
}

// It starts while the prompts of another length, which could not be published, wait for a retry.
TEST(Checking, AServerBecomesReadyMeanwhile) {
  Sweep run;
  run.points = {point("f16"), point("f16", "4", "64")};
  run.readiness.after_s = 50;
  run.options.backoff.first_s = 20;
  run.files.fail_on = "rename /store/attempts/token004/artifact";
  hold_after_start_of(run, "serve");
  bool was_ready = false;
  when_held_for(run, 100, [&] {
    was_ready = was_noted(
        run, [](const Event& event) { return std::holds_alternative<ServiceReady>(event); });
    EXPECT_EQ(count(run.started(1), "start bench"), 0u);
    release(run);
  });
  EXPECT_EQ(run.run()->failed, 0u);
  EXPECT_TRUE(was_ready);
  EXPECT_EQ(count(run.started(1), "start prompts"), 2u);
  EXPECT_EQ(count(run.started(1), "start bench"), 2u);
}

// Isolation `strict`: neither the outputs of a task nor those of the measurement before.
TEST(Checking, NoFileIsReadWhileAMeasurementRuns) {
  Sweep run;
  run.points = two_precisions();
  run.repeats = 2;
  double measured_until_s = 0;
  run.on("bench", [&](const auto&, Behaviour normal) {
    EXPECT_EQ(run.workers.waiting(), 0u);
    measured_until_s = run.clock.time_s + 1;
    return normal;
  });
  run.workers.holds = [] { return true; };
  std::size_t waited = 0;
  run.executor.on_time = [&](double time_s) {
    if (run.workers.waiting() == 0) return;
    EXPECT_GE(time_s, measured_until_s);
    if (++waited % 4 == 0) run.workers.do_newest();
  };
  EXPECT_EQ(run.run()->failed, 0u);
  EXPECT_EQ(count(run.started(1), "start bench"), 4u);
  EXPECT_GT(waited, 40u);
}

TEST(Checking, AnInterruptLetsItFinish) {
  Sweep run;
  run.points = one_point();
  hold_after_start_of(run, "download");
  when_held_for(run, 10, [&] {
    run.interrupts.requested = 1;
    when_held_for(run, 10, [&] { release(run); });
  });
  const auto outcome = run.run();
  EXPECT_TRUE(outcome->interrupted);
  EXPECT_EQ(outcome->done, 1u);
  EXPECT_TRUE(run.files.exists("/store/artifacts/" + run.plan.stages[0].id + "/manifest.json"));
}

TEST(Checking, ASecondInterruptEndsIt) {
  Sweep run;
  run.points = one_point();
  hold_after_start_of(run, "download");
  double asked_s = 0;
  when_held_for(run, 10, [&] {
    asked_s = run.clock.time_s;
    run.interrupts.requested = 2;
    when_held_for(run, 0.1, [&] { release(run); });  // the thread notices the stop
  });
  const auto outcome = run.run();
  EXPECT_TRUE(outcome->interrupted);
  EXPECT_EQ(outcome->cancelled, run.plan.stages.size());
  EXPECT_EQ(outcome->failed, 0u);
  EXPECT_LE(run.clock.time_s, asked_s + 2);  // each poll of the fake lasts half a second
  ASSERT_EQ(run.journal.failures().size(), 1u);
  EXPECT_EQ(run.journal.failures()[0].failure_class, "interrupted");
  EXPECT_FALSE(run.files.exists("/store/artifacts/" + run.plan.stages[0].id));
  EXPECT_FALSE(run.files.exists("/store/attempts/token001/artifact"));
  EXPECT_EQ(run.journal.lives()[0], "download: ready intent running produced cancelled");
}

TEST(Checking, AStageThatIsLaidOutWhenItIsInterruptedIsNotStarted) {
  Sweep run;
  run.points = one_point();
  run.workers.holds = [] { return true; };
  when_held_for(run, 5, [&] {
    run.interrupts.requested = 2;
    when_held_for(run, 0.1, [&] { release(run); });
  });
  const auto outcome = run.run();
  EXPECT_TRUE(outcome->interrupted);
  EXPECT_EQ(outcome->cancelled, run.plan.stages.size());
  EXPECT_EQ(run.executor.diary, Lines{});
  EXPECT_EQ(run.journal.lives()[0], "download: ready intent cancelled");
}

TEST(Checking, AServerThatIsLaidOutWhenItIsInterruptedIsNotStarted) {
  Sweep run;
  run.points = one_point();
  run.workers.holds = [&] {
    const auto* last = std::get_if<AttemptIntended>(&run.journal.events.back());
    return last && last->attempt.stage.starts_with("serve");
  };
  when_held_for(run, 5, [&] {
    run.interrupts.requested = 2;
    when_held_for(run, 20, [&] { release(run); });  // longer than a server may take to end
  });
  const auto outcome = run.run();
  EXPECT_TRUE(outcome->interrupted);
  EXPECT_EQ(outcome->failed, 0u);
  EXPECT_EQ(count(run.started(1), "start serve"), 0u);
  EXPECT_THAT(run.journal.lives(), Contains("serve: ready intent cancelled"));
}

// What it left is removed for some seconds.
TEST(Checking, AServerThatDiedIsNotAskedWhetherItIsReady) {
  Sweep run;
  run.points = one_point();
  run.readiness.after_s = 50;
  hold_after_start_of(run, "serve");
  bool died = false;
  run.executor.on_time = [&](double) {
    if (count(run.started(1), "start serve") == 1 && !std::exchange(died, true))
      run.executor.die("serve", SIGKILL);
    if (run.workers.waiting() == 0) return;
    run.clock.time_s += 1;
    if (run.clock.time_s > 1010) release(run);
  };
  EXPECT_EQ(run.run()->failed, 0u);
  EXPECT_EQ(count(run.started(1), "start serve"), 2u);
}

TEST(Checking, ARunThatDiesMeanwhileLosesNothing) {
  Sweep run;
  run.points = one_point();
  hold_after_start_of(run, "download");
  when_held_for(run, 10, [] { throw Sweep::Died(); });
  run.run_until_it_dies();
  EXPECT_FALSE(run.files.exists("/store/artifacts/" + run.plan.stages[0].id));
  run.workers.holds = [] { return false; };
  const auto outcome = run.resume();
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(outcome->done, 6u);
  EXPECT_EQ(count(run.started(1), "start download"), 1u);
}

TEST(Checking, AMeasurementThatWasCompleteWhenItsServerFailedCounts) {
  Sweep run;
  run.points = one_point();
  hold_after_start_of(run, "bench");
  when_held_for(run, 5, [&] {
    run.executor.die("serve", SIGSEGV);
    when_held_for(run, 5, [&] { release(run); });
  });
  const auto outcome = run.run();
  EXPECT_TRUE(was_noted(run, [](const Event& event) {
    const auto* ended = std::get_if<AttemptEnded>(&event);
    return ended && ended->attempt.stage.starts_with("bench") && ended->ok;
  }));
}

// A retry lays out its output in place, in the folder of the attempt that failed.
TEST(Checking, TheOutputsOfAFailedAttemptAreGoneBeforeItsEndIsOnRecord) {
  Sweep run;
  run.points = one_point();
  run.options.backoff.first_s = 0.001;
  run.files.fail_on = "sync /store/attempts/token001/artifact";
  run.files.diary.clear();
  bool ended = false;
  hold_after_start_of(run, "download");
  run.executor.on_time = [&](double) {
    ended = ended || !run.journal.failures().empty();
    if (ended) {
      EXPECT_FALSE(run.files.exists("/store/attempts/token001/artifact"));
    }
    run.workers.do_all();
  };
  EXPECT_EQ(run.run()->failed, 0u);
  EXPECT_TRUE(ended);
  EXPECT_FALSE(run.files.exists("/store/attempts/token001/work"));  // the disk was full
}

}  // namespace checking_test
}  // namespace orch::schedule
