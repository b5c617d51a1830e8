// `orchestrate import` and `orchestrate convert-results`: files in, rows out.
#include "app/cli/commands.hpp"
#include "app/cli/run_command.hpp"
#include "bench/record/record_reader.hpp"
#include "core/sql/database.hpp"
#include "fakes/temp_folder.hpp"
#include "results/query/query.hpp"
#include "results/store/sample.hpp"

#include <fstream>

#include <gmock/gmock.h>

namespace orch::cli {
namespace import_test {

namespace fs = std::filesystem;
using testing::HasSubstr;

constexpr std::string_view k_report = R"({
 "request_throughput": {"unit": "requests/sec", "avg": 100},
 "request_latency": {"unit": "ms", "avg": 16, "p99": 17},
 "time_to_first_token": {"unit": "ms", "avg": 12, "p99": 13},
 "input_config": {"model": ["m"], "concurrency": 2, "streaming": true}})";

// Two requests: TTFT 10 ms, latency 16 ms.
constexpr std::string_view k_export = R"({"experiments": [{
 "experiment": {"mode": "concurrency", "value": 2}, "requests": [
 {"timestamp": 1000000000, "request_inputs": {"text_input": "a"},
  "response_timestamps": [1010000000, 1012000000, 1016000000],
  "response_outputs": [{"text_output": "x"}, {"text_output": "y"}, {"text_output": "z"}]},
 {"timestamp": 1004000000, "request_inputs": {"text_input": "b"},
  "response_timestamps": [1014000000, 1016000000, 1020000000],
  "response_outputs": [{"text_output": "x"}, {"text_output": "y"}, {"text_output": "z"}]}],
 "window_boundaries": []}], "version": "2.51.0", "service_kind": "triton", "endpoint": ""})";

class Import : public ::testing::Test {
 protected:
  void write(const std::string& name, std::string_view text) {
    fs::create_directories(fs::path(at(name)).parent_path());
    std::ofstream(at(name), std::ios::binary) << text;
  }
  std::string at(const std::string& name) const { return (folder_.path() / name).string(); }
  CommandResult import(std::vector<std::string> words) {
    words.insert(words.begin(), "import");
    words.insert(words.end(), {"--store", at("store")});
    return run_command(add_import, std::move(words));
  }
  sample::Rows rows(const std::string& sql) { return sample::rows(at("store"), sql); }

  fakes::TempFolder folder_;
};

TEST_F(Import, AReportAndItsExportAreOnePointWithTwoDefinitions) {
  write("run/x_genai_perf.json", k_report);
  write("run/x.json", k_export);
  const CommandResult done =
      import({at("run"), "--experiment", "there", "--tokens-per-event", "1"});
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_EQ(rows("SELECT experiment, tool, definition, ttft_ms, itl_ms, requests_per_s, missing "
                 "FROM results_all ORDER BY measurement"),
            (sample::Rows{"there|genai-perf|genai-perf|12.0|-|100.0|output_tps isl_counted "
                          "osl_counted itl_ms",
                          "there|genai-perf|native|10.0|3.0|100.0|"}));
  EXPECT_EQ(rows("SELECT count(*) FROM requests"), sample::Rows{"2"});
  EXPECT_EQ(rows("SELECT count(*) FROM results"), sample::Rows{"0"});
  EXPECT_EQ(rows("SELECT model, concurrency, tool, ttft_ms_p99 FROM results_by_tool"),
            sample::Rows{"m|2|genai-perf|13.0"});
  EXPECT_EQ(rows("SELECT metric, native, own, recomputed, round(definition_percent, 6) "
                 "FROM side_by_side WHERE metric IN ('ttft_ms', 'request_latency_ms') ORDER BY 1"),
            (sample::Rows{"request_latency_ms|-|16.0|16.0|0.0", "ttft_ms|-|12.0|10.0|20.0"}));
  EXPECT_THAT(rows("SELECT origin FROM results_all ORDER BY measurement")[0],
              HasSubstr("x_genai_perf.json"));
}

