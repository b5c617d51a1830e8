// Queries: their results, formats and refusals.
#include "report/query.hpp"

#include "report/describe.hpp"
#include "report/logs.hpp"
#include "report/status.hpp"
#include "store/sample.hpp"

namespace orch {
namespace {

using namespace sample;
using report::Format;

class Report : public testing::Test {
 protected:
  void SetUp() override { complete_run(folder_.path()); }

  store::Store& reader() {
    if (!store_) store_.emplace(open_store(folder_.path(), store::Mode::read));
    return *store_;
  }
  std::string ask(const std::string& query, Format format = Format::csv) {
    const auto text = report::run_query(reader().database(), query, format);
    return text.ok() ? *text : "error: " + text.error().text();
  }

  TemporaryFolder folder_;
  std::optional<store::Store> store_;
};

TEST_F(Report, prints_the_same_rows_in_four_formats) {
  const std::string query =
      "SELECT point, concurrency AS c, ttft_ms, NULL AS none, '' AS empty, x'00ff' AS b FROM "
      "results ORDER BY point LIMIT 1";
  EXPECT_EQ(ask(query, Format::csv),
            "point,c,ttft_ms,none,empty,b\ntiny_c1-aaaaaa,1,10,,\"\",00ff\n");
  EXPECT_EQ(ask(query, Format::json),
            "[\n {\"point\": \"tiny_c1-aaaaaa\", \"c\": 1, \"ttft_ms\": 10.0, \"none\": null, "
            "\"empty\": \"\", \"b\": \"00ff\"}\n]\n");
  EXPECT_EQ(ask(query, Format::table),
            "point           c  ttft_ms  none  empty  b\ntiny_c1-aaaaaa  1       10     -         "
            "(2 bytes)\n");
  EXPECT_EQ(ask(query, Format::markdown),
            "| point | c | ttft_ms | none | empty | b |\n| --- | ---: | ---: | ---: | --- | --- "
            "|\n| tiny_c1-aaaaaa | 1 | 10 | - |  | (2 bytes) |\n");
}

TEST_F(Report, no_rows_are_an_empty_array_or_a_heading) {
  EXPECT_EQ(ask("SELECT 1 AS a WHERE 0", Format::json), "[]\n");
  EXPECT_EQ(ask("SELECT 1 AS a WHERE 0", Format::csv), "a\n");
}

TEST_F(Report, numbers_keep_every_digit_for_programs_and_five_for_people) {
  const std::string query =
      "SELECT 0.1 + 0.2 AS a, 123456.789 AS b, 9007199254740993 AS c, 1e-9 AS d, 12.5 AS e, 9e999 "
      "AS f";
  EXPECT_EQ(ask(query, Format::json),
            "[\n {\"a\": 0.30000000000000004, \"b\": 123456.789, \"c\": 9007199254740993, \"d\": "
            "1e-09, \"e\": 12.5, \"f\": null}\n]\n");
  EXPECT_EQ(ask(query, Format::table),
            "  a       b                 c           d     e  f\n0.3  123457  9007199254740993  "
            "1.0000e-09  12.5  inf\n");
}

TEST_F(Report, texts_with_quotes_lines_and_control_characters_break_no_format) {
  const std::string query = "SELECT 'a\"b,' || char(10) || char(27) || '|' AS t";
  EXPECT_EQ(ask(query, Format::csv), "t\n\"a\"\"b,\n\x1b|\"\n");
  EXPECT_EQ(ask(query, Format::json), "[\n {\"t\": \"a\\\"b,\\n\\u001b|\"}\n]\n");
  EXPECT_EQ(ask(query, Format::table), "t\na\"b,\\n\\x1b|\n");
  EXPECT_EQ(ask(query, Format::markdown), "| t |\n| --- |\n| a\"b,\\n\\x1b\\| |\n");
}

TEST_F(Report, two_columns_of_one_name_are_two_members) {
  EXPECT_EQ(ask("SELECT 1 AS a, 2 AS a", Format::json), "[\n {\"a\": 1, \"a_2\": 2}\n]\n");
}

TEST_F(Report, a_bare_name_is_the_whole_view) {
  EXPECT_EQ(
      ask("answers"),
      "experiment,run,point,measurement,idx,warmup,answer\n"
      "quick,1,tiny_c1-aaaaaa,1,0,1,warm\nquick,1,tiny_c1-aaaaaa,1,0,0,\"it is, \"\"so\"\"\"\n"
      "quick,1,tiny_c4-aaaaaa,2,0,1,warm\nquick,1,tiny_c4-aaaaaa,2,0,0,\"it is, \"\"so\"\"\"\n");
  EXPECT_EQ(ask(" -- mine\n answers ; "), ask("answers"));
}

TEST_F(Report, a_bare_results_is_shortened_in_a_table_with_a_note) {
  const auto answer = report::query_output(reader().database(), "results", Format::table);
  ASSERT_TRUE(answer.ok());
  EXPECT_THAT(
      answer->text,
      testing::StartsWith(
          "experiment  run  point           batch_size  concurrency  model  ttft_ms  output_tps  "
          "server_start_s  build_s  engine_gib  repeats  serve_repeats  ttft_ms_p99  "));
  EXPECT_THAT(answer->text, testing::Not(testing::HasSubstr("ttft_ms_sd")));
  EXPECT_EQ(answer->note,
            "4 columns are not shown (statistics other than mean and p99, and columns without a "
            "value): --format csv or json has them, or name them in SQL");
  EXPECT_THAT(ask("results", Format::csv), testing::HasSubstr(",ttft_ms_sd,"));
}

TEST_F(Report, a_wrong_name_is_one_line_with_a_suggestion) {
  EXPECT_EQ(ask("SELECT ttft_m FROM results"),
            "error: SQLite: no such column: ttft_m; did you mean 'ttft_ms'?");
  EXPECT_EQ(
      ask("SELECT ttft_ms FROM failures"),
      "error: SQLite: no such column: ttft_ms; there is one in results, results_all, requests");
  EXPECT_EQ(ask("SELECT * FROM result"),
            "error: SQLite: no such table: result; did you mean 'results'?");
  EXPECT_EQ(ask("reslts"), "error: SQLite: no such table: reslts; did you mean 'results'?");
  EXPECT_EQ(ask("SELECT\n1 +"), "error: SQLite: incomplete input");
}

TEST_F(Report, a_writing_statement_is_refused_and_has_no_effect) {
  const std::string other = (folder_.path() / "other.db").string();
  for (const std::string& query :
       {std::string("DELETE FROM metric"), "VACUUM INTO '" + other + "'",
        "ATTACH '" + other + "' AS o", std::string("/* select */ drop table metric")})
    EXPECT_THAT(ask(query),
                testing::StartsWith("error: a query only reads: start it with SELECT or WITH"))
        << query;
  EXPECT_EQ(ask("WITH x AS (SELECT 1) DELETE FROM metric"),
            "error: a query only reads; this one would change the database");
  EXPECT_THAT(ask("SELECT 1; DROP TABLE metric"),
              testing::StartsWith("error: more than one statement"));
  EXPECT_EQ(ask("PRAGMA user_version = 9"),
            "error: a query only reads; this one would change the database");
  EXPECT_FALSE(std::filesystem::exists(other));
  EXPECT_EQ(ask("SELECT count(*) > 0 AS any FROM metric"), "any\n1\n");
}

TEST_F(Report, without_sql_lists_every_view_with_its_columns) {
  const auto list = report::list_views(reader().database(), Format::table);
  ASSERT_TRUE(list.ok());
  EXPECT_THAT(
      *list, testing::HasSubstr("results\n  one row per experiment and point: the newest valid "
                                "measurement, as the mean over its repeats with its 95 % interval\n"
                                "  columns: experiment run point batch_size concurrency model "
                                "ttft_ms output_tps server_start_s build_s\n    engine_gib repeats "
                                "serve_repeats unsupported warnings measured_run measured_at\n"));
  EXPECT_THAT(*list,
              testing::HasSubstr(
                  "  and for metrics with a distribution: NAME_sd NAME_min NAME_max NAME_p50"));
  for (const char* view :
       {"results_all\n", "failures\n", "stages\n", "provenance\n", "requests\n", "answers\n"})
    EXPECT_THAT(*list, testing::HasSubstr(view));
  EXPECT_THAT(
      report::list_views(reader().database(), Format::csv).value(),
      testing::HasSubstr(
          "\nanswers,one row per request: the text that the model returned; only `orchestrate "
          "query` can read it,experiment run point measurement idx warmup answer\n"));
}

// --- names, show, logs, status

TEST_F(Report, an_unambiguous_prefix_is_enough) {
  EXPECT_EQ(report::find_named(reader().database(), "tiny_c4")->name, "tiny_c4-aaaaaa");
  EXPECT_EQ(report::find_named(reader().database(), "bui")->kind, report::Named::Kind::stage);
  EXPECT_EQ(report::find_named(reader().database(), "tiny").error().text(),
            "'tiny' is the beginning of 2 names; write more characters of one:\n  tiny_c1-aaaaaa\n "
            " tiny_c4-aaaaaa");
  EXPECT_EQ(
      report::find_named(reader().database(), "tiny_c5-aaaaaa").error().text(),
      "no point or stage is named 'tiny_c5-aaaaaa'; did you mean 'tiny_c1-aaaaaa'?; `orchestrate "
      "query \"select point from results_all\"` and `orchestrate query stages` list them");
}

TEST_F(Report, show_describes_a_point) {
  const auto named = report::find_named(reader().database(), "tiny_c1");
  const auto text =
      report::describe(reader().database(), reader().layout().root, *named, report::Shape::json);
  ASSERT_TRUE(text.ok()) << text.error().text();
  const json point = json::parse(*text);
  EXPECT_EQ(point["point"], "tiny_c1-aaaaaa");
  EXPECT_EQ(point["parameters"], (json{{"model", "tiny"}, {"batch_size", 8}, {"concurrency", 1}}));
  EXPECT_EQ(
      point["measurements"][0]["metrics"]["ttft_ms"],
      (json{{"mean", 10.0}, {"sd", 0.5}, {"min", 9.0}, {"max", 12.0}, {"p99", 11.5}, {"n", 2}}));
  EXPECT_EQ(point["measurements"][0]["metrics"]["build_s"], 12.5);
  EXPECT_EQ(point["stages"].size(), 3u);
  EXPECT_EQ(point["stages"][0]["command"], (json{"/usr/bin/build", "--go"}));
  EXPECT_EQ(point["stages"][0]["machine"]["cpu_model"], "Sample CPU");
  const auto people =
      report::describe(reader().database(), reader().layout().root, *named, report::Shape::text);
  EXPECT_THAT(*people,
              testing::HasSubstr("point tiny_c1-aaaaaa\n  requested by quick, newest run 1\n"));
  EXPECT_THAT(*people, testing::HasSubstr("\n  command: /usr/bin/build --go\n"));
  EXPECT_THAT(*people, testing::HasSubstr("machine: cpu_model=Sample CPU host=here\n"));
}

TEST_F(Report, show_describes_a_stage) {
  const auto named = report::find_named(reader().database(), "build");
  const json stage = json::parse(
      report::describe(reader().database(), reader().layout().root, *named, report::Shape::json)
          .value());
  EXPECT_EQ(stage["stage"], named->name);
  EXPECT_EQ(stage["digest"], make_plan().stages[0].digest.hex());
  EXPECT_EQ(stage["points"], (json{"tiny_c1-aaaaaa", "tiny_c4-aaaaaa"}));
  EXPECT_EQ(stage["components"][1], (json{"model", "tiny"}));
  EXPECT_EQ(stage["attempts"][0]["artifact"],
            (reader().layout().root / "artifacts" / named->name).string());
  EXPECT_EQ(stage["attempts"][0]["artifact_bytes"], 1 << 30);
  const auto people =
      report::describe(reader().database(), reader().layout().root, *named, report::Shape::text);
  EXPECT_THAT(*people, testing::HasSubstr("(1 files, 1.0 GiB, digest "));
}

TEST_F(Report, logs_of_a_point_are_those_of_its_failed_stages_or_of_all) {
  const report::Named point{report::Named::Kind::point, "tiny_c1-aaaaaa"};
  auto names = [&] {
    std::vector<std::string> out;
    store_.reset();
    const auto logs = report::logs_of(reader().database(), "/store", point);
    for (const auto& log : *logs)
      out.push_back(log.stage.substr(0, 5) + " " + std::to_string(log.attempt) + " " + log.state +
                    " " + log.file.string().substr(0, 18));
    store_.reset();
    return out;
  };
  EXPECT_EQ(names(),
            (Rows{"build 1 done /store/logs/build-", "serve 1 not ended /store/logs/serve-",
                  "bench 1 done /store/logs/bench-"}));
  {
    store::Store store = open_store(folder_.path());
    Driver driver(store, make_plan());
    driver.end(driver.start(driver.stage_of("build")), "out_of_memory", "killed");
    driver.commit();
  }
  EXPECT_EQ(names(), Rows{"build 2 failed: out_of_memory /store/logs/build-"});
}

TEST_F(Report, logs_of_a_stage_that_never_started_are_an_error) {
  {
    store::Store store = open_store(folder_.path());
    Driver driver(store, make_plan({.concurrencies = {9}}));
  }
  const plan::Plan plan = make_plan({.concurrencies = {9}});
  const auto logs = report::logs_of(reader().database(), "/store",
                                    {report::Named::Kind::stage, plan.stages[2].id});
  EXPECT_EQ(
      logs.error().text(),
      fmt::format(
          "{0} has not been started, so it has no log; `orchestrate show {0}` gives the reason",
          plan.stages[2].id));
}

TEST_F(Report, status_has_counts_running_stages_and_an_estimate) {
  store::Store store = open_store(folder_.path());
  plan::Plan plan = make_plan({.concurrencies = {1, 4, 16}});
  plan.stages[0].status = plan::Status::reuse;
  plan.points.push_back({.point = {}, .status = plan::Status::reject, .why = "rule", .stages = {}});
  plan.points.back().point.name = "refused-bbbbbb";
  Driver driver(store, plan);
  driver.now = 1'700'000'100;
  const AttemptKey session = driver.run_serve();
  driver.run_bench(0, session, measurement(1, 1));
  driver.end(driver.start(driver.stage_of("bench", 1)), "server_died", "it went away\nlast line");
  driver.commit();
  const auto status = report::read_status(
      reader().database(), {.run = {}, .holder = "pid 1 on here since now", .now = 1'700'000'111});
  ASSERT_TRUE(status.ok()) << status.error().text();
  EXPECT_EQ(report::status_text(*status),
            fmt::format(
                "run 2 of quick: running (pid 1 on here since now), started 2023-11-14T22:13:20Z\n"
                "  command: orchestrate run quick.yaml\n"
                "  points:  1 done, 1 failed, 1 left, 1 rejected\n"
                "  stages:  1 done, 1 failed, 1 planned, 1 reused, 1 running\n"
                "  now:     {} running for 10.0 s\n"
                "  failed:  {} (server_died, 1 point): it went away\n"
                "  left:    about 12.5 s of work, one stage after the other\n",
                driver.stage_of("serve").id, driver.stage_of("bench", 1).id));
  const json object = json::parse(report::status_json(*status));
  EXPECT_EQ(object["points"], (json{{"done", 1}, {"failed", 1}, {"left", 1}, {"rejected", 1}}));
  EXPECT_EQ(object["left_s"], 12.5);
}

TEST_F(Report, status_of_a_run_without_a_process_is_died) {
  {
    store::Store store = open_store(folder_.path());
    Driver driver(store, make_plan());
  }
  EXPECT_EQ(report::read_status(reader().database(), {.run = {}, .holder = {}, .now = 0})->state,
            "died");
  EXPECT_EQ(report::read_status(reader().database(), {.run = 1, .holder = {}, .now = 0})->state,
            "done");
  EXPECT_EQ(
      report::read_status(reader().database(), {.run = 5, .holder = {}, .now = 0}).error().kind,
      ErrorKind::not_found);
}

TEST_F(Report, mean_stage_seconds_are_wall_times_and_start_times_of_servers) {
  const auto means = report::mean_stage_seconds(reader().database());
  ASSERT_TRUE(means.ok());
  EXPECT_EQ(ask("SELECT name, printf('%g', avg(wall_s)) AS s FROM stages WHERE name = 'build' "
                "GROUP BY name"),
            fmt::format("name,s\nbuild,{:g}\n", means->at("build")));
  EXPECT_EQ(ask("SELECT printf('%g', max(server_start_s)) AS s FROM results"),
            fmt::format("s\n{:g}\n", means->at("serve")));
}

}  // namespace
}  // namespace orch
