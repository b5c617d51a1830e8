// `orchestrate init`: the file that it writes, its messages and its exit status.
#include "app/cli/commands.hpp"
#include "app/cli/run_command.hpp"
#include "fakes/temp_folder.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <gtest/gtest.h>

namespace orch::cli {
namespace init_test {

namespace fs = std::filesystem;

constexpr const char* k_runner = R"(
runner: toy
description: a toy
parameters:
  tp: {type: integer, default: 1}
stages:
  serve: {kind: service, reads: [tp], argv: [/bin/x], ready: {port: http, get: [/]}, ports: [http]}
  bench: {kind: measure, needs: [serve], reads: [], argv: [/bin/x], outputs: [y]}
)";

std::string read(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

class InitCommand : public ::testing::Test {
 protected:
  InitCommand() {
    fs::create_directories(folder_.path() / "runners" / "toy");
    std::ofstream(folder_.file("runners/toy/runner.yaml")) << k_runner;
  }

  static CommandResult run(std::vector<std::string> words) {
    words.insert(words.begin(), "init");
    return run_command(add_init, std::move(words));
  }

  fakes::TempFolder folder_;
};

TEST_F(InitCommand, NamesTheSchemaForEditorsOnlyWhereItExists) {
  EXPECT_EQ(run({folder_.path()}).exit_code, 0);
  EXPECT_TRUE(read(folder_.file("matrix.yaml")).starts_with("# A matrix to start from."));
  std::ofstream(folder_.file("matrix.schema.json")) << "{}";
  EXPECT_EQ(run({folder_.path(), "--force"}).exit_code, 0);
  EXPECT_TRUE(read(folder_.file("matrix.yaml"))
                  .starts_with("# yaml-language-server: $schema=matrix.schema.json\n# A matrix"));
}

TEST_F(InitCommand, WritesTheMatrixAndPrintsTheNextCommands) {
  const std::string path = folder_.file("my sweep/matrix.yaml");
  const CommandResult result = run({folder_.file("my sweep"), "--runner", "toy"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.err,
            fmt::format("Wrote {0} for the runner toy: a toy\n\nNext:\n  orchestrate "
                        "check '{0}'\n  orchestrate plan '{0}'\n  orchestrate run '{0}'\n",
                        path));
  EXPECT_NE(read(path).find("\nname: first "), std::string::npos) << "a name must not have a space";
}

TEST_F(InitCommand, NamesTheExperimentAfterItsFolder) {
  EXPECT_EQ(run({folder_.file("sweep-1"), "--runner", "toy"}).exit_code, 0);
  EXPECT_NE(read(folder_.file("sweep-1/matrix.yaml")).find("\nname: sweep-1 "), std::string::npos);
}

TEST_F(InitCommand, OverwritesOnlyWithForce) {
  const std::string path = folder_.file("matrix.yaml");
  std::ofstream(path) << "mine";
  const CommandResult refused = run({folder_.path().string(), "--runner", "toy"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_EQ(refused.err, path + " exists; --force overwrites it\n");
  EXPECT_EQ(read(path), "mine");
  EXPECT_EQ(run({folder_.path().string(), "--runner", "toy", "--force"}).exit_code, 0);
  EXPECT_NE(read(path), "mine");
}

TEST_F(InitCommand, AnUnknownRunnerIsRefused) {
  const CommandResult result = run({folder_.path().string(), "--runner", "toi"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.err, "no runner 'toi'; did you mean 'toy'?\n");
  EXPECT_FALSE(fs::exists(folder_.file("matrix.yaml")));
}

TEST_F(InitCommand, WritesANewRunnerAndPrintsTheNextCommands) {
  const CommandResult result = run({folder_.path().string(), "--new-runner", "mine"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(
      result.err,
      fmt::format("Wrote the runner mine to {0}/runners/mine, with a toy server to replace, and "
                  "{0}/mine.yaml\n\nNext:\n  orchestrate check --runner mine --runners "
                  "{0}/runners\n  orchestrate plan {0}/mine.yaml\n  orchestrate run "
                  "{0}/mine.yaml\n",
                  folder_.path().string()));
  EXPECT_NE(read(folder_.file("runners/mine/runner.yaml")).find("\nrunner: mine\n"),
            std::string::npos);
  EXPECT_FALSE(fs::exists(folder_.file("matrix.yaml")));
}

TEST_F(InitCommand, ANewRunnerHidesNoOther) {
  const CommandResult result = run({folder_.path().string(), "--new-runner", "toy"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_NE(result.err.find("there is a runner 'toy' already, "), std::string::npos) << result.err;
}

}  // namespace init_test
}  // namespace orch::cli
