// `orchestrate facts`: what it prints is what a matrix takes.
#include "app/cli/commands.hpp"
#include "app/cli/run_command.hpp"
#include "core/base/text.hpp"
#include "core/base/yaml/yaml.hpp"
#include "fakes/temp_folder.hpp"

#include <fstream>

#include <CLI/CLI.hpp>
#include <gtest/gtest.h>

namespace orch::cli {
namespace facts_test {

namespace fs = std::filesystem;

constexpr const char* k_runner = R"(
runner: toy
facts:
  from: download
  file: config.json
  names:
    model_heads: {type: integer, keys: [num_attention_heads]}
    model_type: {type: text, keys: [model_type]}
    model_moe: {type: boolean, keys: [moe], absent: false}
    model_scale: {type: real, keys: [rope.scale]}
stages:
  download: {kind: task, argv: [/bin/x], outputs: [config.json]}
)";

class FactsCommand : public ::testing::Test {
 protected:
  FactsCommand() : before_(fs::current_path()) {
    fs::current_path(folder_.path());
    fs::create_directories("runners/toy");
    std::ofstream("runners/toy/runner.yaml") << k_runner;
  }
  ~FactsCommand() override { fs::current_path(before_); }

  CommandResult facts_of(const std::string& config) {
    std::ofstream("config.json") << config;
    return run({"facts", "config.json"});
  }
  static CommandResult run(std::vector<std::string> words) {
    return run_command(add_facts, std::move(words));
  }

  fakes::TempFolder folder_;
  fs::path before_;
};

TEST_F(FactsCommand, PrintsTheFactsAsAMatrixTakesThem) {
  const CommandResult result = facts_of(
      R"({"num_attention_heads": 28, "model_type": "qwen2: \"x\"", "rope": {"scale": 0.5}})");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.out,
            "facts:  # from config.json, for the runner toy\n"
            "  heads: 28\n"
            "  type: \"qwen2: \\\"x\\\"\"\n"
            "  scale: 0.5\n");
  const auto yaml = parse_yaml(result.out, "out");
  ASSERT_TRUE(yaml.ok()) << yaml.error().text();
  EXPECT_EQ(yaml->find("facts")->find("type")->text, "qwen2: \"x\"");
}

TEST_F(FactsCommand, AFolderStandsForItsConfig) {
  fs::create_directories("model");
  std::ofstream("model/config.json") << R"({"num_attention_heads": 4})";
  EXPECT_NE(run({"facts", "model"}).out.find("  heads: 4\n"), std::string::npos);
}

TEST_F(FactsCommand, AFileWithoutFactsIsAnError) {
  const CommandResult result = facts_of(R"({"name": "x"})");
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(result.err,
            "config.json has none of the keys that the runner toy reads; give the config.json of a "
            "model\n");
  EXPECT_EQ(facts_of("no json").exit_code, 2);
  EXPECT_EQ(run({"facts", "missing.json"}).exit_code, 2);
}

TEST_F(FactsCommand, ARunnerWithoutFactsIsNamed) {
  EXPECT_EQ(run({"facts", "config.json", "--runner", "tooy"})
                .err.find("the runner 'tooy' reads no facts of models; those that do are: toy"),
            0u);
}

}  // namespace facts_test
}  // namespace orch::cli
