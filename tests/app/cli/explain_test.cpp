// `orchestrate explain` over the runners of a project, metrics and failure classes.
#include "app/cli/commands.hpp"
#include "app/cli/explain/explain_metric.hpp"
#include "app/cli/run_command.hpp"
#include "core/base/text.hpp"
#include "fakes/temp_folder.hpp"

#include <fstream>

#include <CLI/CLI.hpp>
#include <gtest/gtest.h>

namespace orch::cli {
namespace explain_test {

namespace fs = std::filesystem;

// A temporary project that is the working directory during its lifetime.
class Project {
 public:
  Project() : before_(fs::current_path()) { fs::current_path(folder_.path()); }
  ~Project() { fs::current_path(before_); }

  void runner(const std::string& name, const std::string& rest) {
    fs::create_directories(folder_.path() / "runners" / name);
    std::ofstream(folder_.path() / "runners" / name / "runner.yaml") << "runner: " << name << "\n"
                                                                     << rest;
  }

  static CommandResult explain(std::vector<std::string> words) {
    words.insert(words.begin(), "explain");
    return run_command(add_explain, std::move(words));
  }

 private:
  fakes::TempFolder folder_;
  fs::path before_;
};

constexpr const char* k_one =
    "parameters: {tp: {type: integer, default: 1}}\nstages: {make: {kind: task, argv: [/x], "
    "outputs: [a]}}\n";
constexpr const char* k_two =
    "parameters: {tp: {type: text, help: ranks}}\nstages: {cook: {kind: task, argv: [/x], outputs: "
    "[a]}}\n";

TEST(ExplainCommand, AWordExplainsEveryMetricThatContainsIt) {
  EXPECT_EQ(metrics_matching("TTFT"), (std::vector<std::string>{"ttft_ms", "ttft_ms_intended"}));
  EXPECT_EQ(metrics_matching("latency"),
            (std::vector<std::string>{"request_latency_ms", "request_latency_ms_intended",
                                      "server_latency_ms"}));
  EXPECT_EQ(metrics_matching("tps"),
            (std::vector<std::string>{"input_tps", "output_tps", "output_tps_per_user"}));
  for (const char* none : {"", "_", "ttf", "itl_ms", "send_lag_ms"})
    EXPECT_TRUE(metrics_matching(none).empty()) << none;
  Project project;
  const CommandResult result = project.explain({"itl"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.out, explain_metric("itl_ms"));
  EXPECT_EQ(result.err, "");
}

TEST(ExplainCommand, ShowsTheNameInEveryRunnerThatDefinesIt) {
  Project project;
  project.runner("one", k_one);
  project.runner("two", k_two);
  const CommandResult result = Project::explain({"tp"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.out,
            "parameter tp of runner one (runners/one/runner.yaml:2:14)\n\nis\n  tp: integer; "
            "default 1\n\nread by\n  nothing\n\n"
            "parameter tp of runner two (runners/two/runner.yaml:2:14)\n\nis\n  tp: text; "
            "ranks\n\nread by\n  nothing\n");
  EXPECT_EQ(result.err, "");
}

TEST(ExplainCommand, ShowsOnlyTheSelectedRunner) {
  Project project;
  project.runner("one", k_one);
  project.runner("two", k_two);
  EXPECT_EQ(Project::explain({"tp", "--runner", "two"}).out.find("parameter tp of runner two"), 0u);
  EXPECT_EQ(
      Project::explain({"make", "--runner", "two"}).err,
      "'make' is not a stage, rule, parameter or fact of two, nor a metric, column or failure "
      "class; `orchestrate explain` alone lists every name\n");
}

TEST(ExplainCommand, ExplainsWhatBelongsToNoRunnerBesideARunnerToo) {
  Project project;
  project.runner("one", k_one);
  for (const char* name : {"warnings", "cuda_oom", "ttft_ms"}) {
    const CommandResult result = Project::explain({name, "--runner", "one"});
    EXPECT_EQ(result.exit_code, 0) << name;
    EXPECT_EQ(result.out, Project::explain({name}).out);
    EXPECT_EQ(result.err, "");
  }
  const CommandResult other = Project::explain({"cuda_oom", "--runner", "three"});
  EXPECT_EQ(other.exit_code, 2);
  EXPECT_EQ(other.err.find("no runner 'three'; the runners are: one,"), 0u) << other.err;
}

TEST(ExplainCommand, AnUnknownNameIsAnErrorWithASuggestionOverAllRunners) {
  Project project;
  project.runner("one", k_one);
  project.runner("two", k_two);
  const CommandResult result = Project::explain({"cok"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(result.err,
            "'cok' is not a stage, rule, parameter or fact of one, two, nor a metric, column or "
            "failure class; "
            "did you mean 'cook'?\n");
}

TEST(ExplainCommand, AnUnknownRunnerIsAnError) {
  Project project;
  project.runner("one", k_one);
  const CommandResult result = Project::explain({"tp", "--runner", "three"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.err.find("no runner 'three'; the runners are: one,"), 0u) << result.err;
}

TEST(ExplainCommand, ExplainsAFailureClassAlsoWithoutAProject) {
  Project project;
  const CommandResult result = Project::explain({"cuda_oom"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.out,
            "failure cuda_oom (system)\n\nmeans\n  The GPU ran out of memory. Lower the batch "
            "size, the sequence length or the memory fraction, or "
            "use more GPUs.\n\nThe system under test failed. The failure is a result; only "
            "--retry-failed retries the stage.\n");
  EXPECT_EQ(result.err, "");
  EXPECT_EQ(Project::explain({"disk_full"}).out,
            "failure disk_full (harness)\n\nmeans\n  The disk is full. Free some space and run the "
            "same command again.\n\n"
            "The machine or the harness failed: the stage is retried with exponential backoff.\n");
}

TEST(ExplainCommand, SuggestsFailureClassesToo) {
  Project project;
  project.runner("one", k_one);
  EXPECT_EQ(Project::explain({"cuda_omm"}).err,
            "'cuda_omm' is not a stage, rule, parameter or fact of one, nor a metric, column or "
            "failure class; "
            "did you mean 'cuda_oom'?\n");
}

TEST(ExplainCommand, ComparesAMetricWithOtherToolsAlsoWithoutAProject) {
  Project project;
  const CommandResult result = Project::explain({"tpot_ms"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.err, "");
  EXPECT_EQ(result.out,
            "metric tpot_ms (ms)\n\nis\n  (last - first token event) / (osl - tokens of the first "
            "event), per request, not rounded; for a batch, osl is the mean over its answers\n"
            "  over measured requests that succeeded with at least one token\n\n"
            "defined by\n  orchestrate; version 2 of the metric table\n\n"
            "in other tools\n"
            "  genai-perf >= 24.06   none besides its inter-token latency: see itl_ms\n"
            "  AIPerf                its inter-token latency where every event reports usage, else "
            "see itl_ms\n"
            "  vLLM bench serve      (latency - TTFT) / (osl - 1), which is too small where the "
            "first event carries more than one token\n"
            "  guidellm              (last token - start) / osl: prefill included; mean and "
            "percentiles weight each request by its osl\n"
            "  trtllm-bench          see itl_ms\n"
            "  LMDeploy              main: (latency - TTFT) / (osl - 1); its engine profiler: (end "
            "- first) / (tokens at the end - tokens at the first)\n"
            "  not found in          genai-perf <= 24.05, perf_analyzer, benchmark_core_model, "
            "inference-benchmarker, llm_perf\n");
}

TEST(ExplainCommand, ExplainsAMetricTogetherWithItsStatistic) {
  Project project;
  const std::string out = Project::explain({"ttft_ms_p99"}).out;
  EXPECT_EQ(out.find("metric ttft_ms (ms, p99)\n\nis\n  first token event - send, per request; "
                     "streamed answers only\n"),
            0u)
      << out;
  EXPECT_NE(
      out.find(
          "\np99\n  the value that 99 % of the values do not exceed: linear "
          "interpolation between the two nearest ranks, as NumPy does by default\n"
          "  genai-perf, AIPerf and LMDeploy agree; benchmark_core_model takes the "
          "value at the rank, rounded up; perf_analyzer was not checked\n"
          "  needs 100 values; with fewer it is marked as unsupported and used for no decision\n"),
      std::string::npos)
      << out;
  EXPECT_NE(Project::explain({"send_lag_ms_p999"}).out.find("  needs 1000 values;"),
            std::string::npos);
  EXPECT_NE(Project::explain({"ttft_ms_intended"}).out.find("metric ttft_ms_intended (ms)"),
            std::string::npos)
      << "a metric whose name ends like that of a statistic";
}

TEST(ExplainCommand, ExplainsHowAnIntervalLimitIsComputed) {
  Project project;
  const std::string out = Project::explain({"output_tps_interval_high"}).out;
  EXPECT_EQ(out.find("metric output_tps (tokens/s, interval_high)\n"), 0u) << out;
  EXPECT_NE(
      out.find("\ninterval_high\n  the upper limit of the 95 % interval of the mean or the rate; "
               "empty with too few values, or without a steady state\n"
               "  of one run: by batch means over its sequence of values\n"
               "  over several repeats, the view `results` shows Student's t over the means "
               "of the server sessions (over the repeats, if there is one session), widened where "
               "their own intervals require it\n"),
      std::string::npos)
      << out;
  EXPECT_EQ(Project::explain({"ttft_ms_interval_low"}).exit_code, 0);
  EXPECT_NE(Project::explain({"ttft_ms_p99_interval_high"}).out.find("of p99; empty where"),
            std::string::npos);
  EXPECT_EQ(Project::explain({"client_cpu_share_interval_low"}).exit_code, 2)
      << "this metric has no interval";
}

TEST(ExplainCommand, AnUnknownMetricIsAnErrorWithASuggestion) {
  Project project;
  project.runner("one", k_one);
  EXPECT_EQ(Project::explain({"tpt_ms"}).exit_code, 2);
  EXPECT_EQ(Project::explain({"tpt_ms"}).err,
            "'tpt_ms' is not a stage, rule, parameter or fact of one, nor a metric, column or "
            "failure class; "
            "did you mean 'tpot_ms', 'ttft_ms' or 'ttst_ms'?\n");
  EXPECT_EQ(Project::explain({"requests_per_s_p99"}).exit_code, 2)
      << "one value has no percentiles";
}

TEST(ExplainCommand, ExplainsAColumnOfTheViewsAlsoWithoutAProject) {
  Project project;
  const CommandResult result = Project::explain({"reasons"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.err, "");
  EXPECT_EQ(result.out,
            "column reasons of results_all\n\nis\n  why the measurement is invalid; empty if it is "
            "valid\n");
  const std::string both = Project::explain({"unsupported"}).out;
  EXPECT_EQ(both.find("failure unsupported (system)\n"), 0u);
  EXPECT_NE(both.find("\n\ncolumn unsupported of results, results_by_tool, results_all\n"),
            std::string::npos);
  const std::string kinds = Project::explain({"kind"}).out;
  EXPECT_NE(kinds.find("column kind of failures, stages, provenance\n"), std::string::npos);
  EXPECT_NE(kinds.find("column kind of server_metrics\n"), std::string::npos);
}

TEST(ExplainCommand, AWordOfTheSameMeaningIsSuggested) {
  Project project;
  project.runner("one", k_one);
  EXPECT_NE(Project::explain({"settled"}).err.find("; did you mean 'steady'?\n"),
            std::string::npos);
}

TEST(ExplainCommand, WithoutANameListsEveryNameByKind) {
  Project project;
  project.runner("one", k_one);
  const std::string out = Project::explain({}).out;
  for (const char* part : {"of runner one\n  make tp\n", "columns of the views\n  FTL(ave)(s) ",
                           "failure classes\n", "facts of the machine\n  host_"})
    EXPECT_NE(out.find(part), std::string::npos) << part << out;
}

TEST(ExplainCommand, AFaultyRunnerDoesNotHideTheOthers) {
  Project project;
  project.runner("one", k_one);
  project.runner("two", "stages: 5\n");
  const CommandResult result = Project::explain({"make"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.out.find("stage make of runner one (runners/one/runner.yaml:3:10)\n"), 0u);
  EXPECT_EQ(result.err,
            "runners/two/runner.yaml:2:9: 'stages' must be a map of names and values, not the "
            "value '5'; write NAME: "
            "{kind: task, argv: [...], outputs: [...]}\n");
}

TEST(ExplainCommand, ExplainsTheFigureOfAToolBesideOurs) {
  Project project;
  const CommandResult full = project.explain({"genai-perf.itl_ms_p99"});
  EXPECT_EQ(full.exit_code, 0) << full.err;
  for (const char* part : {"figure itl_ms of genai-perf", "\nis\n  (last - first token event)",
                           "\ndiffers from ours\n  same; up to 0.0.12", "\nours\n  (last"})
    EXPECT_NE(full.out.find(part), std::string::npos) << part << " in\n" << full.out;
  EXPECT_EQ(project.explain({"genai-perf.itl"}).out, full.out);
  const CommandResult theirs = project.explain({"perf_analyzer.perf_analyzer_client_send_us"});
  EXPECT_NE(theirs.out.find("\nours\n  none\n"), std::string::npos) << theirs.out;
  const CommandResult none = project.explain({"perf_analyzer.ttft_ms"});
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_NE(
      none.err.find("no figure 'perf_analyzer.ttft_ms'; perf_analyzer has: request_latency_ms"),
      std::string::npos)
      << none.err;
}

}  // namespace explain_test
}  // namespace orch::cli
