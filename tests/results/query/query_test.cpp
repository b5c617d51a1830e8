// Queries: their results, formats and refusals.
#include "analysis/report/support.hpp"

namespace orch {
namespace query_test {

using namespace sample;
using report::Format;

using Report = ReportTest;

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
            "| point | c | ttft\\_ms | none | empty | b |\n| --- | ---: | ---: | ---: | --- | --- "
            "|\n| tiny\\_c1-aaaaaa | 1 | 10 | - |  | \\(2 bytes\\) |\n");
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
  EXPECT_EQ(ask(query, Format::markdown), "| t |\n| --- |\n| a\"b,\\\\n\\\\x1b\\| |\n");
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
  EXPECT_EQ(answer->text,
            "In all rows: experiment quick, run 1, runner sample, tool native, batch_size 8, model "
            "tiny, repeats 1, serve_repeats 1, service own, measured_run 1\n\n"
            "point           concurrency  ttft_ms  output_tps  ttft_ms_p99\n"
            "tiny_c1-aaaaaa            1       10         100         11.5\n"
            "tiny_c4-aaaaaa            4       11         101         12.5\n");
  EXPECT_EQ(answer->note,
            "11 columns are not shown (further figures and statistics, and columns without a "
            "value): --format csv or json has them, or name them in SQL");
  EXPECT_THAT(ask("results", Format::csv), testing::HasSubstr(",ttft_ms_sd,"));
}

TEST_F(Report, a_wrong_name_is_one_line_with_a_suggestion) {
  EXPECT_EQ(ask("SELECT ttft_m FROM results"),
            "error: SQLite: no such column: ttft_m; did you mean 'ttft_ms'?");
  EXPECT_EQ(ask("SELECT ttft_ms FROM failures"),
            "error: SQLite: no such column: ttft_ms; it is a column of results, results_by_tool, "
            "results_all, requests");
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
                testing::StartsWith("error: queries are read-only: start with SELECT or WITH"))
        << query;
  EXPECT_EQ(ask("WITH x AS (SELECT 1) DELETE FROM metric"),
            "error: queries are read-only; this one would change the database");
  EXPECT_THAT(ask("SELECT 1; DROP TABLE metric"),
              testing::StartsWith("error: more than one statement"));
  EXPECT_EQ(ask("PRAGMA user_version = 9"),
            "error: queries are read-only; this one would change the database");
  EXPECT_FALSE(std::filesystem::exists(other));
  EXPECT_EQ(ask("SELECT count(*) > 0 AS any FROM metric"), "any\n1\n");
}

TEST_F(Report, without_sql_lists_every_view_with_its_columns) {
  const auto list = report::list_views(reader().database(), Format::table);
  ASSERT_TRUE(list.ok());
  EXPECT_THAT(
      *list,
      testing::HasSubstr(
          "results\n  one row per experiment and point: its valid measurements, as the mean over "
          "server sessions with its 95 % interval; "
          "of orchestrate's own load generator, unless a query reads `tool`\n"
          "  columns: experiment run point runner tool batch_size concurrency model "
          "ttft_ms output_tps server_start_s\n    build_s engine_gib repeats "
          "serve_repeats unsupported prefix_cache runner_version service isolation warnings\n    "
          "measured_run measured_at\n"));
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

constexpr const char* k_endless =
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n";

TEST_F(Report, a_query_ends_at_its_limit_of_time) {
  sql::Database& database = reader().database();
  const auto late = report::query_output(database, k_endless, Format::csv, {.seconds = 0.05});
  ASSERT_FALSE(late.ok());
  EXPECT_EQ(late.error().kind, ErrorKind::timeout);
  EXPECT_EQ(late.error().text(),
            "the query took longer than 0.05 s; narrow it, or raise the limit with --timeout "
            "SECONDS");
  EXPECT_EQ(ask("SELECT 1 AS a"), "a\n1\n") << "the limit ends with the query";
}

TEST_F(Report, a_query_ends_at_its_limit_of_rows_and_says_so) {
  const std::string three = "SELECT column1 AS a FROM (VALUES (1), (2), (3))";
  const auto cut = report::query_output(reader().database(), three, Format::csv, {.rows = 2});
  ASSERT_TRUE(cut.ok());
  EXPECT_EQ(cut->text, "a\n1\n2\n");
  EXPECT_EQ(cut->note,
            "only the first 2 rows are shown: --rows 0 shows all of them, --rows N that many");
  const auto whole = report::query_output(reader().database(), three, Format::csv, {.rows = 3});
  EXPECT_EQ(whole->text, "a\n1\n2\n3\n");
  EXPECT_EQ(whole->note, "");
}

TEST_F(Report, a_query_ends_at_its_limit_of_memory) {
  sql::Database& database = reader().database();
  const std::string too_much =
      "the query needs more than 4 MiB of memory; ask for fewer rows or columns, or raise the "
      "limit with --max-memory MIB";
  const sql::QueryLimits limits{.seconds = 60, .bytes = 4 << 20};
  for (const char* query :
       {// the rows of the answer
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n",
        // one value
        "SELECT length(randomblob(100000000))"}) {
    const auto ended = report::query_output(database, query, Format::csv, limits);
    ASSERT_FALSE(ended.ok()) << query;
    EXPECT_EQ(ended.error().text(), too_much) << query;
  }
  EXPECT_EQ(ask("SELECT length(randomblob(10000000)) AS a"), "a\n10000000\n");
  EXPECT_TRUE(report::query_output(database, "results", Format::table, limits).ok());
}

TEST_F(Report, results_has_the_rows_of_every_tool_once_a_query_names_the_column_tool) {
  {
    auto database = sql::Database::open((folder_.path() / "results.db").string());
    ASSERT_TRUE(database->execute(
        "UPDATE measurement SET tool = 'genai-perf', definition = 'genai-perf' WHERE id = 2"));
  }
  sample::open_store(folder_.path());  // derives the results anew
  const std::string ours = "point\ntiny_c1-aaaaaa\n", all = ours + "tiny_c4-aaaaaa\n";
  EXPECT_EQ(ask("SELECT point FROM results"), ours);
  for (const char* named : {"SELECT point FROM results ORDER BY tool DESC",
                            "SELECT point FROM results WHERE tool IS NOT NULL",
                            "WITH r AS (SELECT point, tool FROM results) SELECT point FROM r",
                            "SELECT a.point FROM results a JOIN results b USING (point, tool)"})
    EXPECT_EQ(ask(named), all) << named;
  EXPECT_EQ(ask("SELECT point FROM results"), ours) << "the next query sees ours alone again";
  EXPECT_EQ(ask("SELECT count(*) AS n FROM (SELECT * FROM results)"), "n\n1\n");
  EXPECT_EQ(ask("SELECT point FROM results WHERE point <> 'tool' /* tool */"), ours);
  EXPECT_EQ(ask("SELECT point, tool FROM main.results"), "point,tool\ntiny_c1-aaaaaa,native\n");
  EXPECT_EQ(ask("SELECT point FROM results_by_tool ORDER BY point"), all);
}

}  // namespace query_test
}  // namespace orch