TEST_F(Import, TheSameContentIsImportedOnce) {
  write("a_genai_perf.json", k_report);
  write("copy.json", k_report);
  EXPECT_EQ(import({at("a_genai_perf.json")}).exit_code, 0);
  const CommandResult again = import({at("copy.json"), "--experiment", "other"});
  EXPECT_EQ(again.exit_code, 0);
  EXPECT_THAT(again.err, HasSubstr("imported already (run 1, experiment import); nothing to do"));
  EXPECT_EQ(rows("SELECT count(*) FROM measurement"), sample::Rows{"1"});
  EXPECT_THAT(import({at("copy.json"), at("a_genai_perf.json")}).err,
              HasSubstr("has the same content as another file; it is read once"));
}

std::string vllm(int tps) {
  return fmt::format(R"({{"date": "{0}", "backend": "vllm", "model_id": "m", "max_concurrency": 2,
    "completed": 9, "num_prompts": 9, "request_throughput": 1.0, "output_throughput": {0},
    "total_token_throughput": 300.0, "mean_ttft_ms": 5.0, "mean_itl_ms": 2.0}})",
                     tps);
}

// Files of one point are its repeats, in `results` as for `compare`: each is a session of its own.
TEST_F(Import, FilesOfOnePointAreItsRepeats) {
  write("a.json", vllm(100));
  write("b.json", vllm(104));
  write("c.json", vllm(200));
  EXPECT_EQ(import({at("a.json"), at("b.json"), "--experiment", "one"}).exit_code, 0);
  EXPECT_EQ(import({at("c.json"), "--experiment", "two"}).exit_code, 0);
  EXPECT_EQ(rows("SELECT experiment, repeats, serve_repeats, output_tps FROM results_by_tool "
                 "ORDER BY 1"),
            (sample::Rows{"one|2|2|102.0", "two|1|1|200.0"}));
  const CommandResult compared =
      run_command(add_compare, {"compare", "one", "two", "--store", at("store")});
  EXPECT_EQ(compared.exit_code, 0) << compared.err;
  EXPECT_THAT(compared.out, HasSubstr("2 and 1 server sessions"));
  EXPECT_THAT(compared.out, testing::Not(HasSubstr("earlier measurements")));
  EXPECT_THAT(compared.out, testing::Not(HasSubstr(" min more")))
      << "when a file was imported is no duration";
}

TEST_F(Import, AnEmptyViewOfResultsSaysWhereTheRowsAre) {
  write("x_genai_perf.json", k_report);
  ASSERT_EQ(import({at("x_genai_perf.json")}).exit_code, 0);
  auto database = sql::Database::open(at("store/results.db"), {.access = sql::Access::read_only});
  ASSERT_TRUE(database.ok());
  EXPECT_EQ(report::query_output(*database, "results", report::Format::table)->note,
            "rows with figures of other tools: 1; see `orchestrate query results_by_tool`");
}

std::string vllm_at(int concurrency, double tps, std::string_view date) {
  return fmt::format(
      R"({{"date": "{}", "backend": "vllm", "model_id": "m", "max_concurrency": {}, "completed": 9, )"
      R"("num_prompts": 9, "request_throughput": 1.0, "output_throughput": {}, )"
      R"("total_token_throughput": 300.0, "mean_ttft_ms": 5.0, "mean_itl_ms": 2.0}})",
      date, concurrency, tps);
}

// Which file of one load belongs to which of another is not known, so that nothing may depend on
// their names.
TEST_F(Import, NamesOfFilesChangeNoFigureOfAComparison) {
  const std::vector<std::string> names = {"1", "2", "3"};
  const auto answer = [&](const std::vector<std::string>& at_eight, const std::string& store) {
    for (const int side : {0, 1})
      for (std::size_t i = 0; i < names.size(); ++i) {
        const double slow = 0.1 * static_cast<double>(i * i);
        const std::string folder = fmt::format("{}-{}/", store, side);
        fs::create_directories(at(folder));
        write(folder + "one-" + names[i] + ".json", vllm_at(1, 100 + side + slow, names[i]));
        write(folder + "eight-" + at_eight[i] + ".json",
              vllm_at(8, 800 + 9 * side - slow, names[i]));
      }
    for (const char* side : {"0", "1"})
      EXPECT_EQ(run_command(add_import, {"import", at(store + "-" + side), "--experiment",
                                         std::string("e") + side, "--store", at(store)})
                    .exit_code,
                0);
    return run_command(add_compare,
                       {"compare", "e0", "e1", "--store", at(store), "--format", "csv"})
        .out;
  };
  const std::string there = answer({"1", "2", "3"}, "there");
  EXPECT_THAT(there, HasSubstr("\noutput_tps,\"\","));
  EXPECT_EQ(there, answer({"3", "1", "2"}, "back"));
}

