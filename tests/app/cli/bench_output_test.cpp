// The tables of a measurement: intervals, why a load stopped, unsupported percentiles, client.
#include "app/cli/bench/bench_output.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace orch::cli {
namespace bench_output_test {

using testing::HasSubstr;

record::Measurement with_rate(std::optional<measure::Interval> interval) {
  record::Measurement out;
  out.load = {.kind = record::Load::Kind::closed, .concurrency = 8};
  out.duration_s = 2;
  out.metrics.push_back(
      {.row = measure::find_metric("requests_per_s"), .value = 100.0, .interval = interval});
  return out;
}

// The row of requests_per_s, without trailing blanks.
std::string row(std::optional<measure::Interval> interval) {
  const std::string table = bench_table(with_rate(interval));
  const std::size_t begin = table.find("requests_per_s");
  return table.substr(begin, table.find_last_not_of(" \n", table.find('\n', begin)) + 1 - begin);
}

TEST(BenchTable, ShowsTheFartherSideOfANearlySymmetricInterval) {
  EXPECT_THAT(row(measure::Interval{95.6, 105}), testing::EndsWith("  100.000  5.0%"));
  EXPECT_THAT(row(measure::Interval{99.97, 100.04}), testing::EndsWith("  100.000  0.0%"))
      << "both sides round to the same number";
  EXPECT_THAT(row({}), testing::EndsWith("  100.000"));
}

TEST(BenchTable, ShowsBothSidesWhereTheyDifferByMoreThanAThird) {
  EXPECT_THAT(row(measure::Interval{96, 106}), testing::EndsWith("  100.000  -4.0/+6.0%"));
  EXPECT_THAT(row(measure::Interval{90, 101}), testing::EndsWith("  100.000  -10.0/+1.0%"));
}

TEST(BenchTable, ShowsWhyTheLoadStopped) {
  record::Measurement measurement = with_rate(measure::Interval{98, 102});
  EXPECT_THAT(bench_table(measurement), testing::Not(HasSubstr("stopped")));
  measurement.stopped = "requests_per_s is known to 2 %";
  EXPECT_THAT(bench_table(measurement), HasSubstr("\nstopped: requests_per_s is known to 2 %\n"));
}

// N values of ttft_ms, each 5.
record::Measurement with_latencies(std::int64_t n) {
  record::Measurement out = with_rate({});
  out.metrics.push_back({.row = measure::find_metric("ttft_ms"),
                         .value = measure::Statistics{.mean = 5,
                                                      .sd = 0,
                                                      .min = 5,
                                                      .max = 5,
                                                      .p50 = 5,
                                                      .p90 = 5,
                                                      .p95 = 5,
                                                      .p99 = 5,
                                                      .p999 = 5,
                                                      .n = n}});
  out.unsupported = measure::unsupported_percentiles(out.metrics);
  return out;
}

TEST(BenchTable, MarksAPercentileWithTooFewRecordsInEveryFormat) {
  const std::string footnote = "*: too few records for this percentile\n";
  const std::vector<record::Measurement> unsupported = {with_latencies(99), with_latencies(100)},
                                         supported = {with_latencies(100)};
  EXPECT_THAT(bench_summary(unsupported),
              testing::AllOf(HasSubstr("  5.000  5.000*\n"), testing::EndsWith("\n" + footnote)));
  EXPECT_THAT(bench_summary(supported),
              testing::AllOf(HasSubstr("  5.000  5.000\n"), testing::Not(HasSubstr("*"))));
  EXPECT_THAT(
      bench_table(unsupported.front()),
      testing::AllOf(HasSubstr("  5.000  5.000*  5.000*\n"), testing::EndsWith("\n" + footnote)));
  EXPECT_THAT(
      bench_csv(unsupported.front(), true),
      testing::AllOf(
          testing::StartsWith("load,valid,metric,unit,mean,sd,min,max,p50,p90,p95,p99,p999,n,low,"
                              "high,unsupported\n"),
          HasSubstr("\nconcurrency 8,1,requests_per_s,requests/s,100,,,,,,,,,,,,\n"),
          testing::EndsWith("\nconcurrency 8,1,ttft_ms,ms,5,0,5,5,5,5,5,5,5,99,,,p99 p999\n")));
}

TEST(BenchTable, SummaryCountsLatenciesOfAnOpenLoopFromTheScheduledSend) {
  record::Measurement open = with_latencies(100);
  open.load = {.kind = record::Load::Kind::open, .request_rate = 5};
  open.metrics.push_back({.row = measure::find_metric("ttft_ms_intended"),
                          .value = measure::Statistics{.mean = 70, .p99 = 90, .n = 100}});
  open.metrics.push_back({.row = measure::find_metric("request_latency_ms"),
                          .value = measure::Statistics{.mean = 15, .p99 = 15, .n = 100}});
  open.metrics.push_back({.row = measure::find_metric("request_latency_ms_intended"),
                          .value = measure::Statistics{.mean = 80, .p99 = 95, .n = 100}});
  const std::vector<record::Measurement> both = {with_latencies(100), open};
  const std::string explanation =
      "ttft_ms and latency_ms of an open loop count from the scheduled send (ttft_ms_intended, "
      "request_latency_ms_intended)\n";
  EXPECT_THAT(bench_summary(both),
              testing::AllOf(HasSubstr(" 70.000  90.000 "), HasSubstr(" 80.000  95.000"),
                             HasSubstr(" 5.000   5.000"), testing::Not(HasSubstr("15.000")),
                             testing::EndsWith(explanation)));
  EXPECT_THAT(bench_summary(std::span(both).first(1)), testing::Not(HasSubstr(explanation)));
}

TEST(BenchTable, DoesNotRoundASmallShareToZero) {
  record::Measurement one = with_rate({});
  one.metrics.push_back({.row = measure::find_metric("error_rate"), .value = 0.00002});
  EXPECT_THAT(bench_table(one), HasSubstr("  2e-05"));
  one.metrics.back().value = 0.0123;
  EXPECT_THAT(bench_table(one), HasSubstr("  0.0123"));
}

TEST(BenchTable, ShowsTheHealthOfTheClient) {
  record::Measurement one = with_rate({});
  measure::ClientHealth& client = one.client;
  client.cpu_share = 0.234;
  for (int i = 0; i < 100; ++i) client.wake_lag.add(0), client.send_lag.add(3'000'000);
  client.events = 1000;
  client.coalesced = 25;
  client.connections_opened = 8;
  client.resent = 1;
  EXPECT_THAT(bench_table(one),
              HasSubstr("\nclient: 23 % of a core, wake-up lag p99 0.00 ms, 2.5 % of events read "
                        "together with an earlier one, 8 connections, 1 request resent\n"));
  one.load = {.kind = record::Load::Kind::open, .request_rate = 5};
  client.connections_opened = 1;
  client.resent = client.events = 0;
  EXPECT_THAT(bench_table(one),
              HasSubstr("\nclient: 23 % of a core, send lag p99 3.00 ms, 0.0 % of events read "
                        "together with an earlier one, 1 connection, 0 requests resent\n"));
}

}  // namespace bench_output_test
}  // namespace orch::cli
