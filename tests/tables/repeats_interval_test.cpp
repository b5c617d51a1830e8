// The interval of the mean over repeats in `results`, compared with that of each run.
#include "tables/repeats_interval.hpp"

#include "measure/interval.hpp"
#include "measure/processes.hpp"
#include "statistics/student.hpp"
#include "store/sample.hpp"

#include <cmath>
#include <numeric>

namespace orch {
namespace {

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
TEST(RepeatsInterval, is_students_t_over_their_means) {
  const TemporaryFolder folder;
  store_repeats(folder.path(), {{10, {{9.9, 10.1}}}, {12, {{11.9, 12.1}}}, {14, {{13.9, 14.1}}}});
  EXPECT_EQ(interval(folder.path()), Rows{"12.0|7.0317|16.9683|3"});
}

TEST(RepeatsInterval, uses_the_tabulated_quantile_for_any_number_of_repeats) {
  for (int n = 2; n <= 60; ++n) {
    auto database = sql::Database::open(":memory:", {});
    ASSERT_TRUE(database->execute("CREATE TABLE repeat (mean, low)").ok());
    for (int i = 0; i < n; ++i)
      ASSERT_TRUE(database->execute(fmt::format("INSERT INTO repeat VALUES ({}, NULL)", i)).ok());
    auto row = database->prepare(
        fmt::format("SELECT avg(mean) - {} FROM (SELECT mean - 1000 AS mean, low FROM repeat)",
                    tables::lower_limit_over_repeats("mean", "low")));
    ASSERT_TRUE(row.ok() && *row->step());
    const double standard_error =
        std::sqrt((n + 1.0) / 12);  // 0, 1, ..., n - 1 have the variance n (n + 1) / 12
    EXPECT_NEAR(row->column_real(0) / standard_error, statistics::student_quantile(0.975, n - 1), 0.001) << n;
  }
}

TEST(RepeatsInterval, is_read_by_the_plain_sqlite3_shell) {
  if (std::system("command -v sqlite3 > /dev/null") != 0)
    GTEST_SKIP() << "sqlite3 is not installed";
  const TemporaryFolder folder;
  store_repeats(folder.path(), {{10, {{9.9, 10.1}}}, {12, {{11.9, 12.1}}}, {14, {{13.9, 14.1}}}});
  EXPECT_EQ(interval_by_shell(folder.path()), Rows{"12.0|7.0317|16.9683|3"});
}

// Variances 1 and 9 within, 25 between.
TEST(RepeatsSpread, is_that_of_all_their_values_pooled) {
  const TemporaryFolder folder;
  store_repeats(folder.path(), {{.ttft_ms = 10, .sd = 1}, {.ttft_ms = 20, .sd = 3}});
  EXPECT_EQ(rows(folder.path(), "SELECT ttft_ms, round(ttft_ms_sd * ttft_ms_sd, 6) FROM results"),
            Rows{"15.0|30.0"});
}

TEST(RepeatsSpread, of_one_repeat_is_its_own_deviation) {
  const TemporaryFolder folder;
  store_repeats(folder.path(), {{.ttft_ms = 10.1, .sd = 0.3}});
  EXPECT_EQ(rows(folder.path(), "SELECT ttft_ms_sd FROM results"), Rows{"0.3"});
}

TEST(RepeatsInterval, of_one_repeat_is_its_own_interval) {
  const TemporaryFolder folder;
  store_repeats(folder.path(), {{10, {{9.5, 10.75}}}});
  EXPECT_EQ(interval(folder.path()), Rows{"10.0|9.5|10.75|1"});
}

// Three repeats agree by chance, and the interval of each reaches 3 below and 4 above its mean.
// Together they reach 0.8289 * 3 / sqrt(3) below and 0.8289 * 4 / sqrt(3) above.
TEST(RepeatsInterval, is_at_least_as_wide_as_their_own_intervals_imply) {
  const TemporaryFolder folder;
  store_repeats(folder.path(), {{10, {{7, 14}}}, {10, {{7, 14}}}, {10, {{7, 14}}}});
  EXPECT_EQ(interval(folder.path()), Rows{"10.0|8.5643|11.9143|3"});
}

// The same three, one of them without an interval.
TEST(RepeatsInterval, is_not_narrower_if_some_repeats_have_no_interval) {
  const TemporaryFolder folder;
  store_repeats(folder.path(), {{10, {{7, 14}}}, {10}, {10, {{7, 14}}}});
  EXPECT_EQ(interval(folder.path()), Rows{"10.0|8.5643|11.9143|3"});
}

TEST(RepeatsInterval, counts_only_repeats_with_the_value_and_needs_no_own_intervals) {
  const TemporaryFolder folder;
  store_repeats(folder.path(), {{10, {{9.9, 10.1}}}, {12}});  // sd sqrt(2), t(1) = 12.7062
  EXPECT_EQ(interval(folder.path()), Rows{"11.0|0.0|23.7062|2"}) << "a latency is at least zero";
}

TEST(RepeatsInterval, reaches_below_zero_if_values_do) {
  const TemporaryFolder folder;
  store_repeats(folder.path(), {{-1, {{-1.1, -0.9}}}, {1, {{0.9, 1.1}}}});
  EXPECT_EQ(interval(folder.path()), Rows{"0.0|-12.7062|12.7062|2"});
}

TEST(RepeatsInterval, is_added_to_a_store_with_older_views) {
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
TEST(RepeatsInterval, without_a_mean_does_not_break_the_view) {
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

// Evaluates the SQL of the view over random repeats.
class Simulation : public testing::Test {
 protected:
  struct Coverage {
    double covered_percent = 0;
    double width = 0;  // on average, relative to Student's t over the repeats alone
  };

  // Repeats differ with the standard deviation BETWEEN. The mean of each has the standard error
  // WITHIN, which its own interval covers.
  static Coverage simulate(int repeats, double between, double within) {
    auto database = sql::Database::open(":memory:", {});
    EXPECT_TRUE(
        database->execute("CREATE TABLE repeat (replication, mean, low, high); BEGIN").ok());
    auto insert = database->prepare("INSERT INTO repeat VALUES (?, ?, ?, ?)");
    measure::Draws draws(20261121);
    for (int replication = 0; replication < k_replications; ++replication)
      for (int i = 0; i < repeats; ++i) {
        const double level = 100 + between * draws.normal();
        const auto values = measure::series(
            200, [&](int) { return level + within * std::sqrt(200.0) * draws.normal(); });
        const auto interval = measure::interval_of_mean(values);
        const double mean = std::accumulate(values.begin(), values.end(), 0.0) / 200;
        EXPECT_TRUE(insert
                        ->run_with(replication, mean,
                                   interval ? std::optional(interval->low) : std::nullopt,
                                   interval ? std::optional(interval->high) : std::nullopt)
                        .ok());
      }
    const auto limits = [](const char* low, const char* high) {
      return fmt::format("{} AS low, {} AS high", tables::lower_limit_over_repeats("mean", low),
                         tables::upper_limit_over_repeats("mean", high));
    };
    auto row = database->prepare(
        fmt::format("SELECT sum(low <= 100 AND 100 <= high), avg(high - low) / (SELECT avg(high - "
                    "low) FROM (SELECT {} FROM repeat GROUP BY replication)) "
                    "FROM (SELECT {} FROM repeat GROUP BY replication)",
                    limits("NULL", "NULL"), limits("low", "high")));
    EXPECT_TRUE(row.ok() && *row->step());
    return {.covered_percent = 100 * row->column_real(0) / k_replications,
            .width = row->column_real(1)};
  }

  static constexpr int k_replications = 2000;
};

// 2,000 replications leave a spread of 0.5 % about the true coverage.
TEST_F(Simulation, of_repeats_that_differ_has_its_nominal_coverage) {
  for (const int repeats : {2, 3, 5, 10, 40}) {
    const Coverage coverage = simulate(repeats, 3, 0.1);
    EXPECT_GE(coverage.covered_percent, 93) << repeats;
    EXPECT_LE(coverage.covered_percent, 97) << repeats;
    EXPECT_LT(coverage.width, 1.01) << repeats;
  }
}

TEST_F(Simulation, of_repeats_that_differ_by_noise_alone_covers_more_for_little_width) {
  for (const int repeats : {2, 3, 5, 10}) {
    const Coverage coverage = simulate(repeats, 0, 1);
    EXPECT_GE(coverage.covered_percent, 97) << repeats;
    EXPECT_LT(coverage.width, 1.4) << repeats;
  }
}

}  // namespace
}  // namespace orch
