// `orchestrate runners`: the list, one runner, and its errors.
#include "app/cli/commands.hpp"
#include "app/cli/run_command.hpp"
#include "fakes/temp_folder.hpp"

#include <fstream>

#include <CLI/CLI.hpp>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace orch::cli {
namespace runners_test {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr const char* k_toy = R"(description: a toy
parameters: {tp: {type: integer, default: 1, help: ranks}}
rules: [{name: few, require: tp < 9, because: "{tp} are too many"}]
stages: {make: {kind: task, reads: [tp], argv: [/x], outputs: [a]}}
)";

// Two runners in a temporary project, which is the working directory.
class RunnersCommand : public testing::Test {
 protected:
  RunnersCommand() : before_(fs::current_path()) {
    fs::current_path(folder_.path());
    write("toy", k_toy);
  }
  ~RunnersCommand() override { fs::current_path(before_); }

  static void write(const std::string& name, const std::string& rest) {
    fs::create_directories("runners/" + name);
    std::ofstream("runners/" + name + "/runner.yaml") << "runner: " << name << "\n" << rest;
  }

  static CommandResult run(std::vector<std::string> words) {
    words.insert(words.begin(), "runners");
    return run_command(add_runners, std::move(words));
  }

 private:
  fakes::TempFolder folder_;
  fs::path before_;
};

TEST_F(RunnersCommand, ListsEveryRunnerWithItsFolder) {
  const CommandResult result = run({});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, StartsWith("toy\n  a toy\n  1 stage, 1 parameter, 1 rule, 7 facts\n  "
                                     "runners/toy\n"));
  EXPECT_THAT(result.out, HasSubstr("triton-trtllm\n")) << "of the project of the build";
  EXPECT_THAT(result.out, HasSubstr("  TensorRT-LLM 0.9.0 to "));
}

TEST_F(RunnersCommand, ListsAFaultyRunnerAndItsErrors) {
  write("broken", "stages: 3\n");
  const CommandResult result = run({});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.out, HasSubstr("broken\n  cannot be read; its errors are below\n"));
  EXPECT_THAT(result.err, HasSubstr("runners/broken/runner.yaml:2:9: 'stages' must be a map"));
}

TEST_F(RunnersCommand, PrintsStagesAndParametersOfOne) {
  const CommandResult result = run({"toy"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, StartsWith("runner toy (runners/toy/runner.yaml)\na toy\n"));
  EXPECT_THAT(result.out, HasSubstr("  tp  ranks\n      integer; default 1\n"));
  EXPECT_THAT(result.out, HasSubstr("  make  task\n"));
  EXPECT_THAT(result.out, HasSubstr("also: --rules, --facts;"));
  EXPECT_THAT(result.out, Not(HasSubstr("too many")));
}

TEST_F(RunnersCommand, PrintsTheChosenSectionAlone) {
  const CommandResult result = run({"toy", "--rules"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("  few\n    {tp} are too many\n    requires tp < 9\n"));
  EXPECT_THAT(result.out, Not(HasSubstr("parameters (")));
  EXPECT_THAT(result.out, Not(HasSubstr("also:")));
}

TEST_F(RunnersCommand, PrintsJsonForPrograms) {
  const auto list = nlohmann::json::parse(run({"--json"}).out);
  EXPECT_EQ(list[0]["name"], "toy");
  EXPECT_EQ(list[0]["folder"], "runners/toy");
  const auto toy = nlohmann::json::parse(run({"toy", "--json"}).out);
  for (const char* section : {"stages", "parameters", "rules", "facts"})
    EXPECT_TRUE(toy.contains(section)) << section;
  EXPECT_FALSE(nlohmann::json::parse(run({"toy", "--json", "--facts"}).out).contains("rules"));
}

TEST_F(RunnersCommand, NamesTheRunnersForAnUnknownOne) {
  const CommandResult result = run({"ty"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.out, "");
  EXPECT_THAT(result.err, HasSubstr("no runner 'ty'; the runners are: toy, "));
}

}  // namespace runners_test
}  // namespace orch::cli
