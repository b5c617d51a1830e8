#include "run/schedule/support.hpp"

#include <gmock/gmock.h>

namespace orch::schedule {
namespace clock_test {

TEST(Clock, AProcessThatEndedWhileTheOrchestratorWasStoppedDidNotTimeOut) {
  Sweep run;
  run.points = one_point();
  bool stopped = false;
  run.executor.on_time = [&](double) {
    // SIGSTOP for longer than the build may take, while the build runs.
    const bool building =
        std::any_of(run.executor.diary.begin(), run.executor.diary.end(),
                    [](const std::string& line) { return line.starts_with("start build"); });
    if (building && !std::exchange(stopped, true)) run.clock.time_s += 3600;
  };
  const auto outcome = run.run();
  EXPECT_TRUE(stopped);
  EXPECT_EQ(outcome->done, 6u);
}

// --- the wall clock is set by a day

constexpr double k_day_s = 86400;

// A run with one long stage, and a time at which that stage runs.
struct Moment {
  const char* description;
  void (*arrange)(Sweep& run);
  double at_s;
  const char* life;                         // states of the long stage
  std::map<std::string, double> durations;  // its recorded duration
  std::map<std::string, std::size_t> failures = {};
};

void let_build_fail_once(Sweep& run, const std::string& log, Behaviour failure) {
  run.on("build",
         [&run, log, failure, failed = false](const auto& launch, Behaviour normal) mutable {
           if (std::exchange(failed, true)) return normal;
           run.files.files[launch.log] = log;
           return failure;
         });
}

const Moment k_moments[] = {
    {"a task runs",
     [](Sweep& run) { run.set_duration("build", 50); },
     1030,
     "build: ready intent running",
     {{"build", 50}}},
    {"a task is running out of time",
     [](Sweep& run) { run.set_duration("build", 500); },
     1030,
     "build: ready intent running",
     {{"build", 100}},
     {{"timeout", 1}}},
    {"a server starts",
     [](Sweep& run) { run.readiness.after_s = 50; },
     1030,
     "serve: ready intent starting",
     {{"serve ready", 50}}},
    {"a measurement runs",
     [](Sweep& run) { run.set_duration("bench", 50); },
     1030,
     "bench: ready intent running",
     {{"bench", 50}}},
    {"a retry waits",
     [](Sweep& run) {
       let_build_fail_once(run, "", {.signal = SIGKILL});
       run.options.backoff.first_s = 50;
     },
     1030,
     "build: ready intent running waiting",
     {}},
    {"a retry waits as long as a server requested",
     [](Sweep& run) {
       let_build_fail_once(run, "429 Too Many Requests\nRetry-After: 50\n", {.code = 1});
     },
     1030,
     "build: ready intent running waiting",
     {}},
    {"a server stops",
     [](Sweep& run) {
       run.on("serve", [](const auto&, Behaviour normal) {
         normal.ignores_term = true;
         return normal;
       });
       run.manifest.replace(run.manifest.find("stop_s: 5"), 9, "stop_s: 50");
     },
     1030,
     "serve: ready intent starting running stopping",
     {}},
};

// Everything that a run did and recorded, except times of day.
struct Trace {
  Lines diary, lives;
  std::map<std::string, double> durations;  // by the stage's name
  double least_s = 0;                       // the shortest duration
  double ended_s = 0;
};

Trace trace_of(const Sweep& run) {
  Trace trace{.diary = run.executor.diary,
              .lives = run.journal.lives(),
              .durations = {},
              .least_s = 0,
              .ended_s = run.clock.time_s};
  const auto add = [&](const AttemptKey& key, std::string_view description, double seconds) {
    trace.durations[key.stage.substr(0, key.stage.find('-')).append(description)] = seconds;
    trace.least_s = std::min(trace.least_s, seconds);
  };
  for (const Event& event : run.journal.events) {
    if (const auto* ended = std::get_if<AttemptEnded>(&event))
      add(ended->attempt, "", ended->process.wall_s);
    if (const auto* ready = std::get_if<ServiceReady>(&event))
      add(ready->attempt, " ready", ready->start_s);
  }
  return trace;
}

// Runs MOMENT and sets the wall clock forward by SET_BY_S seconds in the middle.
Trace run_of(const Moment& moment, double set_by_s) {
  Sweep run;
  run.points = one_point();
  moment.arrange(run);
  bool reached = false;
  run.executor.on_time = [&](double now_s) {
    if (now_s < moment.at_s || std::exchange(reached, true)) return;
    EXPECT_THAT(run.journal.lives(), testing::Contains(moment.life));
    run.clock.day_s += set_by_s;
  };
  const auto outcome = run.run();
  EXPECT_TRUE(reached) << "the run ended before the clock was set";
  EXPECT_EQ(outcome->failures_by_class, moment.failures);
  return trace_of(run);
}

TEST(Clock, AStepOfTheWallClockChangesOnlyRecordedTimesOfDay) {
  for (const Moment& moment : k_moments) {
    const Trace undisturbed = run_of(moment, 0);
    for (const auto& [description, seconds] : moment.durations)
      EXPECT_NEAR(undisturbed.durations.at(description), seconds, 0.02)
          << moment.description;  // a starting server is checked every 0.01 s
    for (const double set_by_s : {k_day_s, -k_day_s}) {
      SCOPED_TRACE(fmt::format("{}, set by {} s", moment.description, set_by_s));
      const Trace trace = run_of(moment, set_by_s);
      EXPECT_EQ(trace.diary, undisturbed.diary);
      EXPECT_EQ(trace.lives, undisturbed.lives);
      EXPECT_EQ(trace.durations, undisturbed.durations);
      EXPECT_EQ(trace.ended_s, undisturbed.ended_s);
      EXPECT_GE(trace.least_s, 0);
    }
  }
}

// The clock is set between two runs; adopted processes keep their age.
TEST(Clock, AStepOfTheWallClockBetweenRunsChangesNoDeadline) {
  for (const double set_by_s : {k_day_s, -k_day_s})
    for (const double lasts_s : {50, 500}) {
      SCOPED_TRACE(fmt::format("{} s, set by {} s", lasts_s, set_by_s));
      Sweep run;
      run.points = one_point();
      run.set_duration("build", lasts_s);
      run.die_at(1030);
      run.run_until_it_dies();
      run.clock.day_s += set_by_s;
      const auto outcome = run.resume();
      EXPECT_EQ(outcome->failures_by_class.contains("timeout"), lasts_s > 100);
      const Trace trace = trace_of(run);
      EXPECT_NEAR(trace.durations.at("build"), std::min(lasts_s, 100.0), 0.02);
      EXPECT_GE(trace.least_s, 0);
    }
}

}  // namespace clock_test
}  // namespace orch::schedule
