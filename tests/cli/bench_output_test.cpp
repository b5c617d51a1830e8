// What the table of a measurement shows of its intervals and of what stopped it.
#include "cli/bench_output.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace orch::cli {
namespace {

using testing::HasSubstr;

load::Measurement with_rate(std::optional<measure::Interval> interval) {
  load::Measurement out;
  out.load = {.kind = load::Load::Kind::closed, .concurrency = 8};
  out.duration_s = 2;
  out.metrics.push_back({.row = measure::find_metric("requests_per_s"), .value = 100.0, .interval = interval});
  return out;
}

// Of its one row, without blanks at the end.
std::string row(std::optional<measure::Interval> interval) {
  const std::string table = bench_table(with_rate(interval));
  const std::size_t begin = table.find("requests_per_s");
  return table.substr(begin, table.find_last_not_of(" \n", table.find('\n', begin)) + 1 - begin);
}

TEST(BenchTable, ShowsHowFarTheIntervalReachesToItsFartherSide) {
  EXPECT_THAT(row(measure::Interval{95.6, 105}), testing::EndsWith("  100.000  5.0%"));
  EXPECT_THAT(row(measure::Interval{99.97, 100.04}), testing::EndsWith("  100.000  0.0%")) << "the sides do not differ to the eye";
  EXPECT_THAT(row({}), testing::EndsWith("  100.000"));
}

TEST(BenchTable, ShowsBothSidesWhereTheyDifferByMoreThanAThird) {
  EXPECT_THAT(row(measure::Interval{96, 106}), testing::EndsWith("  100.000  -4.0/+6.0%"));
  EXPECT_THAT(row(measure::Interval{90, 101}), testing::EndsWith("  100.000  -10.0/+1.0%"));
}

TEST(BenchTable, SaysWhatStoppedTheLoad) {
  load::Measurement measurement = with_rate(measure::Interval{98, 102});
  EXPECT_THAT(bench_table(measurement), testing::Not(HasSubstr("stopped")));
  measurement.stopped = "requests_per_s is known to 2 %";
  EXPECT_THAT(bench_table(measurement), HasSubstr("\nstopped: requests_per_s is known to 2 %\n"));
}

}  // namespace
}  // namespace orch::cli
