// The rows of the views after runs with different outcomes.
#include "bench/measure/metrics.hpp"
#include "results/store/sample.hpp"
#include "spec/matrix/columns.hpp"
#include "spec/matrix/name_rules.hpp"

namespace orch {
namespace views_test {

using namespace sample;

TEST(Results, a_measured_point_is_one_row_with_its_parameters_and_metrics) {
  const TemporaryFolder folder;
  complete_run(folder.path());
  EXPECT_EQ(
      rows(folder.path(),
           "SELECT experiment, run, point, model, batch_size, concurrency, ttft_ms, output_tps, "
           "ttft_ms_sd, ttft_ms_min, ttft_ms_max, ttft_ms_p99, ttft_ms_n, "
           "repeats, unsupported FROM results ORDER BY point"),
      (Rows{"quick|1|tiny_c1-aaaaaa|tiny|8|1|10.0|100.0|0.5|9.0|12.0|11.5|2|1|ttft_ms_p999",
            "quick|1|tiny_c4-aaaaaa|tiny|8|4|11.0|101.0|0.5|10.0|13.0|12.5|2|1|ttft_ms_p999"}));
}

TEST(Results, parameters_keep_their_types) {
  const TemporaryFolder folder;
  complete_run(folder.path(), {.concurrencies = {1},
                               .more = {{"trtllm_version", {matrix::Type::version, "0.10"}},
                                        {"stream", {matrix::Type::boolean, "true"}},
                                        {"rate", {matrix::Type::real, "2.50"}}}});
  EXPECT_EQ(rows(folder.path(),
                 "SELECT trtllm_version, typeof(trtllm_version), stream, typeof(stream), rate, "
                 "typeof(rate), typeof(concurrency) FROM results"),
            (Rows{"0.10|text|1|integer|2.5|real|integer"}));
}

TEST(Results, include_metrics_of_earlier_stages) {
  const TemporaryFolder folder;
  complete_run(folder.path(), {.concurrencies = {1}});
  EXPECT_EQ(rows(folder.path(), "SELECT server_start_s, build_s, engine_gib FROM results"),
            (Rows{"3.25|12.5|1.0"}));
}

TEST(Results, show_only_the_newest_valid_row_and_results_all_the_others_with_reasons) {
  const TemporaryFolder folder;
  {
    store::Store store = open_store(folder.path());
    Driver driver(store, make_plan({.concurrencies = {1}}));
    driver.run_build();
    const AttemptKey session = driver.run_serve();
    driver.run_bench(0, session, measurement(10, 100));
    driver.run_bench(0, session, measurement(20, 90));
    driver.run_bench(0, session,
                     invalid_measurement({"the client was busy", "the window is short"}));
    driver.commit();
  }
  EXPECT_EQ(rows(folder.path(), "SELECT point, ttft_ms, output_tps FROM results"),
            (Rows{"tiny_c1-aaaaaa|20.0|90.0"}));
  EXPECT_EQ(rows(folder.path(),
                 "SELECT attempt, valid, reasons, ttft_ms FROM results_all ORDER BY measurement"),
            (Rows{"1|1||10.0", "2|1||20.0", "3|0|the client was busy; the window is short|99.0"}));
}

TEST(Results, intervals_of_means_and_of_single_values_are_columns) {
  const TemporaryFolder folder;
  {
    store::Store store = open_store(folder.path());
    Driver driver(store, make_plan({.concurrencies = {1}}));
    driver.run_build();
    json measured = measurement(10, 100);
    measured["metrics"]["ttft_ms"]["interval_low"] = 9.5;
    measured["metrics"]["ttft_ms"]["interval_high"] = 10.75;
    measured["intervals"] = {{"output_tps", {{"interval_low", 97.5}, {"interval_high", 102.5}}},
                             {"nothing", 1}};
    driver.run_bench(0, driver.run_serve(), measured);
    driver.commit();
  }
  EXPECT_EQ(rows(folder.path(),
                 "SELECT ttft_ms_interval_low, ttft_ms_interval_high, output_tps, "
                 "output_tps_interval_low, output_tps_interval_high FROM results"),
            (Rows{"9.5|10.75|100.0|97.5|102.5"}));
}

TEST(Results, repeats_are_one_row_with_their_mean) {
  const TemporaryFolder folder;
  complete_run(folder.path(), {.concurrencies = {1}, .repeats = 3});  // ttft 10, 11, 12
  EXPECT_EQ(rows(folder.path(),
                 "SELECT repeats, ttft_ms, ttft_ms_min, ttft_ms_max, ttft_ms_n FROM results"),
            (Rows{"3|11.0|9.0|14.0|6"}));
  EXPECT_EQ(rows(folder.path(), "SELECT repeat, ttft_ms FROM results_all ORDER BY repeat"),
            (Rows{"0|10.0", "1|11.0", "2|12.0"}));
}

TEST(Results, repeats_keep_every_warning_and_every_percentile_that_is_not_supported) {
  const TemporaryFolder folder;
  {
    store::Store store = open_store(folder.path());
    Driver driver(store, make_plan({.concurrencies = {1}, .repeats = 4}));
    const AttemptKey session = driver.run_serve();
    const std::vector<std::string> warnings[] = {{"slow, it seems", "odd"}, {}, {"late"}, {"late"}};
    for (std::size_t nth = 0; nth < 4; ++nth) {
      json measured = measurement(10, 100);
      measured["warnings"] = warnings[nth];
      measured["unsupported"] = nth == 0 ? json{"ttft_ms_p999"} : json{"itl_ms_p99"};
      driver.run_bench(nth, session, measured);
    }
    driver.commit();
  }
  EXPECT_EQ(rows(folder.path(), "SELECT repeats, warnings, unsupported FROM results"),
            (Rows{"4|slow, it seems; odd; late|ttft_ms_p999 itl_ms_p99"}));
}

TEST(Results, a_reused_measurement_is_shown_under_every_experiment_that_requests_it) {
  const TemporaryFolder folder;
  complete_run(folder.path(), {.concurrencies = {1}});
  {
    store::Store store = open_store(folder.path());
    plan::Plan plan = make_plan({.experiment = "other", .concurrencies = {1}});
    for (plan::Stage& each : plan.stages) each.status = plan::Status::reuse;
    Driver driver(store, std::move(plan));
  }
  EXPECT_EQ(
      rows(folder.path(),
           "SELECT experiment, run, point, ttft_ms, measured_run FROM results ORDER BY experiment"),
      (Rows{"other|2|tiny_c1-aaaaaa|10.0|1", "quick|1|tiny_c1-aaaaaa|10.0|1"}));
  EXPECT_EQ(
      rows(folder.path(), "SELECT experiment, run, ttft_ms FROM results_all ORDER BY experiment"),
      (Rows{"other|2|10.0", "quick|1|10.0"}));
}

TEST(Results, a_row_of_results_all_names_the_run_that_measured) {
  const TemporaryFolder folder;
  {
    store::Store store = open_store(folder.path());
    const Driver died(store, make_plan({.concurrencies = {1}}));
  }
  complete_run(folder.path(), {.concurrencies = {1}});
  complete_run(folder.path(), {.concurrencies = {1}}, 20);
  EXPECT_EQ(rows(folder.path(), "SELECT run, ttft_ms FROM results_all ORDER BY measurement"),
            (Rows{"2|10.0", "3|20.0"}));
}

TEST(Results, points_that_share_a_measurement_keep_their_own_parameters) {
  const TemporaryFolder folder;
  {
    store::Store store = open_store(folder.path());
    plan::Plan plan = make_plan({.concurrencies = {1}});
    plan.points.push_back(plan.points[0]);
    plan.points[1].point.name = "tiny_c1_note-bbbbbb";
    plan.points[1].point.parameters.set("note", text("second"));
    Driver driver(store, std::move(plan));
    driver.run_bench(0, driver.run_serve(), measurement(10, 100));
    driver.commit();
  }
  EXPECT_EQ(rows(folder.path(), "SELECT point, note, ttft_ms FROM results ORDER BY point"),
            (Rows{"tiny_c1-aaaaaa|-|10.0", "tiny_c1_note-bbbbbb|second|10.0"}));
}

TEST(Results, an_older_measurement_is_shown_until_the_point_has_a_new_one) {
  const TemporaryFolder folder;
  complete_run(folder.path(), {.concurrencies = {1}});
  store::Store store = open_store(folder.path());
  plan::Plan plan = make_plan({.concurrencies = {1}});
  plan.stages.back() =
      stage("bench", runner::Kind::measure, {{"concurrency", integer(1)}, {"warmup", integer(2)}},
            plan.stages.back().needs);
  plan.points[0].stages.back() = plan.stages.back().id;
  Driver driver(store, std::move(plan));
  EXPECT_EQ(rows(folder.path(), "SELECT run, ttft_ms FROM results"), (Rows{"1|10.0"}));
  driver.run_bench(0, driver.run_serve(), measurement(30, 100));
  driver.commit();
  EXPECT_EQ(rows(folder.path(), "SELECT run, ttft_ms FROM results"), (Rows{"2|30.0"}));
}

TEST(Results, goodput_of_a_matrix_reads_the_per_request_metrics) {
  for (const measure::MetricRow& row : measure::metric_table()) {
    Errors errors;
    matrix::check_goodput({.name = {}, .sql = fmt::format("{} > 0", row.name), .where = {}},
                          errors);
    EXPECT_EQ(errors.empty(), row.each != nullptr) << row.name;
  }
}

TEST(Views, requests_and_answers_are_shown_per_point) {
  const TemporaryFolder folder;
  complete_run(folder.path(), {.concurrencies = {1}});
  EXPECT_EQ(rows(folder.path(),
                 "SELECT point, warmup, sent_s, ttft_ms, request_latency_ms, itl_ms, isl_counted, "
                 "osl_requested, osl_counted, status, error FROM requests ORDER BY warmup"),
            (Rows{"tiny_c1-aaaaaa|0|0.0|7.0|11.0|2.0|32|3|3|200|-",
                  "tiny_c1-aaaaaa|1|-0.009|4.0|8.0|2.0|32|3|3|200|-"}));
  EXPECT_EQ(rows(folder.path(), "SELECT point, answer FROM answers WHERE NOT warmup"),
            (Rows{"tiny_c1-aaaaaa|it is, \"so\""}));
}

TEST(Views, server_counters_show_values_before_and_after) {
  const TemporaryFolder folder;
  complete_run(folder.path(), {.concurrencies = {1}});
  EXPECT_EQ(rows(folder.path(), "SELECT name, before, after FROM server_counter"),
            (Rows{"nv_requests{model=\"m\"}|3.0|5.0"}));
}

TEST(Views, server_metrics_have_increases_and_ranges_of_gauges) {
  const TemporaryFolder folder;
  {
    store::Store store = open_store(folder.path());
    Driver driver(store, make_plan({.concurrencies = {1}}));
    json measured = measurement(10, 100);
    const std::string queue =
        R"(nv_inference_queue_duration_us{model="preprocessing",version="1"})";
    const std::string fresh =
        R"(nv_inference_request_failure{model="preprocessing",reason="BACKEND",version="1"})";
    const std::string active =
        R"(nv_trt_llm_request_metrics{model="tensorrt_llm",request_type="active",version="1"})";
    const std::string again =
        R"(nv_trt_llm_general_metrics{general_type="iteration_counter",model="tensorrt_llm",version="1"})";
    measured["server_before"] = {{queue, 100}, {active, 0}, {again, 50}, {"no name", 1}};
    measured["server_after"] = {{queue, 400}, {fresh, 2},     {active, 0},
                                {again, 3},   {"no name", 4}, {"text", "7"}};
    measured["server_kinds"] = {{queue, "counter"},
                                {fresh, "counter"},
                                {active, "gauge"},
                                {again, "counter"},
                                {"no name", "sum\"; DROP TABLE run"}};
    measured["server_during"] = {{active, {{"min", 1}, {"max", 8}, {"mean", 4.5}, {"n", 12}}},
                                 {"not there", {{"min", 1}}},
                                 {queue, 3}};
    driver.run_bench(0, driver.run_serve(), measured);
    driver.commit();
  }
  EXPECT_EQ(rows(folder.path(),
                 "SELECT point, family, model, label, kind, before, after, delta, min, max, mean, "
                 "n FROM server_metrics ORDER BY series"),
            (Rows{"tiny_c1-aaaaaa|no|-||-|1.0|4.0|3.0|-|-|-|-",
                  "tiny_c1-aaaaaa|nv_inference_queue_duration_us|preprocessing||counter|100.0|400."
                  "0|300.0|-|-|-|-",
                  "tiny_c1-aaaaaa|nv_inference_request_failure|preprocessing|BACKEND|counter|-|2.0|"
                  "2.0|-|-|-|-",
                  "tiny_c1-aaaaaa|nv_trt_llm_general_metrics|tensorrt_llm|iteration_counter|"
                  "counter|50.0|3.0|-|-|-|-|-",
                  "tiny_c1-aaaaaa|nv_trt_llm_request_metrics|tensorrt_llm|active|gauge|0.0|0.0|-|1."
                  "0|8.0|4.5|12",
                  "tiny_c1-aaaaaa|text|-||-|-|-|-|-|-|-|-"}));
}

TEST(Views, failures_have_stage_class_and_number_of_points) {
  const TemporaryFolder folder;
  {
    store::Store store = open_store(folder.path());
    Driver driver(store, make_plan());
    driver.end(driver.start(driver.stage_of("build")), "network", "no route");
    driver.end(driver.start(driver.stage_of("build")), "out_of_memory", "the kernel killed it");
    driver.journal->append(schedule::StageMoved{.stage = driver.stage_of("serve").id,
                                                .from = State::planned,
                                                .to = State::failed,
                                                .why = "no free port",
                                                .at = driver.now});
    const AttemptKey bench = driver.run_bench(0, {}, invalid_measurement({"the client was busy"}));
    driver.journal->append(schedule::StageMoved{.stage = bench.stage,
                                                .from = State::done,
                                                .to = State::failed,
                                                .why = "invalid",
                                                .at = driver.now});
    driver.commit();
  }
  EXPECT_EQ(rows(folder.path(),
                 "SELECT substr(stage, 1, 5), kind, attempt, class, message, final, points, "
                 "exit_code FROM failures ORDER BY stage, attempt"),
            (Rows{"bench|measure|1|invalid_measurement|the client was busy|1|1|0",
                  "build|task|1|network|no route|0|2|1",
                  "build|task|2|out_of_memory|the kernel killed it|1|2|1",
                  "serve|service|-||no free port|1|2|-"}));
}

TEST(Views, failures_of_a_measurement_whose_server_died_have_the_class_of_the_server) {
  const TemporaryFolder folder;
  {
    store::Store store = open_store(folder.path());
    Driver driver(store, make_plan());
    driver.run_bench(0, {}, invalid_measurement({"the window is short"}));
    const AttemptKey bench = driver.run_bench(0, {}, invalid_measurement({"no request succeeded"}));
    driver.journal->append(schedule::StageMoved{.stage = bench.stage,
                                                .from = State::done,
                                                .to = State::failed,
                                                .why = "server_crash: ended by SIGSEGV: 11",
                                                .at = driver.now});
    driver.commit();
  }
  EXPECT_EQ(
      rows(folder.path(), "SELECT attempt, class, message, final FROM failures ORDER BY attempt"),
      (Rows{"1|invalid_measurement|the window is short|0",
            "2|server_crash|ended by SIGSEGV: 11|1"}));
}

TEST(Views, provenance_names_command_artifact_and_machine_of_every_stage_of_a_point) {
  const TemporaryFolder folder;
  complete_run(folder.path(), {.concurrencies = {1}});
  const plan::Plan plan = make_plan({.concurrencies = {1}});
  EXPECT_EQ(
      rows(folder.path(),
           "SELECT point, stage, command, artifact, artifact_bytes, length(artifact_digest), "
           "made_by_run, machine FROM provenance"),
      (Rows{fmt::format("tiny_c1-aaaaaa|{0}|[\"/usr/bin/build\",\"--go\"]|artifacts/"
                        "{0}|1073741824|64|1|{{\"cpu_model\":\"Sample CPU\",\"host\":\"here\"}}",
                        plan.stages[0].id),
            fmt::format(
                "tiny_c1-aaaaaa|{}|[\"/usr/bin/serve\",\"--go\"]|-|-|-|1|{{\"cpu_model\":\"Sample "
                "CPU\",\"host\":\"here\"}}",
                plan.stages[1].id),
            fmt::format(
                "tiny_c1-aaaaaa|{}|[\"/usr/bin/bench\",\"--go\"]|-|-|-|1|{{\"cpu_model\":\"Sample "
                "CPU\",\"host\":\"here\"}}",
                plan.stages[2].id)}));
}

TEST(Views, provenance_is_that_of_the_measurement_in_results) {
  const TemporaryFolder folder;
  store::Store store = open_store(folder.path());
  Driver driver(store, make_plan({.concurrencies = {1}}));
  driver.run_bench(0, driver.run_serve(), measurement(10, 100));
  driver.run_bench(0, driver.run_serve(), invalid_measurement({"busy"}));
  driver.commit();
  EXPECT_EQ(rows(folder.path(), "SELECT name, attempt FROM provenance"),
            (Rows{"build|-", "serve|1", "bench|1"}));
}

TEST(Views, stages_have_planned_status_and_state) {
  const TemporaryFolder folder;
  {
    store::Store store = open_store(folder.path());
    plan::Plan plan = make_plan({.concurrencies = {1}});
    plan.stages[1].status = plan::Status::idle;
    plan.stages[1].why = "nothing needs it";
    Driver driver(store, std::move(plan));
    driver.run_build();
    driver.commit();
  }
  EXPECT_EQ(
      rows(folder.path(),
           "SELECT name, planned, state, why, attempts, points, wall_s FROM stages ORDER BY name"),
      (Rows{"bench|run|planned|nothing on record|0|1|-",
            "build|run|done|nothing on record|1|1|12.5",
            "serve|idle|idle|nothing needs it|0|1|-"}));
}

}  // namespace views_test
}  // namespace orch
