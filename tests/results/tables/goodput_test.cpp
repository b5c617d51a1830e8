// Goodput is derived from stored requests for the expression of each run, without a new
// measurement.
#include "analysis/report/describe.hpp"
#include "results/store/rebuild.hpp"
#include "results/store/sample.hpp"

namespace orch {
namespace goodput_test {

using namespace sample;

constexpr std::int64_t k_ms = 1'000'000;

json request(std::int64_t sent_ms, std::int64_t first_ms, std::vector<std::int64_t> gaps_ms) {
  std::int64_t last_ms = first_ms;
  json gaps = json::array();
  for (const std::int64_t gap : gaps_ms) last_ms += gap, gaps.push_back(gap * k_ms);
  return {{"measurement", 0},
          {"index", 0},
          {"warmup", false},
          {"block", 0},
          {"due_ns", sent_ms * k_ms},
          {"sent_ns", sent_ms * k_ms},
          {"first_ns", first_ms * k_ms},
          {"last_ns", last_ms * k_ms},
          {"isl", 32},
          {"osl_requested", 3},
          {"osl_counted", gaps_ms.size() + 1},
          {"gaps_ns", gaps},
          {"status", 200},
          {"error", nullptr}};
}

// Half a second: one answer begins after 7 ms, one after 20 ms, one failed.
std::vector<json> three_requests() {
  json warmup = request(-9, -5, {2, 2}), failed = request(50, 51, {1});
  warmup["warmup"] = true;
  failed["error"] = "the server said no";
  return {warmup, request(0, 7, {1, 3}), failed, request(100, 120, {4, 376})};
}

struct GoodputRows : testing::Test {
  TemporaryFolder folder;

