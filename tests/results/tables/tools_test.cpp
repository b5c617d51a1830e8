// Figures of other tools stand beside ours, under their own definitions, and plain `results` shows
// ours alone.
#include "results/store/sample.hpp"

namespace orch {
namespace tools_test {

using namespace sample;

const std::string k_sha(64, 'c');

// What genai-perf measured: entry 0 has its figures, entry 1 ours from its requests.
json record_of_genai_perf(double ttft_ms) {
  json own = measurement(ttft_ms, 90);
  own.update({{"tool", "genai-perf"},
              {"tool_version", "0.0.8"},
              {"definition", "genai-perf"},
              {"origin", "profile_export_genai_perf.json"},
              {"origin_sha256", k_sha},
              {"missing", {"ttft_ms_p999", "itl_ms"}}});
  own["metrics"]["genai_perf_sessions"] = 3;
  json ours = measurement(ttft_ms + 1, 91);
  ours.update(
      {{"tool", "genai-perf"}, {"definition", "native"}, {"origin", "profile_export.json"}});
  return {{"schema", 1}, {"measurements", {own, ours}}};
}

// Measures point NTH of the driver's plan with a record of several entries.
void run_tool(Driver& driver, std::size_t nth, const AttemptKey& session, const json& record) {
  const plan::Stage& bench = driver.stage_of("bench", nth);
  const AttemptKey key = driver.start(bench);
  const std::string folder = fmt::format("artifacts/{}-{}/out", bench.id, key.number);
  const auto at = driver.store.layout().at(folder);
  write_record(at, measurement(0, 0), {});
  write_file(at / "measurement.json", record.dump());
  std::string lines;
  for (json line : requests()) {
    line["measurement"] = 1;
    lines += line.dump() + "\n";
  }
  write_file(at / "requests.jsonl", lines);
  driver.end(key);
  driver.journal->append(schedule::MeasurementProduced{.attempt = key,
                                                       .session = session,
                                                       .path = folder,
                                                       .order = static_cast<int>(nth) + 1,
                                                       .at = driver.now + 21});
}

// Two points that differ in their tool alone, where STATED: as a parameter of the points.
void measure_with_two_tools(const std::filesystem::path& root, bool stated) {
  store::Store store = open_store(root);
  plan::Plan plan = make_plan({.concurrencies = {1, 4}});
  if (stated) {
    plan.points[0].point.parameters.set("tool", text("native"));
    plan.points[1].point.parameters.set("tool", text("genai-perf"));
    plan.points[1].point.parameters.set("tool_version", text("24.10"));
  }
  Driver driver(store, std::move(plan));
  const AttemptKey session = driver.run_serve();
  driver.run_bench(0, session, measurement(10, 100));
  run_tool(driver, 1, session, record_of_genai_perf(20));
  driver.commit();
}

TEST(Tools, results_shows_our_own_figures_and_results_by_tool_those_of_every_tool) {
  for (const bool stated : {false, true}) {
    const TemporaryFolder folder;
    measure_with_two_tools(folder.path(), stated);
    EXPECT_EQ(rows(folder.path(), "SELECT point, tool, ttft_ms FROM results"),
              (Rows{"tiny_c1-aaaaaa|native|10.0"}));
    EXPECT_EQ(rows(folder.path(),
                   "SELECT point, tool, ttft_ms, genai_perf_sessions, repeats FROM results_by_tool "
                   "ORDER BY point"),
              (Rows{"tiny_c1-aaaaaa|native|10.0|-|1", "tiny_c4-aaaaaa|genai-perf|20.0|3.0|1"}));
    EXPECT_EQ(rows(folder.path(),
                   "SELECT count(*) FROM pragma_table_info('results_by_tool') WHERE name LIKE "
                   "'tool'"),
              (Rows{"1"}));
  }
}

TEST(Tools, results_all_has_every_row_with_definition_origin_and_what_is_missing) {
  const TemporaryFolder folder;
  measure_with_two_tools(folder.path(), true);
  EXPECT_EQ(rows(folder.path(),
                 "SELECT tool, tool_version, definition, origin, origin_sha256, missing, ttft_ms "
                 "FROM results_all ORDER BY measurement"),
            (Rows{"native|-|native|-|-||10.0",
                  "genai-perf|0.0.8|genai-perf|profile_export_genai_perf.json|" + k_sha +
                      "|ttft_ms_p999 itl_ms|20.0",
                  "genai-perf|24.10|native|profile_export.json|-||21.0"}));
  EXPECT_EQ(rows(folder.path(), "SELECT measurement, idx FROM requests WHERE point LIKE '%c4%'"),
            (Rows{"3|0", "3|0"}));
}

TEST(Tools, a_name_that_is_none_makes_the_record_unreadable) {
  const TemporaryFolder folder;
  store::Store store = open_store(folder.path());
  Driver driver(store, make_plan({.concurrencies = {1}}));
  json measured = measurement(10, 100);
  measured["tool"] = "Genai Perf\n";
  driver.run_bench(0, driver.run_serve(), measured);
  driver.commit();
  EXPECT_EQ(rows(folder.path(), "SELECT tool, valid, reasons FROM results_all"),
            (Rows{"native|0|the record cannot be read: measurement.json: tool 'Genai Perf?' is not "
                  "the name of a tool: a-z, 0-9, '.', '_' and '-', at most 64 characters"}));
}

TEST(Tools, goodput_is_counted_from_requests_and_never_replaces_that_of_a_tool) {
  const TemporaryFolder folder;
  store::Store store = open_store(folder.path());
  store::RunInfo info = run_info();
  info.goodput = "ttft_ms < 1000";
  Driver driver(store, make_plan({.concurrencies = {1}}), info);
  run_tool(driver, 0, driver.run_serve(), record_of_genai_perf(20));
  driver.commit();
  EXPECT_EQ(rows(folder.path(),
                 "SELECT definition, goodput_rps > 0 FROM results_all ORDER BY measurement"),
            (Rows{"genai-perf|-", "native|1"}));
}

TEST(Tools, an_attempt_whose_entries_are_all_invalid_is_one_failure) {
  const TemporaryFolder folder;
  store::Store store = open_store(folder.path());
  Driver driver(store, make_plan({.concurrencies = {1}}));
  json record = record_of_genai_perf(20);
  for (json& one : record["measurements"]) {
    one["valid"] = false;
    one["reasons"] = {"no request succeeded"};
  }
  run_tool(driver, 0, driver.run_serve(), record);
  driver.commit();
  EXPECT_EQ(rows(folder.path(), "SELECT class, message FROM failures"),
            (Rows{"invalid_measurement|no request succeeded"}));
}

// Two rounds of a native point and of one that differs in its tool alone: ours measures 10 and 20
// ms, genai-perf 15 and 24 by its own definition, 11 and 22 by ours.
void measure_in_rounds(const std::filesystem::path& root) {
  store::Store store = open_store(root);
  plan::Plan plan = make_plan({.concurrencies = {1, 4}, .repeats = 2});
  for (const auto& [point, tool] : {std::pair(0, "native"), std::pair(1, "genai-perf")}) {
    auto& parameters = plan.points[static_cast<std::size_t>(point)].point.parameters;
    parameters.set("tool", text(tool));
    parameters.set("concurrency", integer(1));
  }
  Driver driver(store, std::move(plan));
  const AttemptKey session = driver.run_serve();
  for (const std::size_t round : {std::size_t{0}, std::size_t{1}}) {
    driver.run_bench(round, session, measurement(round == 0 ? 10 : 20, 100));
    json record = record_of_genai_perf(round == 0 ? 15 : 24);
    record["measurements"][1]["metrics"]["ttft_ms"]["mean"] = round == 0 ? 11 : 22;
    run_tool(driver, 2 + round, session, record);
  }
  driver.commit();
}

TEST(Tools, side_by_side_splits_a_difference_into_definition_and_rest) {
  const TemporaryFolder folder;
  measure_in_rounds(folder.path());
  EXPECT_EQ(
      rows(folder.path(),
           "SELECT point, tool, metric, native, own, recomputed, round(definition_percent, 6), "
           "round(between_percent, 6), rounds FROM side_by_side WHERE metric = 'ttft_ms'"),
      (Rows{"tiny_c1-aaaaaa|genai-perf|ttft_ms|15.0|19.5|16.5|18.181818|10.0|2"}));
  EXPECT_EQ(rows(folder.path(),
                 "SELECT why LIKE 'the same formula; %' OR why LIKE 'same; %' FROM side_by_side "
                 "WHERE metric = 'ttft_ms_p99'"),
            Rows{"1"});
  EXPECT_EQ(rows(folder.path(),
                 "SELECT metric FROM side_by_side WHERE metric LIKE 'server_start%' OR metric LIKE "
                 "'genai_perf%'"),
            Rows{})
      << "figures that both can have";
  // Both rounds differ by 10 % of ours: the interval has no width.
  EXPECT_EQ(rows(folder.path(),
                 "SELECT round(between_low, 6), round(between_high, 6) FROM side_by_side WHERE "
                 "metric = 'ttft_ms'"),
            Rows{"10.0|10.0"});
}

TEST(Tools, side_by_side_compares_no_points_that_differ_in_more_than_their_tool) {
  const TemporaryFolder folder;
  measure_with_two_tools(folder.path(), true);  // at two loads
  EXPECT_EQ(
      rows(folder.path(), "SELECT point, native, own FROM side_by_side WHERE metric = 'ttft_ms'"),
      Rows{"tiny_c4-aaaaaa|-|20.0"});
}

}  // namespace tools_test
}  // namespace orch
