// The views with the columns of published tables: what is computed from stored measurements, and
// what a tool states itself.
#include "results/store/sample.hpp"
#include "results/tables/views.hpp"

namespace orch {
namespace published_tables_test {

using namespace sample;

json with_tokens_and_latency() {
  json measured = measurement(20, 100);
  measured["metrics"].update({{"request_latency_ms", {{"mean", 500}, {"p99", 800}, {"n", 40}}},
                              {"isl_counted", {{"mean", 300}, {"n", 40}}},
                              {"osl_counted", {{"mean", 50}, {"n", 40}}},
                              {"input_tps", 600},
                              {"requests_per_s", 2.5}});
  return measured;
}

TEST(PublishedTables, llm_perf_has_the_names_and_units_of_the_published_output) {
  const TemporaryFolder folder;
  store::Store store = open_store(folder.path());
  Driver driver(store, make_plan({.concurrencies = {4}}));
  driver.run_bench(0, driver.run_serve(), with_tokens_and_latency());
  driver.commit();
  EXPECT_EQ(rows(folder.path(),
                 "SELECT experiment, run, point, tool, concurrency, average_input_token_per_sec, "
                 "average_output_token_per_sec, average_ttft, average_latency, p99_ttft, "
                 "p99_latency, throughput FROM llm_perf"),
            (Rows{"quick|1|tiny_c4-aaaaaa|native|4|600.0|100.0|0.02|0.5|0.0215|0.8|2.5"}));
}

TEST(PublishedTables, lmdeploy_has_the_names_of_its_file_and_requests_per_minute) {
  const TemporaryFolder folder;
  store::Store store = open_store(folder.path());
  Driver driver(store, make_plan({.concurrencies = {4}}));
  driver.run_bench(0, driver.run_serve(), with_tokens_and_latency());
  driver.commit();
  EXPECT_EQ(rows(folder.path(),
                 "SELECT group_concat(name) FROM pragma_table_info('lmdeploy') WHERE cid > 3"),
            (Rows{"batch,num_prompts,RPS,RPM,FTL(ave)(s),FTL(min)(s),FTL(max)(s),"
                  "throughput(out tok/s),throughput(total tok/s)"}))
      << "as its script writes the header";
  EXPECT_EQ(rows(folder.path(),
                 "SELECT batch, num_prompts, RPS, RPM, \"FTL(ave)(s)\", \"FTL(min)(s)\", "
                 "\"FTL(max)(s)\", \"throughput(out tok/s)\", \"throughput(total tok/s)\" "
                 "FROM lmdeploy"),
            (Rows{"4|40|2.5|150.0|0.02|0.019|0.022|100.0|700.0"}));
}

TEST(PublishedTables, a_figure_that_the_tool_states_is_that_figure) {
  const TemporaryFolder folder;
  store::Store store = open_store(folder.path());
  Driver driver(store, make_plan({.concurrencies = {4}}));
  json measured = with_tokens_and_latency();
  measured["tool"] = measured["definition"] = "lmdeploy";
  measured["metrics"].update({{"lmdeploy_requests_per_minute", 149.5},
                              {"lmdeploy_total_tps", 699},
                              {"llm_perf_average_input_token_per_sec", 1},
                              {"llm_perf_average_output_token_per_sec", 2}});
  driver.run_bench(0, driver.run_serve(), measured);
  driver.commit();
  EXPECT_EQ(rows(folder.path(), "SELECT tool, RPM, \"throughput(total tok/s)\" FROM lmdeploy"),
            (Rows{"lmdeploy|149.5|699.0"}));
  EXPECT_EQ(rows(folder.path(),
                 "SELECT average_input_token_per_sec, average_output_token_per_sec "
                 "FROM llm_perf"),
            (Rows{"1.0|2.0"}));
}

TEST(PublishedTables, what_no_measurement_has_is_empty) {
  const TemporaryFolder folder;
  complete_run(folder.path(), {.concurrencies = {1}});  // without latencies and lengths
  EXPECT_EQ(rows(folder.path(),
                 "SELECT concurrency, average_ttft, average_latency, average_input_token_per_sec, "
                 "throughput FROM llm_perf"),
            (Rows{"1|0.01|-|-|-"}));
  EXPECT_EQ(rows(folder.path(), "SELECT batch, RPM, \"throughput(out tok/s)\" FROM lmdeploy"),
            (Rows{"1|-|100.0"}));
}

}  // namespace published_tables_test
}  // namespace orch