// As many as in files of their own, for `results`, `compare` and `best`.
TEST_F(Import, LinesOfOneFileAreSessionsOfTheirOwn) {
  write("a.json", vllm_at(2, 100, "1") + "\n" + vllm_at(2, 104, "2"));
  write("b.json", vllm_at(2, 200, "1") + "\n" + vllm_at(2, 204, "2") + "\n" + vllm_at(2, 202, "3"));
  EXPECT_EQ(import({at("a.json"), "--experiment", "one"}).exit_code, 0);
  EXPECT_EQ(import({at("b.json"), "--experiment", "two"}).exit_code, 0);
  EXPECT_EQ(rows("SELECT experiment, repeats, serve_repeats FROM results_by_tool ORDER BY 1"),
            (sample::Rows{"one|2|2", "two|3|3"}));
  const CommandResult compared =
      run_command(add_compare, {"compare", "one", "two", "--store", at("store")});
  EXPECT_THAT(compared.out, HasSubstr("2 and 3 server sessions\n"));
  EXPECT_THAT(compared.out, HasSubstr("better by 9"));
}

TEST_F(Import, BestOfSeveralToolsSaysThatTheyAreUnlike) {
  write("a.json", vllm_at(2, 100, "1") + "\n" + vllm_at(2, 104, "2"));
  write("b_genai_perf.json", R"({"output_token_throughput": {"unit": "tokens/sec", "avg": 103},)" +
                                 std::string(k_report.substr(1)));
  EXPECT_EQ(import({at("a.json"), "--set", "gpus=1"}).exit_code, 0);
  EXPECT_EQ(import({at("b_genai_perf.json"), "--set", "gpus=2"}).exit_code, 0);
  const auto best = [&](const std::string& where) {
    return run_command(add_best, {"best", "--maximize", "output_tps", "--where", where, "--store",
                                  at("store")})
        .out;
  };
  const std::string both = best("tool <> ''");
  EXPECT_THAT(both, HasSubstr("2 sessions against 1 allow no claim"));
  EXPECT_THAT(both, HasSubstr("it has no interval, because its file states none"));
  EXPECT_THAT(both, HasSubstr("\nFigures of genai-perf, vllm follow their own definitions"));
  EXPECT_THAT(both, HasSubstr("\nThe configurations have 1 to 2 GPUs; --per gpu"));
  EXPECT_THAT(best("tool = 'vllm'"), testing::Not(HasSubstr("definitions")));
  EXPECT_THAT(best("model = 'm'"), HasSubstr("--where \"tool <> '' AND ...\""));
}

TEST_F(Import, SetsWhatTheFilesLack) {
  write("a.json", vllm(100));
  EXPECT_EQ(import({at("a.json"), "--set", "gpus=4", "--set", "isl=512", "--set", "site=lab b"})
                .exit_code,
            0);
  EXPECT_EQ(rows("SELECT gpus, typeof(gpus), isl, site FROM results_by_tool"),
            sample::Rows{"4|integer|512|lab b"});
  write("b.json", vllm(104));
  EXPECT_THAT(import({at("b.json"), "--set", "concurrency=8"}).err,
              HasSubstr("b.json: the file says concurrency 2, but --set says 8"));
  EXPECT_THAT(import({at("b.json"), "--set", "gpus"}).err, HasSubstr("write NAME=VALUE"));
  EXPECT_THAT(import({at("b.json"), "--set", "output_tps=8"}).err,
              HasSubstr("--set 'output_tps=8': "));
  EXPECT_EQ(rows("SELECT count(*) FROM results_by_tool"), sample::Rows{"1"});
}

