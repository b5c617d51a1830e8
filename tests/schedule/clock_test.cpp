#include "schedule/support.hpp"

namespace orch::schedule {
namespace {

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

}  // namespace
}  // namespace orch::schedule
