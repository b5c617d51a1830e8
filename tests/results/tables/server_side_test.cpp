// Server data of a record, and answers in a separate file, are ingested and shown by the views.
#include "bench/record/record_reader.hpp"
#include "core/sql/packed.hpp"
#include "results/store/sample.hpp"

namespace orch {
namespace server_side_test {

using namespace sample;

// Stores one point with the measurement MEASURED.
void store_point(const std::filesystem::path& root, const json& measured) {
  store::Store store = open_store(root);
  Driver driver(store, make_plan({.concurrencies = {1}}));
  driver.run_bench(0, driver.run_serve(), measured);
  driver.commit();
}

TEST(ServerSide, times_of_models_are_shown_per_point_without_malformed_ones) {
  const TemporaryFolder folder;
  json measured = measurement(10, 100);
  measured["models"] = {
      {{"model", "ensemble"},
       {"version", "1"},
       {"requests", 40},
       {"failed", 1},
       {"executions", 40},
       {"queue_ms", 0.25},
       {"compute_infer_ms", 812.5},
       {"restarted", true}},
      {{"model", "ensemble"}, {"version", "1"}, {"requests", 7}},
      {{"model", "tensorrt_llm"}, {"version", 7}, {"requests", "many"}, {"queue_ms", nullptr}},
      {{"requests", 3}},
      "text"};
  measured["notes"] = {"one", "two"};
  store_point(folder.path(), measured);
  EXPECT_EQ(rows(folder.path(),
                 "SELECT point, model, version, requests, failed, executions, queue_ms, "
                 "compute_infer_ms, restarted FROM model_times ORDER BY model"),
            (Rows{"tiny_c1-aaaaaa|ensemble|1|40|1|40|0.25|812.5|1",
                  "tiny_c1-aaaaaa|tensorrt_llm||-|-|-|-|-|0"}));
  EXPECT_EQ(rows(folder.path(), "SELECT notes FROM measurement"), Rows{"one; two"});
}

TEST(ServerSide, gpus_are_shown_per_point) {
  const TemporaryFolder folder;
  json measured = measurement(10, 100);
  measured["gpus"] = {{{"index", 1},
                       {"uuid", "GPU-1"},
                       {"model", "NVIDIA H100"},
                       {"used_gib_peak", 70.5},
                       {"power_w", 350},
                       {"energy_j", 900},
                       {"sm_clock_mhz", {{"min", 1200}, {"max", 1755}}},
                       {"throttled", {{"sw_power_cap", 0.5}}}},
                      {{"index", 1}, {"uuid", "again"}},
                      {{"uuid", "no index"}}};
  store_point(folder.path(), measured);
  EXPECT_EQ(rows(folder.path(),
                 "SELECT point, gpu, uuid, gpu_model, used_gib_peak, power_w, energy_j, "
                 "sm_clock_mhz_min, sm_clock_mhz_mean, busy_share, throttled FROM gpus"),
            (Rows{"tiny_c1-aaaaaa|1|GPU-1|NVIDIA "
                  "H100|70.5|350.0|900.0|1200.0|-|-|{\"sw_power_cap\":0.5}"}));
}

// Writes a record of two requests with a separate answer file to FOLDER, as bench does.
void write_modern_record(const std::filesystem::path& folder, const std::string& answers) {
  std::vector<json> lines = requests();
  for (json& line : lines) line.erase("answer");
  lines[1]["due_ns"] = -1'000'000;
  lines[1]["server"] = 1;
  lines[1]["sequences"] = 4;
  lines[1]["stopped"] = true;
  lines[1]["server_times"] = {
      {"scheduled_ns", 2'000'000}, {"first_token_ns", 6'000'000}, {"last_token_ns", 10'000'000}};
  write_record(folder, measurement(10, 100), lines);
  write_file(folder / "answers.jsonl.zst", answers);
}

TEST(ServerSide, requests_have_the_servers_times_and_latencies_from_the_intended_send) {
  const TemporaryFolder folder;
  write_modern_record(folder.path() / "record", pack(""));
  const auto record = record::read_record(real_host().files, folder.path() / "record");
  ASSERT_TRUE(record.ok()) << record.error().text();
  const record::RequestRow& request = record->measurements[0].requests[1];
  const measure::RequestRecord values = record::request_of(request.values);
  EXPECT_EQ(values.server, 1);
  EXPECT_EQ(values.sequences, 4);
  EXPECT_TRUE(values.stopped);
  ASSERT_TRUE(values.server_times);
  EXPECT_EQ(values.server_times->scheduled_ns, 2'000'000);
  EXPECT_EQ(values.server_times->first_token_ns, 6'000'000);
  EXPECT_EQ(values.server_times->last_token_ns, 10'000'000);
  EXPECT_FALSE(record::request_of(record->measurements[0].requests[0].values).server_times);
  EXPECT_FALSE(request.answer);
}

TEST(ServerSide, views_of_requests_show_server_times_and_intended_latencies) {
  const TemporaryFolder folder;
  {
    store::Store store = open_store(folder.path());
    Driver driver(store, make_plan({.concurrencies = {1}}));
    json line = requests()[1];
    line["due_ns"] = -1'000'000;
    line["server_times"] = {
        {"scheduled_ns", 2'000'000}, {"first_token_ns", 6'000'000}, {"last_token_ns", 10'000'000}};
    json open = measurement(10, 100);
    open["load"] = {{"arrival", "poisson"}, {"request_rate", 5}, {"stream", true}};
    driver.run_bench(0, driver.run_serve(), open, {line});
    driver.commit();
  }
  EXPECT_EQ(
      rows(folder.path(),
           "SELECT ttft_ms, ttft_ms_intended, request_latency_ms, request_latency_ms_intended, "
           "server_queue_ms, server_ttft_ms, server_latency_ms, stopped FROM requests"),
      Rows{"7.0|8.0|11.0|12.0|2.0|6.0|10.0|0"});
  EXPECT_EQ(rows(folder.path(), "SELECT repeats, serve_repeats FROM results"), Rows{"1|1"});
  EXPECT_EQ(rows(folder.path(), "SELECT repeat, serve_repeat FROM results_all"), Rows{"0|0"});
}

// COLUMN of the view of requests, for a measurement of one request.
std::string request_columns(const json& load, const json& line, const char* column) {
  const TemporaryFolder folder;
  {
    store::Store store = open_store(folder.path());
    Driver driver(store, make_plan({.concurrencies = {1}}));
    json measured = measurement(10, 100);
    measured["load"] = load;
    driver.run_bench(0, driver.run_serve(), measured, {line});
    driver.commit();
  }
  const Rows all = rows(folder.path(), fmt::format("SELECT {} FROM requests", column));
  return all.size() == 1 ? all[0] : fmt::format("{} rows", all.size());
}

TEST(ServerSide, views_of_requests_agree_with_the_metrics) {
  json line = requests()[1];  // from 7 to 11 ms, three tokens
  line["due_ns"] = -1'000'000;
  const json closed = {{"concurrency", 1}, {"stream", true}, {"goodput", nullptr}},
             body = {{"arrival", "poisson"}, {"stream", false}};
  EXPECT_EQ(request_columns(closed, line,
                            "ttft_ms, itl_ms, ttft_ms_intended, request_latency_ms_intended"),
            "7.0|2.0|-|-")
      << "a closed loop has no schedule";
  EXPECT_EQ(
      request_columns({{"max", true}, {"request_rate", 9}}, line, "request_latency_ms_intended"),
      "-");
  EXPECT_EQ(request_columns(json::object(), line, "ttft_ms, request_latency_ms_intended"), "7.0|-")
      << "a record of another tool may lack the kind of load";

  line["sequences"] = 2;
  line["osl_counted"] = 10;
  EXPECT_EQ(request_columns(closed, line, "itl_ms"), "1.0")
      << "4 ms after the first of five tokens";
  line["osl_counted"] = 2;
  EXPECT_EQ(request_columns(closed, line, "itl_ms"), "-") << "each answer has one token";
  line["sequences"] = 1;
  line["last_ns"] = 7'000'005;  // over 2 gaps: 2.5 ns
  line["osl_counted"] = 3;
  EXPECT_EQ(request_columns(closed, line, "itl_ms * 1e6 = 2"), "1") << "half rounds to even";
  line["last_ns"] = 7'000'007;
  EXPECT_EQ(request_columns(closed, line, "itl_ms * 1e6 = 4"), "1");
  line["last_ns"] = 7'000'010;
  line["osl_counted"] = 7;  // 1.67 ns
  EXPECT_EQ(request_columns(closed, line, "itl_ms * 1e6 = 2"), "1");

  line["first_ns"] = line["last_ns"] = 11'000'000;
  line["gaps_ns"] = json::array();
  EXPECT_EQ(request_columns(closed, line, "ttft_ms, itl_ms"), "11.0|-")
      << "all tokens came in one event";
  EXPECT_EQ(
      request_columns(
          body, line,
          "ttft_ms, ttft_ms_intended, itl_ms, request_latency_ms, request_latency_ms_intended"),
      "-|-|-|11.0|12.0")
      << "an answer in one body has no first token";
  line["gaps_ns"] = {0};
  EXPECT_EQ(request_columns(closed, line, "itl_ms"), "0.0") << "two events of one read";

  const char* const latencies =
      "ttft_ms, itl_ms, request_latency_ms, ttft_ms_intended, request_latency_ms_intended, "
      "send_lag_ms";
  EXPECT_EQ(request_columns({{"arrival", "poisson"}}, line, latencies),
            "11.0|0.0|11.0|12.0|12.0|1.0");
  line["error"] = "broken";
  EXPECT_EQ(request_columns({{"arrival", "poisson"}}, line, latencies), "-|-|-|-|-|1.0")
      << "a failed request has no latency";
}

plan::Stage repeat_of(plan::Stage first, const std::string& level, int repeat,
                      std::map<std::string, plan::StageId> needs) {
  first.needs = std::move(needs);
  for (const auto& [name, id] : first.needs) first.components.add("needs " + name, id);
  if (repeat > 0) first.components.add(level, std::to_string(repeat));
  first.digest = first.components.digest();
  first.id = first.spec.name + "-" + first.digest.prefix(8);
  return first;
}

// Two builds, two servers on each, two measurements on each of those.
TEST(Repeats, of_three_levels_are_columns_of_each_measurement) {
  const TemporaryFolder folder;
  {
    plan::Plan plan = make_plan({.concurrencies = {1}});
    const plan::Stage build = plan.stages[0], serve = plan.stages[1], bench = plan.stages[2];
    plan.stages.clear();
    plan.points[0].stages.clear();
    for (int b = 0; b < 2; ++b) {
      plan.stages.push_back(repeat_of(build, "build_repeat", b, {}));
      const std::string built = plan.stages.back().id;
      for (int s = 0; s < 2; ++s) {
        plan.stages.push_back(repeat_of(serve, "serve_repeat", s, {{"build", built}}));
        const std::string served = plan.stages.back().id;
        for (int m = 0; m < 2; ++m) {
          plan.stages.push_back(repeat_of(bench, "repeat", m, {{"serve", served}}));
          plan.stages.back().repeat = m;
        }
      }
    }
    for (plan::Stage& stage : plan.stages)
      stage.points = {0}, plan.points[0].stages.push_back(stage.id);
    store::Store store = open_store(folder.path());
    Driver driver(store, plan);
    for (std::size_t server = 0; server < 4; ++server) {
      const AttemptKey session = driver.start(driver.stage_of("serve", server));
      for (std::size_t m = 0; m < 2; ++m)
        driver.run_bench(2 * server + m, session, measurement(10, 100));
    }
    driver.commit();
  }
  EXPECT_EQ(rows(folder.path(),
                 "SELECT build_repeat, serve_repeat, repeat FROM results_all ORDER BY measurement"),
            (Rows{"0|0|0", "0|0|1", "0|1|0", "0|1|1", "1|0|0", "1|0|1", "1|1|0", "1|1|1"}));
  EXPECT_EQ(rows(folder.path(), "SELECT repeats, serve_repeats FROM results"), Rows{"8|4"});
}

TEST(Answers, are_stored_packed_and_read_completely) {
  const TemporaryFolder folder;
  std::string long_text(300'000, 'x');
  std::vector<json> lines;
  for (int i = 0; i < 6; ++i) {
    json line = requests()[1];
    line["index"] = i;
    line["answer"] = i == 2   ? std::string("a\0b\n\"\xc3\xa4\"", 8)
                     : i == 4 ? std::string("")
                              : long_text + std::to_string(i);
    lines.push_back(line);
  }
  {
    store::Store store = open_store(folder.path());
    Driver driver(store, make_plan({.concurrencies = {1}}));
    driver.run_bench(0, driver.run_serve(), measurement(10, 100), lines);
    driver.commit();
  }
  EXPECT_EQ(rows(folder.path(),
                 "SELECT idx, length(answer), substr(answer, -1) FROM answers WHERE idx NOT IN (2, "
                 "4) ORDER BY idx"),
            (Rows{"0|300001|0", "1|300001|1", "3|300001|3", "5|300001|5"}));
  EXPECT_EQ(rows(folder.path(), "SELECT hex(answer) FROM answers WHERE idx = 2"),
            Rows{"61EFBFBD620A22C3A422"});
  EXPECT_EQ(
      rows(folder.path(), "SELECT count(*) > 1, sum(length(texts)) < 20000 FROM answer_block"),
      Rows{"1|1"});
}

TEST(Answers, and_their_scores_are_the_only_views_that_other_programs_cannot_read) {
  if (std::system("command -v sqlite3 > /dev/null") != 0)
    GTEST_SKIP() << "sqlite3 is not installed";
  const TemporaryFolder folder;
  complete_run(folder.path(), {.concurrencies = {1}});
  std::string views;
  for (const std::string& name :
       rows(folder.path(),
            "SELECT name FROM sqlite_schema WHERE type = 'view' AND name NOT IN ('answers', "
            "'answer_scores')"))
    views += fmt::format("SELECT count(*) > 0 FROM {};", name);
  EXPECT_EQ(std::system(
                fmt::format("sqlite3 {}/results.db '{}' > /dev/null", folder.path().string(), views)
                    .c_str()),
            0);
  EXPECT_NE(std::system(
                fmt::format("sqlite3 {}/results.db 'SELECT count(*) FROM answers' > /dev/null 2>&1",
                            folder.path().string())
                    .c_str()),
            0);
}

}  // namespace server_side_test
}  // namespace orch