TEST_F(Import, AFaultyFileLeavesNothingBehind) {
  write("good.csv", "Concurrency,Inferences/Second,Client Send\n1,5.5,0\n");
  write("bad.csv", "Concurrency,Inferences/Second,Client Send\n1,5.5,0\n2,x,0\n");
  const CommandResult failed = import({at("good.csv"), at("bad.csv")});
  EXPECT_EQ(failed.exit_code, 2);
  EXPECT_THAT(failed.err, HasSubstr("bad.csv:3: 'Inferences/Second' 'x': a number is needed here"));
  EXPECT_FALSE(fs::exists(at("store")));
  write("unknown.txt", "hello");
  EXPECT_THAT(import({at("unknown.txt")}).err, HasSubstr("name it with --format: aiperf-json"));
  EXPECT_THAT(import({at("nowhere")}).err, HasSubstr("nowhere does not exist; check the path"));
  EXPECT_THAT(import({at("good.csv"), "--experiment", "no/name"}).err,
              HasSubstr("--experiment 'no/name': a name consists of"));
}

TEST_F(Import, DryRunPrintsWhatTheFilesHoldAndImportsNothing) {
  write("run/x_genai_perf.json", k_report);
  const CommandResult shown = import({at("run"), "--dry-run"});
  EXPECT_EQ(shown.exit_code, 0);
  EXPECT_THAT(shown.out, HasSubstr("genai-perf-json"));
  EXPECT_THAT(shown.out, HasSubstr("m_c2_genai-perf-"));
  EXPECT_FALSE(fs::exists(at("store")));
}

TEST_F(Import, SaysByWhatEachFileIsKnown) {
  write("run/x_genai_perf.json", k_report);
  write("run/x.json", k_export);
  const CommandResult done = import({at("run"), "--tokens-per-event", "1"});
  EXPECT_THAT(done.err, HasSubstr("x_genai_perf.json: genai-perf's results (genai-perf-json), by "
                                  "`input_config` and `request_latency`\n"));
  EXPECT_THAT(done.err, HasSubstr("x.json: perf_analyzer's results (profile-export), by "
                                  "`experiments` and `response_timestamps`\n"));
  EXPECT_THAT(done.err, HasSubstr("imported 1 measurement: orchestrate query results_by_tool\n"));
  EXPECT_EQ(rows("SELECT measured_at FROM results_all WHERE definition = 'native'"),
            sample::Rows{"1970-01-01T00:00:01Z"})
      << "when its last request ended";
  write("cut.json", "{\"date\": \"2025");
  EXPECT_THAT(import({at("cut.json")}).err,
              HasSubstr("cut.json:1: the JSON ends too early: the file was cut off"));
}

TEST_F(Import, AMeasurementWithoutASuccessIsNotValidAndHasNoTimes) {
  write("r.json", R"({"model_id": "m", "max_concurrency": 2, "num_prompts": 9, "completed": 0,
    "failed": 9, "request_throughput": 0.0, "mean_ttft_ms": 0.0, "total_token_throughput": 0.0})");
  const CommandResult done = import({at("r.json")});
  EXPECT_EQ(done.exit_code, 0);
  EXPECT_THAT(done.err, HasSubstr("r.json: not valid: no request succeeded: 9 of 9 failed\n"));
  EXPECT_EQ(rows("SELECT valid, reasons, error_rate FROM results_all"),
            sample::Rows{"0|no request succeeded: 9 of 9 failed|1.0"});
  EXPECT_EQ(rows("SELECT count(*) FROM results_by_tool"), sample::Rows{"0"});
}

TEST_F(Import, RowsOfOnePointInOneFileAreItsRepeats) {
  const std::string row = "|  Requests/Sec  | {} |\n|  OP tokens/sec  | 20 |\n";
  write("log.txt", fmt::format(fmt::runtime(row + row), 10, 30));
  EXPECT_EQ(import({at("log.txt")}).exit_code, 0);
  EXPECT_EQ(rows("SELECT repeats, requests_per_s FROM results_by_tool"), sample::Rows{"2|20.0"});
}

// Runs `orchestrate convert-results` in this process.
CommandResult convert(std::vector<std::string> words) {
  words.insert(words.begin(), {"orchestrate", "convert-results"});
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  CommandResult result;
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  result.exit_code = convert_results_main(static_cast<int>(argv.size()), argv.data()).value_or(-1);
  result.out = testing::internal::GetCapturedStdout();
  result.err = testing::internal::GetCapturedStderr();
  return result;
}

