// The table at the end of a run: a column appears if some point has a value for it.
#include "app/cli/reading.hpp"
#include "results/store/sample.hpp"

#include <gmock/gmock.h>

namespace orch::cli {
namespace summary_test {

using namespace sample;

json in_open_loop(json measured) {
  measured["load"] = {{"arrival", "poisson"}, {"request_rate", 2}};
  measured["metrics"]["ttft_ms_intended"] = {{"mean", 30}, {"p99", 31.5}, {"n", 2}};
  measured["unsupported"] = {"ttft_ms_p99", "ttft_ms_intended_p99"};
  return measured;
}

// What the end of the run of DRIVER prints on stdout.
std::string printed_of(store::Store& store, const Driver& driver) {
  Errors errors;
  const matrix::Matrix matrix = matrix::parse_matrix(
      "name: quick\nrunner: sample\naxes: {concurrency: [1, 4]}\n", "m.yaml", errors);
  testing::internal::CaptureStdout();
  print_results(store, matrix, driver.journal->run_id());
  return testing::internal::GetCapturedStdout();
}

// The table of a point per measurement, or of one point with all of them as its repeats.
std::string printed(const std::vector<json>& measured, const std::string& goodput = "",
                    int repeats = 1) {
  const TemporaryFolder folder;
  store::Store store = open_store(folder.path());
  const std::vector<int> concurrencies = {1, 4};
  store::RunInfo info = run_info();
  info.goodput = goodput;
  const auto points = std::ssize(measured) / repeats;
  Driver driver(store,
                make_plan({.concurrencies = {concurrencies.begin(), concurrencies.begin() + points},
                           .repeats = repeats}),
                info);
  const AttemptKey session = driver.run_serve();
  for (std::size_t i = 0; i < measured.size(); ++i) driver.run_bench(i, session, measured[i]);
  driver.commit();
  driver.finish(store::Outcome::done);
  return printed_of(store, driver);
}

std::string head_of(const std::string& table) {
  std::string head;
  for (const char c : table.substr(0, table.find('\n')))
    if (c != ' ' || (!head.empty() && head.back() != ' ')) head += c;
  return head;
}

TEST(Summary, counts_stages_beside_the_points) {
  schedule::Outcome outcome;
  outcome.done = 4;
  outcome.failed = 3;
  outcome.failures_by_class = {{"disk_full", 1}, {"server_crash", 2}};
  testing::internal::CaptureStderr();
  print_summary(make_plan({.concurrencies = {1, 4}}), outcome, "", 2);
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              testing::StartsWith("\nquick: 2 points; stages: 4 done, 0 reused, 3 failed, 0 "
                                  "skipped in 2.0 s\n  1 stage failed: disk_full\n  2 stages "
                                  "failed: server_crash\n"));
}

TEST(Results, of_closed_loops_have_no_intended_latencies) {
  EXPECT_EQ(head_of(printed({measurement(10, 100)})), "concurrency output_tps ttft_ms ttft_ms_p99");
}

TEST(Results, with_an_open_loop_also_show_latencies_from_the_scheduled_send) {
  const std::string table = printed({measurement(10, 100), in_open_loop(measurement(12, 90))});
  EXPECT_EQ(head_of(table),
            "concurrency output_tps ttft_ms ttft_ms_p99 ttft_ms_intended ttft_ms_intended_p99");
  EXPECT_THAT(table, testing::ContainsRegex("\n *4 +90 +12 +13\\.5\\* +30 +31\\.5\\*"));
}

TEST(Results, without_streaming_have_no_column_for_first_tokens) {
  json whole = measurement(10, 100);
  whole["metrics"].erase("ttft_ms");
  whole["metrics"]["request_latency_ms"] = {{"mean", 11}, {"n", 2}};
  EXPECT_EQ(head_of(printed({whole})), "concurrency output_tps request_latency_ms");
}

TEST(Results, have_a_column_of_failed_requests_where_some_failed) {
  json failed = measurement(10, 100);
  failed["metrics"]["error_rate"] = 0.733;
  EXPECT_EQ(head_of(printed({failed, measurement(11, 90)})),
            "concurrency output_tps ttft_ms ttft_ms_p99 error_rate");
  failed["metrics"]["error_rate"] = 0;
  EXPECT_EQ(head_of(printed({failed})), "concurrency output_tps ttft_ms ttft_ms_p99");
}

TEST(Results, show_half_of_the_interval_beside_a_mean) {
  json measured = measurement(10, 100);
  measured["intervals"] = {{"output_tps", {{"interval_low", 97.5}, {"interval_high", 102.5}}}};
  EXPECT_THAT(printed({measured}), testing::HasSubstr("100.0 ±2.5"));
}

TEST(Results, mark_points_with_warnings_and_name_the_query_that_shows_them) {
  json warned = measurement(10, 100);
  warned["warnings"] = {"no steady state"};
  testing::internal::CaptureStderr();
  const std::string table = printed({warned, measurement(11, 90)});
  const std::string notes = testing::internal::GetCapturedStderr();
  EXPECT_EQ(head_of(table), "concurrency output_tps ttft_ms ttft_ms_p99 marks");
  EXPECT_THAT(table, testing::ContainsRegex("\n *1 +100 .*!"));
  EXPECT_THAT(notes,
              testing::HasSubstr("! 1 point carries a warning: orchestrate query \"SELECT point, "
                                 "warnings FROM results WHERE run = 1 AND warnings <> ''\"\n"));
}

TEST(Results, count_repeats_where_there_are_several) {
  json first = measurement(10, 100);
  EXPECT_EQ(head_of(printed({first})).find("repeats"), std::string::npos);
  EXPECT_EQ(head_of(printed({first, first}, "", 2)),
            "concurrency output_tps ttft_ms ttft_ms_p99 repeats");
}

TEST(Results, show_goodput_if_the_run_has_a_goodput_expression) {
  EXPECT_EQ(head_of(printed({measurement(10, 100)}, "ttft_ms < 10")),
            "concurrency output_tps ttft_ms ttft_ms_p99 goodput_rps");
}

// The metric that a run prints of a point that it measured alone as well; WIDTH: half of the
// interval of both.
std::string printed_sharing(std::optional<double> width) {
  const TemporaryFolder folder;
  store::Store store = open_store(folder.path());
  plan::Plan plan = make_plan({.concurrencies = {1}, .repeats = 2});
  plan.stages.back().alone = plan.stages.back().is_check = true;
  Driver driver(store, plan);
  driver.run_build();
  const AttemptKey session = driver.run_serve();
  driver.commit();
  for (const std::size_t nth : {0u, 1u}) {
    json measured = measurement(10, 100);
    const double tps = nth == 0 ? 90 : 100;
    measured["metrics"] = {{"output_tps", {{"mean", tps}, {"n", 100}}}};
    if (width)
      measured["metrics"]["output_tps"].update(
          {{"interval_low", tps - *width}, {"interval_high", tps + *width}});
    driver.run_bench(nth, session, measured);
  }
  driver.commit();
  driver.finish(store::Outcome::done);
  return printed_of(store, driver);
}

TEST(Results, say_what_sharing_cost_and_where_no_interval_is_known) {
  EXPECT_THAT(printed_sharing(3), testing::HasSubstr("-10.0 % (-14.0 to -6.0) !\n"));
  EXPECT_THAT(printed_sharing({}), testing::HasSubstr("-10.0 % (interval unknown)\n"));
}

}  // namespace summary_test
}  // namespace orch::cli
