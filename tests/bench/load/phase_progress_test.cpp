// Progress of a phase as text, and its end.
#include "bench/load/loop_parts.hpp"

#include <gtest/gtest.h>

namespace orch::load {
namespace phase_progress_test {

TEST(PhaseProgress, ShowsCountsElapsedTimeAndLimits) {
  Tally tally;
  tally.sent = 136;
  tally.ended = 120;
  EXPECT_EQ(progress_text(tally, 500, 12.4, 0),
            "120 of 500 requests, 9.68 req/s, 16 in flight, 12 s");
  tally.tokens = 2480;
  EXPECT_EQ(progress_text(tally, 500, 12.4, 0),
            "120 of 500 requests, 9.68 req/s, 200 tok/s, 16 in flight, 12 s");
  tally.failed = 3;
  tally.tokens = 0;
  EXPECT_EQ(progress_text(tally, 0, 12.4, 60),
            "120 requests, 9.68 req/s, 16 in flight, 3 failed, 12 s of 60 s");
}

// A terminal clears its line on "", also when the phase ends before the first report.
TEST(PhaseProgress, EndsWithOneEmptyReportAndCountsOnlyForAListener) {
  std::vector<std::string> reports;
  const std::function<void(std::string_view)> report = [&](std::string_view text) {
    reports.emplace_back(text);
  };
  const std::function<void(std::string_view)> none;
  {
    PhaseProgress one(report, "concurrency 4", 10, 0);
    EXPECT_NE(one.tally(), nullptr);
    one.stop();
  }
  EXPECT_EQ(reports.back(), "");
  EXPECT_EQ(std::count(reports.begin(), reports.end(), ""), 1);
  EXPECT_EQ(PhaseProgress(none, "concurrency 4", 10, 0).tally(), nullptr);
}

}  // namespace phase_progress_test
}  // namespace orch::load
