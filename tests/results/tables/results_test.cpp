// The rows of `results`: what they are the mean of, their intervals, and what keeps them current.
#include "results/tables/results.hpp"

#include "results/store/sample.hpp"

namespace orch {
namespace results_test {

using namespace sample;

struct Repeat {
  double ttft_ms;
  std::optional<std::pair<double, double>> within = {};  // limits of the run's own interval
  std::optional<double> sd = {};
};

// Stores one point with a measurement for each of REPEATS.
void store_repeats(const std::filesystem::path& root, const std::vector<Repeat>& repeats) {
  store::Store store = open_store(root);
  Driver driver(store,
                make_plan({.concurrencies = {1}, .repeats = static_cast<int>(repeats.size())}));
  const AttemptKey session = driver.run_serve();
  for (std::size_t i = 0; i < repeats.size(); ++i) {
    json one = measurement(10, 100);
    one["metrics"]["ttft_ms"] = {{"mean", repeats[i].ttft_ms}};
    if (repeats[i].sd) one["metrics"]["ttft_ms"]["sd"] = *repeats[i].sd;
    if (repeats[i].within)
      one["metrics"]["ttft_ms"]["interval_low"] = repeats[i].within->first,
      one["metrics"]["ttft_ms"]["interval_high"] = repeats[i].within->second;
    driver.run_bench(i, session, one);
  }
  driver.commit();
}

// The interval to four digits, read by the sqlite3 shell.
Rows interval_by_shell(const std::filesystem::path& root) {
  const std::string command = fmt::format(
      "sqlite3 {}/results.db \"SELECT round(ttft_ms, 4), round(ttft_ms_interval_low, 4), "
      "round(ttft_ms_interval_high, 4), repeats FROM results\" 2>&1",
      root.string());
  std::FILE* pipe = ::popen(command.c_str(), "r");
  std::array<char, 1000> line{};
  Rows out;
  while (std::fgets(line.data(), line.size(), pipe))
    out.emplace_back(line.data(), std::strlen(line.data()) - 1);
  ::pclose(pipe);
  return out;
}

Rows interval(const std::filesystem::path& root) {
  return rows(root,
              "SELECT round(ttft_ms, 4), round(ttft_ms_interval_low, 4), "
              "round(ttft_ms_interval_high, 4), repeats FROM results");
}

// mean 12, sd 2 (ddof 1), t(2) = 4.3027: 4.3027 * 2 / sqrt(3) = 4.9683
TEST(ResultsInterval, is_students_t_over_their_means) {
  const TemporaryFolder folder;
  store_repeats(folder.path(), {{10, {{9.9, 10.1}}}, {12, {{11.9, 12.1}}}, {14, {{13.9, 14.1}}}});
  EXPECT_EQ(interval(folder.path()), Rows{"12.0|7.0317|16.9683|3"});
}

TEST(ResultsInterval, is_read_by_the_plain_sqlite3_shell) {
  if (std::system("command -v sqlite3 > /dev/null") != 0)
    GTEST_SKIP() << "sqlite3 is not installed";
  const TemporaryFolder folder;
  store_repeats(folder.path(), {{10, {{9.9, 10.1}}}, {12, {{11.9, 12.1}}}, {14, {{13.9, 14.1}}}});
  EXPECT_EQ(interval_by_shell(folder.path()), Rows{"12.0|7.0317|16.9683|3"});
}

// Variances 1 and 9 within, 25 between.
TEST(ResultsSpread, is_that_of_all_their_values_pooled) {
  const TemporaryFolder folder;
  store_repeats(folder.path(), {{.ttft_ms = 10, .sd = 1}, {.ttft_ms = 20, .sd = 3}});
  EXPECT_EQ(rows(folder.path(), "SELECT ttft_ms, round(ttft_ms_sd * ttft_ms_sd, 6) FROM results"),
            Rows{"15.0|30.0"});
}

TEST(ResultsSpread, of_one_repeat_is_its_own_deviation) {
  const TemporaryFolder folder;
  store_repeats(folder.path(), {{.ttft_ms = 10.1, .sd = 0.3}});
  EXPECT_EQ(rows(folder.path(), "SELECT ttft_ms_sd FROM results"), Rows{"0.3"});
}

TEST(ResultsInterval, of_one_repeat_is_its_own_interval) {
  const TemporaryFolder folder;
  store_repeats(folder.path(), {{10, {{9.5, 10.75}}}});
  EXPECT_EQ(interval(folder.path()), Rows{"10.0|9.5|10.75|1"});
}

// Three repeats agree by chance, and the interval of each reaches 3 below and 4 above its mean.
// Together they reach 0.8289 * 3 / sqrt(3) below and 0.8289 * 4 / sqrt(3) above.
TEST(ResultsInterval, is_at_least_as_wide_as_their_own_intervals_imply) {
  const TemporaryFolder folder;
  store_repeats(folder.path(), {{10, {{7, 14}}}, {10, {{7, 14}}}, {10, {{7, 14}}}});
  EXPECT_EQ(interval(folder.path()), Rows{"10.0|8.5643|11.9143|3"});
}

// The same three, one of them without an interval.
TEST(ResultsInterval, is_not_narrower_if_some_repeats_have_no_interval) {
  const TemporaryFolder folder;
  store_repeats(folder.path(), {{10, {{7, 14}}}, {10}, {10, {{7, 14}}}});
  EXPECT_EQ(interval(folder.path()), Rows{"10.0|8.5643|11.9143|3"});
}

TEST(ResultsInterval, counts_only_repeats_with_the_value_and_needs_no_own_intervals) {
  const TemporaryFolder folder;
  store_repeats(folder.path(), {{10, {{9.9, 10.1}}}, {12}});  // sd sqrt(2), t(1) = 12.7062
  EXPECT_EQ(interval(folder.path()), Rows{"11.0|0.0|23.7062|2"}) << "a latency is at least zero";
}

TEST(ResultsInterval, reaches_below_zero_if_values_do) {
  const TemporaryFolder folder;
  store_repeats(folder.path(), {{-1, {{-1.1, -0.9}}}, {1, {{0.9, 1.1}}}});
  EXPECT_EQ(interval(folder.path()), Rows{"0.0|-12.7062|12.7062|2"});
}

TEST(ResultsInterval, is_added_to_a_store_with_older_views) {
  const TemporaryFolder folder;
  store_repeats(folder.path(), {{10, {{9.9, 10.1}}}, {12, {{11.9, 12.1}}}, {14, {{13.9, 14.1}}}});
  {
    auto database = sql::Database::open((folder.path() / "results.db").string(),
                                        {.access = sql::Access::read_write});
    ASSERT_TRUE(
        database
            ->execute("DROP VIEW results; CREATE VIEW results AS SELECT 12.0 AS ttft_ms, 9.9 AS "
                      "ttft_ms_interval_low, 14.1 AS ttft_ms_interval_high, 3 AS repeats")
            .ok());
  }
  EXPECT_EQ(interval(folder.path()), Rows{"12.0|9.9|14.1|3"});
  open_store(folder.path());
  EXPECT_EQ(interval(folder.path()), Rows{"12.0|7.0317|16.9683|3"});
  EXPECT_EQ(rows(folder.path(), "PRAGMA user_version"), Rows{std::to_string(newest_version())});
}

// A metric with limits and without a value.
TEST(ResultsInterval, without_a_mean_does_not_break_the_view) {
  const TemporaryFolder folder;
  {
    store::Store store = open_store(folder.path());
    Driver driver(store, make_plan({.concurrencies = {1}}));
    json one = measurement(10, 100);
    one["metrics"]["odd_ms"] = {{"interval_low", 1}, {"interval_high", 2}};
    driver.run_bench(0, driver.run_serve(), one);
    driver.commit();
  }
  EXPECT_EQ(
      rows(folder.path(), "SELECT odd_ms_interval_low, odd_ms_interval_high, ttft_ms FROM results"),
      Rows{"1.0|2.0|10.0"});
}

// Measures REPEATS repeats of the one point; the stages are those of an earlier call, and more.
void measure_again(const std::filesystem::path& root, int repeats, double ttft_ms) {
  store::Store store = open_store(root);
  Driver driver(store, make_plan({.concurrencies = {1}, .repeats = repeats}));
  const AttemptKey session = driver.run_serve();
  for (int i = 0; i < repeats; ++i)
    driver.run_bench(static_cast<std::size_t>(i), session, measurement(ttft_ms, 100));
  driver.commit();
  EXPECT_TRUE(driver.journal->finish(store::Outcome::done, driver.now + 60).ok());
}

TEST(Results, keep_what_was_measured_when_a_later_run_asks_for_fewer_repeats) {
  const TemporaryFolder folder;
  measure_again(folder.path(), 3, 10);
  {
    store::Store store = open_store(folder.path());
    Driver driver(store, make_plan({.concurrencies = {1}, .repeats = 1}));
    driver.commit();
  }
  EXPECT_EQ(rows(folder.path(), "SELECT run, repeats, measured_run, warnings FROM results"),
            Rows{"2|3|1|"});
}

TEST(Results, count_the_sessions_of_a_server_as_one_value_each) {
  const TemporaryFolder folder;
  measure_again(folder.path(), 2, 10);
  {
    store::Store store = open_store(folder.path());
    Driver driver(store, make_plan({.concurrencies = {1}, .repeats = 3}));
    driver.run_bench(2, driver.run_serve(), measurement(14, 100));
    driver.commit();
  }
  EXPECT_EQ(rows(folder.path(), "SELECT ttft_ms, repeats FROM results"), Rows{"12.0|3"});
}

// A new configuration under the name of a point: one of its stages has another digest.
TEST(Results, of_a_new_configuration_with_fewer_repeats_say_so) {
  const TemporaryFolder folder;
  measure_again(folder.path(), 3, 10);
  {
    store::Store store = open_store(folder.path());
    plan::Plan plan = make_plan({.concurrencies = {1}});
    plan::Stage& bench = plan.stages.back();
    bench.components.add("driver", "560");
    bench.digest = bench.components.digest();
    bench.id = "bench-" + bench.digest.prefix(8);
    plan.points[0].stages.back() = bench.id;
    Driver driver(store, plan);
    driver.run_bench(0, driver.run_serve(), measurement(20, 100));
    driver.commit();
  }
  EXPECT_EQ(rows(folder.path(), "SELECT ttft_ms, repeats, warnings FROM results"),
            Rows{"20.0|1|measured anew with 1 repeat; run 1 has 3 of an earlier configuration "
                 "(results_all lists them)"});
}

TEST(Results, follow_a_measurement_that_is_judged_anew) {
  const TemporaryFolder folder;
  measure_again(folder.path(), 1, 10);
  {
    auto database = sql::Database::open((folder.path() / "results.db").string(),
                                        {.access = sql::Access::read_write});
    ASSERT_TRUE(database->execute("UPDATE measurement SET valid = 0").ok());
  }
  EXPECT_EQ(rows(folder.path(), "SELECT count(*) FROM results"), Rows{"1"});
  open_store(folder.path());
  EXPECT_EQ(rows(folder.path(), "SELECT count(*) FROM results"), Rows{"0"});
  EXPECT_EQ(rows(folder.path(), "SELECT count(*) FROM results_all"), Rows{"1"});
}

TEST(Results, have_the_limits_of_percentiles) {
  const TemporaryFolder folder;
  {
    store::Store store = open_store(folder.path());
    Driver driver(store, make_plan({.concurrencies = {1}}));
    json one = measurement(10, 100);
    one["metrics"]["ttft_ms"]["p99_interval_low"] = 10.5;
    driver.run_bench(0, driver.run_serve(), one);
    driver.commit();
  }
  EXPECT_EQ(rows(folder.path(), "SELECT ttft_ms_p99, ttft_ms_p99_interval_low FROM results"),
            Rows{"11.5|10.5"});
}

}  // namespace results_test
}  // namespace orch