  static store::RunInfo info(const std::string& goodput) {
    store::RunInfo info = run_info();
    info.goodput = goodput;
    return info;
  }
  void measure(const std::string& goodput, const json& measured = measurement(10, 100),
               const std::vector<json>& lines = three_requests()) {
    store::Store store = open_store(folder.path());
    Driver driver(store, make_plan({.concurrencies = {1}}), info(goodput));
    driver.run_bench(0, driver.run_serve(), measured, lines);
    driver.commit();
    driver.finish(store::Outcome::done);
  }
  void run_again(const std::string& goodput, const std::string& experiment = "quick") {
    store::Store store = open_store(folder.path());
    Driver driver(store, make_plan({.experiment = experiment, .concurrencies = {1}}),
                  info(goodput));
    driver.finish(store::Outcome::done);
  }
  Rows ask(const std::string& sql) const { return rows(folder.path(), sql); }
};

TEST_F(GoodputRows, count_requests_by_the_expression_of_the_run) {
  measure("ttft_ms < 10");
  EXPECT_EQ(ask("SELECT goodput_rps FROM results"), Rows{"2.0"});
  EXPECT_EQ(ask("SELECT goodput_rps FROM results_all"), Rows{"2.0"});
  EXPECT_EQ(ask("SELECT expression, requests_per_s, good, of, left_out FROM goodput"),
            Rows{"ttft_ms < 10|2.0|1|3|"});
}

TEST_F(GoodputRows, follow_the_newest_run_without_a_new_measurement) {
  measure("ttft_ms < 10");
  run_again("ttft_ms < 100");
  EXPECT_EQ(ask("SELECT goodput_rps FROM results"), Rows{"4.0"});
  EXPECT_EQ(ask("SELECT goodput_rps, run FROM results_all"), Rows{"4.0|1"});
  run_again("");
  EXPECT_EQ(ask("SELECT goodput_rps FROM results"), Rows{"-"});
  run_again("ttft_ms < 10");
  EXPECT_EQ(ask("SELECT goodput_rps FROM results"), Rows{"2.0"});
  EXPECT_EQ(ask("SELECT count(*) FROM measurement"), Rows{"1"});
  EXPECT_EQ(ask("SELECT count(*) FROM goodput"), Rows{"2"});
}

TEST_F(GoodputRows, of_each_experiment_are_by_its_own_expression) {
  measure("ttft_ms < 10");
  run_again("ttft_ms < 100", "other");
  EXPECT_EQ(ask("SELECT experiment, goodput_rps FROM results ORDER BY experiment"),
            (Rows{"other|4.0", "quick|2.0"}));
  EXPECT_EQ(ask("SELECT experiment, goodput_rps FROM results_all ORDER BY experiment"),
            (Rows{"other|4.0", "quick|2.0"}));
}

TEST_F(GoodputRows, exist_for_a_run_that_planned_the_point_before_another_measured_it) {
  run_again("ttft_ms < 100", "other");
  measure("ttft_ms < 10");
  EXPECT_EQ(ask("SELECT experiment, goodput_rps FROM results ORDER BY experiment"),
            (Rows{"other|4.0", "quick|2.0"}));
}

TEST_F(GoodputRows, are_derived_once_unknown_facts_are_known) {
  measure("");
  {
    store::Store store = open_store(folder.path());
    const plan::Plan plan = make_plan({.concurrencies = {1}});
    plan::Plan undecided = plan;
    undecided.points.clear();
    Driver driver(store, undecided, info("ttft_ms < 10"));
    EXPECT_EQ(ask("SELECT count(*) FROM goodput"), Rows{"0"});
    ASSERT_TRUE(driver.journal->amend(plan, driver.now).ok());
  }
  EXPECT_EQ(ask("SELECT goodput_rps FROM results"), Rows{"2.0"});
}

TEST_F(GoodputRows, read_every_stored_field_of_a_request) {
  json full = request(0, 7, {1, 3, 5});
  full["first_event_tokens"] = 2;
  full["osl_counted"] = 5;
  full["osl_reported"] = 6;
  full["isl_reported"] = 33;
  full["due_ns"] = -2 * k_ms;
  full["server_times"] = {
      {"scheduled_ns", 1 * k_ms}, {"first_token_ns", 5 * k_ms}, {"last_token_ns", 8 * k_ms}};
  measure(
      "ttst_ms = 1 AND tpot_ms = 3 AND itl_ms = 2.25 AND request_latency_ms = 16 AND osl_counted = "
      "5 AND osl_reported = 6 AND isl_counted = 32 AND isl_reported = 33 "
      "AND send_lag_ms = 2 AND server_queue_ms = 1 AND server_ttft_ms = 5 AND server_latency_ms = "
      "8",
      measurement(10, 100), {full});
  EXPECT_EQ(ask("SELECT good, of, left_out FROM goodput"), Rows{"1|1|"});
}

TEST_F(GoodputRows, count_a_batch_as_one_request_of_several_answers) {
  json batch = request(0, 10, {4, 4});
  batch["sequences"] = 2;
  batch["osl_counted"] = 10;
  measure("itl_ms = 2", measurement(10, 100),
          {batch});  // 8 ms over the 4 later tokens of each answer
  EXPECT_EQ(ask("SELECT good FROM goodput"), Rows{"1"});
}

TEST_F(GoodputRows, of_an_open_loop_count_from_the_scheduled_send) {
  std::vector<json> lines = three_requests();
  lines[1]["due_ns"] = -90 * k_ms;
  json open = measurement(10, 100);
  open["load"] = {{"arrival", "poisson"}, {"request_rate", 2}};
  measure("ttft_ms < 10", open, lines);
  EXPECT_EQ(ask("SELECT goodput_rps FROM results"), Rows{"0.0"});
  measure("ttft_ms < 10", measurement(10, 100), lines);
  EXPECT_EQ(ask("SELECT goodput_rps FROM results"), Rows{"2.0"});
}

TEST_F(GoodputRows, of_unstreamed_answers_have_no_first_token) {
  json whole = measurement(10, 100);
  whole["load"]["stream"] = false;
  measure("ttft_ms < 10 AND request_latency_ms < 100", whole);
  EXPECT_EQ(ask("SELECT good, of FROM goodput"), Rows{"1|3"});
  EXPECT_EQ(
      ask("SELECT warnings FROM results"),
      Rows{"goodput: 'ttft_ms < 10' was left out for 2 of 2 requests, which have no value for it"});
}

TEST_F(GoodputRows, report_left_out_metrics_in_the_warnings) {
  json measured = measurement(10, 100);
  measured["warnings"] = {"slow, it seems"};
  measure("ttft_ms < 10 AND itl_ms < 50", measured, {request(0, 7, {}), request(8, 9, {1})});
  for (const char* view : {"results", "results_all"})
    EXPECT_EQ(ask(fmt::format("SELECT warnings FROM {}", view)),
              Rows{"slow, it seems; goodput: 'itl_ms < 50' was left out for 1 of 2 requests, which "
                   "have no value for it"})
        << view;
}

TEST_F(GoodputRows, that_cannot_be_computed_leave_the_measurement_unchanged) {
  measure("no_such_metric < 1");
  EXPECT_EQ(ask("SELECT valid, ttft_ms, goodput_rps FROM results_all"), Rows{"1|10.0|-"});
  EXPECT_EQ(ask("SELECT warnings LIKE 'goodput ''no_such_metric < 1'': unknown name "
                "''no_such_metric''%' FROM results"),
            Rows{"1"});
}

TEST_F(GoodputRows, are_those_of_the_load_generator_without_an_expression) {
  json measured = measurement(10, 100);
  measured["metrics"]["goodput_rps"] = 3.5;
  measured["intervals"] = {{"goodput_rps", {{"interval_low", 3}, {"interval_high", 4}}}};
  measure("", measured);
  EXPECT_EQ(ask("SELECT goodput_rps, goodput_rps_interval_low FROM results"), Rows{"3.5|3.0"});
  run_again("ttft_ms < 10");
  EXPECT_EQ(ask("SELECT goodput_rps, goodput_rps_interval_low FROM results"), Rows{"2.0|-"});
}

TEST_F(GoodputRows, are_shown_by_show) {
  measure("ttft_ms < 10");
  run_again("ttft_ms < 100");
  store::Store store = open_store(folder.path(), store::Mode::read);
  const auto named = report::find_named(store.database(), "tiny_c1");
  ASSERT_TRUE(named.ok()) << named.error().text();
  const auto description =
      report::describe(store.database(), folder.path(), *named, report::Shape::text);
  ASSERT_TRUE(description.ok()) << description.error().text();
  EXPECT_THAT(
      *description,
      testing::HasSubstr("\n  measurement 1: goodput 2 requests/s, 1 of 3 good: ttft_ms < 10\n  "
                         "measurement 1: goodput 4 requests/s, 2 of 3 good: ttft_ms < 100\n"));
}

TEST_F(GoodputRows, are_no_column_without_an_expression) {
  measure("");
  EXPECT_EQ(ask("SELECT count(*) FROM pragma_table_info('results') WHERE name LIKE 'goodput%'"),
            Rows{"0"});
}

TEST_F(GoodputRows, are_the_same_in_a_rebuilt_database) {
  measure("ttft_ms < 10");
  run_again("ttft_ms < 100");
  run_again("ttft_ms < 1 OR itl_ms < 3", "other");
  const auto all = [&] {
    std::vector<Rows> found;
    for (const char* sql : {"SELECT id, goodput FROM run", "SELECT * FROM goodput",
                            "SELECT * FROM results ORDER BY experiment",
                            "SELECT * FROM results_all ORDER BY experiment"})
      found.push_back(ask(sql));
    return found;
  };
  const auto before = all();
  EXPECT_EQ(before[0], (Rows{"1|ttft_ms < 10", "2|ttft_ms < 100", "3|ttft_ms < 1 OR itl_ms < 3"}));
  EXPECT_EQ(before[1].size(), 3u);
  ASSERT_TRUE(store::rebuild(real_host(), folder.path()).ok());
  EXPECT_EQ(all(), before);
}

}  // namespace goodput_test
}  // namespace orch
