// `orchestrate init`: the file that it writes, its messages and its exit status.
#include "cli/commands.hpp"
#include "fakes/temp_folder.hpp"

#include <CLI/CLI.hpp>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <sstream>

namespace orch::cli {
namespace {

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

  struct Ran {
    int code = 0;
    std::string err;
  };
  Ran run(std::vector<std::string> words) {
    CLI::App app;
    Ran ran;
    add_init(app, ran.code);
    words.insert(words.begin(), "init");
    std::reverse(words.begin(), words.end());  // CLI11 takes words from the back
    testing::internal::CaptureStderr();
    app.parse(words);
    ran.err = testing::internal::GetCapturedStderr();
    return ran;
  }

  fakes::TempFolder folder_;
};

TEST_F(InitCommand, WritesTheMatrixAndSaysWhatToDoNext) {
  const std::string path = folder_.file("my sweep/matrix.yaml");
  const Ran ran = run({folder_.file("my sweep"), "--runner", "toy"});
  EXPECT_EQ(ran.code, 0);
  EXPECT_EQ(ran.err, fmt::format("Wrote {0} for the runner toy: a toy\n\nNext:\n  orchestrate "
                                 "check '{0}'\n  orchestrate plan '{0}'\n  orchestrate run '{0}'\n",
                                 path));
  EXPECT_NE(read(path).find("\nname: first "), std::string::npos)
      << "a folder's name with a space is no name";
}

TEST_F(InitCommand, NamesTheExperimentAfterItsFolder) {
  EXPECT_EQ(run({folder_.file("sweep-1"), "--runner", "toy"}).code, 0);
  EXPECT_NE(read(folder_.file("sweep-1/matrix.yaml")).find("\nname: sweep-1 "), std::string::npos);
}

TEST_F(InitCommand, OverwritesOnlyWhenItIsTold) {
  const std::string path = folder_.file("matrix.yaml");
  std::ofstream(path) << "mine";
  const Ran refused = run({folder_.path().string(), "--runner", "toy"});
  EXPECT_EQ(refused.code, 2);
  EXPECT_EQ(refused.err, path + " exists; --force overwrites it\n");
  EXPECT_EQ(read(path), "mine");
  EXPECT_EQ(run({folder_.path().string(), "--runner", "toy", "--force"}).code, 0);
  EXPECT_NE(read(path), "mine");
}

TEST_F(InitCommand, ARunnerThatIsNotThereIsRefused) {
  const Ran ran = run({folder_.path().string(), "--runner", "toi"});
  EXPECT_EQ(ran.code, 2);
  EXPECT_EQ(ran.err, "no runner 'toi'; did you mean 'toy'?\n");
  EXPECT_FALSE(fs::exists(folder_.file("matrix.yaml")));
}

}  // namespace
}  // namespace orch::cli