Value value(const record::MeasurementRow& row, std::string_view key) {
  for (std::size_t i = 0; i < record::k_measurement_fields.size(); ++i)
    if (record::k_measurement_fields[i].key == key) return row.values[i];
  return {};
}

TEST_F(Import, ConvertResultsRunsTheToolAndWritesARecord) {
  write("x_genai_perf.json", k_report);
  write("x.json", k_export);
  const CommandResult done = convert(
      {"--tool", "genai-perf", "--tool-version", "0.0.8", "--out", at("out"), "--tokens-per-event",
       "1", "--", "sh", "-c",
       fmt::format("echo measured; cp {} {} {{files}}", at("x_genai_perf.json"), at("x.json"))});
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_EQ(done.out, "measured\n");
  const auto read = record::read_record(sample::real_host().files, at("out"));
  ASSERT_TRUE(read.ok()) << read.error().text();
  ASSERT_EQ(read->measurements.size(), 2u);
  EXPECT_EQ(read->measurements[1].requests.size(), 2u);
  EXPECT_EQ(value(read->measurements.at(0), "tool_version"), Value("0.0.8"));
  EXPECT_EQ(value(read->measurements.at(0), "definition"), Value("genai-perf"));
  EXPECT_EQ(value(read->measurements.at(0), "origin"), Value("files/x_genai_perf.json"));
  EXPECT_EQ(value(read->measurements.at(1), "definition"), Value("native"));
}

TEST_F(Import, ConvertResultsPassesTheToolsStatusOn) {
  const CommandResult failed =
      convert({"--tool", "genai-perf", "--out", at("out"), "--", "sh", "-c", "exit 7"});
  EXPECT_EQ(failed.exit_code, 7);
  EXPECT_FALSE(fs::exists(at("out/measurement.json")));
  EXPECT_EQ(convert({"--tool", "x", "--out", at("out"), "--", "/no/such/program"}).exit_code, 126);
  const CommandResult nothing = convert({"--tool", "genai-perf", "--out", at("out"), "--", "true"});
  EXPECT_EQ(nothing.exit_code, 1);
  EXPECT_THAT(nothing.err, HasSubstr("genai-perf wrote no readable result into"));
}

TEST_F(Import, ConvertResultsKeepsWhatLlmPerfFoundNotValid) {
  write("x.json", k_export);
  const std::string report = fmt::format("cp {} {{files}}; exit 4", at("x.json"));
  const CommandResult refused =
      convert({"--tool", "llm-perf", "--out", at("out"), "--", "sh", "-c", report});
  EXPECT_EQ(refused.exit_code, 4) << refused.err;
  const auto read = record::read_record(sample::real_host().files, at("out"));
  ASSERT_TRUE(read.ok()) << read.error().text();
  EXPECT_EQ(value(read->measurements.at(0), "valid"), Value(false));
  EXPECT_EQ(value(read->measurements.at(0), "reasons"),
            Value(Texts{"llm-perf says why in its output"}));
  EXPECT_EQ(
      convert({"--tool", "genai-perf", "--out", at("other"), "--", "sh", "-c", report}).exit_code,
      4);
  EXPECT_FALSE(fs::exists(at("other/measurement.json")));
}

TEST_F(Import, ConvertResultsTakesTheLoadOfTheStage) {
  const std::string csv = "Concurrency,Inferences/Second,Client Send\n1,5.5,0\n4,9.5,0\n";
  write("r.csv", csv);
  const std::string copy = fmt::format("cp {} {{files}}", at("r.csv"));
  EXPECT_THAT(convert({"--tool", "perf_analyzer", "--out", at("a"), "--", "sh", "-c", copy}).err,
              HasSubstr("perf_analyzer measured 2 loads; a stage measures one"));
  EXPECT_EQ(convert({"--tool", "perf_analyzer", "--concurrency", "4", "--out", at("b"), "--", "sh",
                     "-c", copy})
                .exit_code,
            0);
  const auto read = record::read_record(sample::real_host().files, at("b"));
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->measurements[0].metrics[1].mean, 9.5);
}

}  // namespace import_test
}  // namespace orch::cli
