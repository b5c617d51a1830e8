// `orchestrate explain`: looks through the runners of a project and tells one from the other.
#include "cli/explain.hpp"

#include "fakes/temp_folder.hpp"

#include <CLI/CLI.hpp>
#include <gtest/gtest.h>

#include <fstream>

namespace orch::cli {
namespace {

namespace fs = std::filesystem;

struct Said {
  int exit_code = 0;
  std::string out;
  std::string err;
};

// A project of its own, with the working directory in it while it lives.
class Project {
 public:
  Project() : before_(fs::current_path()) { fs::current_path(folder_.path()); }
  ~Project() { fs::current_path(before_); }

  void runner(const std::string& name, const std::string& rest) {
    fs::create_directories(folder_.path() / "runners" / name);
    std::ofstream(folder_.path() / "runners" / name / "runner.yaml") << "runner: " << name << "\n" << rest;
  }

  static Said explain(std::vector<std::string> words) {
    Said said;
    CLI::App app;
    add_explain(app, said.exit_code);
    words.insert(words.begin(), "explain");
    std::reverse(words.begin(), words.end());  // as CLI11 takes them
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    app.parse(words);
    said.out = testing::internal::GetCapturedStdout();
    said.err = testing::internal::GetCapturedStderr();
    return said;
  }

 private:
  fakes::TempFolder folder_;
  fs::path before_;
};

constexpr const char* k_one = "parameters: {tp: {type: integer, default: 1}}\nstages: {make: {kind: task, argv: [/x], outputs: [a]}}\n";
constexpr const char* k_two = "parameters: {tp: {type: text, help: ranks}}\nstages: {cook: {kind: task, argv: [/x], outputs: [a]}}\n";

TEST(ExplainCommand, ShowsEveryRunnerThatHasTheName) {
  Project project;
  project.runner("one", k_one);
  project.runner("two", k_two);
  const Said said = Project::explain({"tp"});
  EXPECT_EQ(said.exit_code, 0);
  EXPECT_EQ(said.out,
            "parameter tp of runner one (runners/one/runner.yaml:2:14)\n\nis\n  tp: integer; default 1\n\nread by\n  nobody\n\n"
            "parameter tp of runner two (runners/two/runner.yaml:2:14)\n\nis\n  tp: text; ranks\n\nread by\n  nobody\n");
  EXPECT_EQ(said.err, "");
}

TEST(ExplainCommand, ShowsOneRunnerWhenToldWhich) {
  Project project;
  project.runner("one", k_one);
  project.runner("two", k_two);
  EXPECT_EQ(Project::explain({"tp", "--runner", "two"}).out.find("parameter tp of runner two"), 0u);
  EXPECT_EQ(Project::explain({"make", "--runner", "two"}).err, "no stage, rule, parameter or fact 'make' in two, and no class of failures; there is cook, tp\n");
}

TEST(ExplainCommand, AnUnknownNameIsAnErrorWithASuggestionOverAllRunners) {
  Project project;
  project.runner("one", k_one);
  project.runner("two", k_two);
  const Said said = Project::explain({"cok"});
  EXPECT_EQ(said.exit_code, 2);
  EXPECT_EQ(said.out, "");
  EXPECT_EQ(said.err, "no stage, rule, parameter or fact 'cok' in one, two, and no class of failures; did you mean 'cook'?\n");
}

TEST(ExplainCommand, AnUnknownRunnerIsAnError) {
  Project project;
  project.runner("one", k_one);
  const Said said = Project::explain({"tp", "--runner", "three"});
  EXPECT_EQ(said.exit_code, 2);
  EXPECT_EQ(said.err.find("no runner 'three'; there is one"), 0u) << said.err;
}

TEST(ExplainCommand, SaysWhatAClassOfFailuresMeansAlsoWithoutAProject) {
  Project project;
  const Said said = Project::explain({"cuda_oom"});
  EXPECT_EQ(said.exit_code, 0);
  EXPECT_EQ(said.out,
            "failure cuda_oom (system)\n\nmeans\n  The GPU had not enough memory. Lower the batch size, the sequence length or the share of memory, or "
            "use more GPUs.\n\nThe system under test failed: a result, which only --retry-failed tries again.\n");
  EXPECT_EQ(said.err, "");
  EXPECT_EQ(Project::explain({"disk_full"}).out,
            "failure disk_full (harness)\n\nmeans\n  No space was left. Free some and run the same command again.\n\n"
            "The machine or the harness failed: it is tried again, after a while and not for ever.\n");
}

TEST(ExplainCommand, SuggestsAClassOfFailuresToo) {
  Project project;
  project.runner("one", k_one);
  EXPECT_EQ(Project::explain({"cuda_omm"}).err, "no stage, rule, parameter or fact 'cuda_omm' in one, and no class of failures; did you mean 'cuda_oom'?\n");
}

TEST(ExplainCommand, AFaultyRunnerDoesNotHideTheOthers) {
  Project project;
  project.runner("one", k_one);
  project.runner("two", "stages: 5\n");
  const Said said = Project::explain({"make"});
  EXPECT_EQ(said.exit_code, 0);
  EXPECT_EQ(said.out.find("stage make of runner one (runners/one/runner.yaml:3:10)\n"), 0u);
  EXPECT_EQ(said.err, "runners/two/runner.yaml:2:9: 'stages' must be a map, not the value '5'; write NAME: {kind: task, argv: [...], outputs: [...]}\n");
}

}  // namespace
}  // namespace orch::cli
