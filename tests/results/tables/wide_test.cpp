// Parameters and metrics become columns of the views when their names first appear.
#include "results/tables/wide.hpp"

#include "bench/measure/metric_names.hpp"
#include "bench/measure/metrics.hpp"
#include "results/store/sample.hpp"
#include "spec/matrix/name_rules.hpp"

namespace orch {
namespace wide_test {

using namespace sample;

TEST(Wide, a_new_metric_becomes_a_column_without_migration) {
  const TemporaryFolder folder;
  complete_run(folder.path(), {.concurrencies = {1}});
  EXPECT_EQ(rows(folder.path(),
                 "SELECT count(*) FROM pragma_table_info('results') WHERE name = 'power_w'"),
            (Rows{"0"}));
  {
    store::Store store = open_store(folder.path());
    Driver driver(store, make_plan({.concurrencies = {1}}));
    json measured = measurement(10, 100);
    measured["metrics"]["power_w"] = {{"mean", 300}, {"max", 350}};
    driver.run_bench(0, driver.run_serve(), measured);
    driver.commit();
  }
  EXPECT_EQ(rows(folder.path(), "SELECT power_w, power_w_max FROM results"), (Rows{"300.0|350.0"}));
  EXPECT_EQ(rows(folder.path(), "PRAGMA user_version"), Rows{std::to_string(newest_version())});
}

TEST(Wide, hostile_metric_names_reach_no_sql_and_are_reported_in_warnings) {
  const TemporaryFolder folder;
  {
    store::Store store = open_store(folder.path());
    Driver driver(store, make_plan({.concurrencies = {1}}));
    json measured = measurement(10, 100);
    measured["metrics"]["x\" ANY); DROP TABLE metric; --"] = 1;
    measured["metrics"]["Upper"] = 1;
    measured["metrics"][std::string(65, 'a')] = 1;
    measured["metrics"]["concurrency"] = 5;  // a parameter's name
    measured["metrics"]["valid"] = 1;        // a column of the views
    measured["metrics"]["select"] = 7;       // a keyword, quoted by us
    driver.run_bench(0, driver.run_serve(), measured);
    driver.commit();
  }
  EXPECT_EQ(rows(folder.path(), "SELECT concurrency, ttft_ms, \"select\" FROM results"),
            (Rows{"1|10.0|7.0"}));
  EXPECT_EQ(
      rows(folder.path(), "SELECT warnings FROM results"),
      (Rows{"metric 'Upper' was left out: a name is [a-z][a-z0-9_]*, at most 64 characters; "
            "metric '" +
            std::string(64, 'a') +
            "' was left out: a name is [a-z][a-z0-9_]*, at most 64 characters; "
            "metric 'x\" ANY); DROP TABLE metric; --' was left out: a name is [a-z][a-z0-9_]*, at "
            "most 64 characters; "
            "'concurrency' is not a column of results: a parameter or another column has that "
            "name; "
            "'valid' is not a column of results: a parameter or another column has that name"}));
}

json every_statistic(double value) {
  json metric = {{"mean", value}};
  for (const std::string_view statistic : k_suffixed_statistics)
    metric[std::string(statistic)] = value;
  return metric;
}

TEST(Wide, two_thousand_metrics_leave_room_for_ours_and_for_parameters) {
  const TemporaryFolder folder;
  {
    store::Store store = open_store(folder.path());
    Driver driver(store, make_plan({.concurrencies = {1}}));
    json measured = measurement(10, 100);
    for (int i = 0; i < 2000; ++i)
      measured["metrics"][fmt::format("a{:04}", i)] = every_statistic(i);
    driver.run_bench(0, driver.run_serve(), measured);
    driver.commit();
  }
  EXPECT_EQ(
      rows(folder.path(), "SELECT ttft_ms, ttft_ms_p99, output_tps, a0000, a0999 FROM results"),
      (Rows{"10.0|11.5|100.0|0.0|999.0"}));
  EXPECT_EQ(rows(folder.path(),
                 "SELECT count(*) FROM pragma_table_info('results') "
                 "WHERE name IN ('a1000', 'a0000_p99')"),
            (Rows{"0"}));
  EXPECT_EQ(rows(folder.path(), "SELECT mean, p99 FROM metric WHERE name = 'a1999'"),
            (Rows{"1999.0|1999.0"}));
  EXPECT_EQ(
      rows(folder.path(), "SELECT warnings FROM results"),
      (Rows{"too many metrics that are not orchestrate's: 43000 values (a1000, a1001, a1002, "
            "a1003, a1004, ...) of them have no column of results; orchestrate query "
            "\"select name, mean, p99 from metric where measurement_id = M\" has them, with M "
            "from the column measurement of results_all"}));
  // Later runs may bring metrics of ours with every statistic, and parameters.
  {
    store::Store store = open_store(folder.path());
    Driver driver(store, make_plan({.concurrencies = {1}, .more = {{"new_one", integer(7)}}}));
    json measured = measurement(10, 100);
    for (const measure::MetricRow& row : measure::metric_table())
      measured["metrics"][std::string(row.name)] = every_statistic(3);
    driver.run_bench(0, driver.run_serve(), measured);
    driver.commit();
  }
  EXPECT_EQ(rows(folder.path(),
                 "SELECT new_one, power_w_interval_high, itl_ms_p999, a0000 "
                 "FROM results_all WHERE new_one = 7"),
            (Rows{"7|3.0|3.0|-"}));
  EXPECT_EQ(rows(folder.path(), "SELECT new_one, itl_ms_p999 FROM results WHERE new_one = 7"),
            (Rows{"7|3.0"}));
}

TEST(Wide, columns_that_only_an_older_version_made_are_in_every_view) {
  const TemporaryFolder folder;
  complete_run(folder.path(), {.concurrencies = {1}});
  {
    auto database = sql::Database::open((folder.path() / "results.db").string());
    for (int i = 0; i < 40; ++i)
      for (const std::string_view statistic : k_suffixed_statistics) {
        const std::string metric = fmt::format("a{:03}", i);
        const std::string name = tables::column_of(metric, statistic);
        ASSERT_TRUE(
            database->execute(fmt::format("ALTER TABLE metric_wide ADD COLUMN {} ANY", name)));
        ASSERT_TRUE(database->execute(fmt::format(
            "INSERT INTO wide_column (name, parameter, metric, statistic) VALUES ('{}', 0, '{}', "
            "'{}')",
            name, metric, statistic)));
      }
  }
  open_store(folder.path());
  EXPECT_EQ(rows(folder.path(), "SELECT ttft_ms_p99, a000_p99 FROM results"), (Rows{"11.5|-"}));
  EXPECT_EQ(rows(folder.path(), "SELECT ttft_ms_p99, a039_interval_high FROM results_all"),
            (Rows{"11.5|-"}));
}

TEST(Wide, a_parameter_may_have_the_name_of_a_column_that_is_not_reserved) {
  const TemporaryFolder folder;
  complete_run(folder.path(),
               {.concurrencies = {1}, .more = {{"repeats", integer(7)}, {"attempt", text("own")}}});
  EXPECT_EQ(rows(folder.path(), "SELECT repeats, attempt, ttft_ms FROM results"),
            (Rows{"7|own|10.0"}));
  EXPECT_EQ(rows(folder.path(), "SELECT repeats, attempt FROM results_all"), (Rows{"7|own"}));
  EXPECT_EQ(rows(folder.path(),
                 "SELECT name FROM pragma_table_info('results') WHERE name LIKE 'repeats%'"),
            (Rows{"repeats"}));
}

TEST(Wide, a_parameter_with_the_name_of_a_metric_is_refused_and_nothing_is_written) {
  const TemporaryFolder folder;
  complete_run(folder.path(), {.concurrencies = {1}});
  store::Store store = open_store(folder.path());
  const auto begun = store.begin_run(
      make_plan({.concurrencies = {1}, .more = {{"ttft_ms", integer(1)}}}), run_info());
  ASSERT_FALSE(begun.ok());
  EXPECT_EQ(begun.error().text(),
            "parameter 'ttft_ms' has the name of a metric in this store; rename the parameter");
  EXPECT_EQ(rows(folder.path(), "SELECT count(*) FROM run"), (Rows{"1"}));
}

TEST(Wide, no_parameter_can_have_the_name_of_a_metric_or_its_statistic) {
  std::vector<std::string> metrics;
  for (const measure::MetricRow& row : measure::derived_metrics()) metrics.emplace_back(row.name);
  for (const measure::MetricRow& row : measure::metric_table()) metrics.emplace_back(row.name);
  for (const std::string& metric : metrics) {
    EXPECT_EQ(matrix::refuse_column_name(metric),
              "this is the name of a metric; choose another name")
        << metric;
    for (const std::string_view statistic : k_suffixed_statistics)
      EXPECT_EQ(matrix::refuse_column_name(fmt::format("{}_{}", metric, statistic)),
                "this is the name of a metric; choose another name")
          << metric << " " << statistic;
  }
}

}  // namespace wide_test
}  // namespace orch
