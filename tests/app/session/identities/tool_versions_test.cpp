#include "app/session/identities/tool_versions.hpp"

#include "app/session/run_of_project.hpp"
#include "core/sql/database.hpp"

#include <gmock/gmock.h>

namespace orch::session {
namespace tool_versions_test {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* k_runner = R"(
runner: toy
parameters: {size: {type: text, default: s}, program: {type: path}}
stages:
  make:
    kind: task
    reads: [size, program]
    version: ["{program}", --version]
    argv: [/bin/touch, "{out}/made"]
    outputs: [made]
  serve:
    {kind: service, needs: [make], argv: [/bin/x], ready: {port: http, get: [/]}, ports: [http]}
  bench: {kind: measure, needs: [serve], argv: [/bin/x], outputs: [y]}
)";

class ToolVersionsTest : public RunOfProject {
 protected:
  ToolVersionsTest() {
    project.write("runners/toy/runner.yaml", k_runner);
    project.world.open_processes = [] { return std::make_unique<NoProcesses>(); };
    project.world.environment = {{"PATH", "/usr/bin:/bin"}};
    options.experiment = project.options(
        "name: first\nrunner: toy\ndefaults: {program: ./tool}\naxes: {size: [s]}\n");
    options.plan.until = "make";
    says("echo tool 1.0");
  }

  // The program, whose content is the same whatever SCRIPT, beside it, does.
  void says(const std::string& script) {
    project.write("tool", "#!/bin/sh\n. \"$0.sh\"\n");
    project.write("tool.sh", script + "\n");
    std::filesystem::permissions(project.path("tool"), std::filesystem::perms::owner_all);
  }
  bool run_all() {
    load();
    if (!open_and_plan()) return false;
    if (before_drive) before_drive();
    return drive_plan();
  }
  // What one run reports about a program that does SCRIPT.
  std::string complaint(const std::string& script) {
    says(script);
    EXPECT_TRUE(run_all()) << text_of(errors);
    EXPECT_THAT(project.executor.started, IsEmpty());
    for (const std::string& line : reporter.diary)
      if (line.starts_with("error: ")) return line;
    return "";
  }
  std::string text(const std::string& sql) {
    std::string found;
    auto statement = open->store.database().prepare(sql);
    EXPECT_TRUE(statement);
    if (statement && statement->step().value_or(false)) found = statement->column_text(0);
    return found;
  }

  std::function<void()> before_drive;
};

TEST_F(ToolVersionsTest, AnEqualAnswerIsReusedAndANewOneMakesTheStageAgain) {
  ASSERT_TRUE(run_all()) << text_of(errors);
  EXPECT_EQ(outcome.done, 1u);
  EXPECT_THAT(reporter.diary, Contains(HasSubstr("for stage 'make': tool 1.0")));
  const Digest first = planning->current().stages.front().digest;
  ASSERT_TRUE(run_all());
  EXPECT_EQ(outcome.done, 0u);
  says("echo tool 1.1");
  ASSERT_TRUE(run_all());
  EXPECT_EQ(outcome.done, 1u);
  EXPECT_THAT(reporter.diary, Contains(HasSubstr("tool 1.0 -> tool 1.1")));
  EXPECT_NE(planning->current().stages.front().digest, first);
  EXPECT_EQ(text("SELECT tool_version FROM attempt ORDER BY id DESC"), "tool 1.1");
}

TEST_F(ToolVersionsTest, APlanTakesTheAnswerOfTheLastRunAndAsksNothing) {
  ASSERT_TRUE(run_all());
  const Digest first = planning->current().stages.front().digest;
  planned.reset();
  open.reset();
  says("echo asked > \"$0.asked\"");
  auto store = store::Store::open(project.world.host(), options.store, store::Mode::read);
  ASSERT_TRUE(store);
  Planning shown(project.world.files, loaded, options.store, options.plan);
  shown.use(*store);
  shown.plan(errors);
  EXPECT_EQ(text_of(errors), "");
  EXPECT_EQ(shown.current().stages.front().digest, first);
  EXPECT_EQ(shown.current().stages.front().status, plan::Status::reuse);
  EXPECT_FALSE(std::filesystem::exists(project.path("tool.asked")));
}

TEST_F(ToolVersionsTest, WithoutAStoreThePlanNamesWhatItWaitsFor) {
  loaded = load_experiment(project.world, options.experiment, errors);
  Planning shown(project.world.files, loaded, options.store, options.plan);
  shown.plan(errors);
  EXPECT_EQ(text_of(errors), "");
  EXPECT_THAT(shown.current().stages.front().unknown,
              ElementsAre("version:" + project.path("tool") + " --version"));
  EXPECT_THAT(shown.current().stages.front().why, HasSubstr("`run` asks it"));
}

TEST_F(ToolVersionsTest, AnotherAnswerAtTheStartIsAMismatchThatTheNextRunMends) {
  before_drive = [this] { says("echo tool 2.0"); };
  ASSERT_TRUE(run_all());
  EXPECT_EQ(outcome.failures_by_class, (std::map<std::string, std::size_t>{{"tool_mismatch", 1}}));
  EXPECT_THAT(project.executor.started, IsEmpty());
  EXPECT_THAT(text("SELECT message FROM attempt"),
              AllOf(HasSubstr("planned with 'tool 1.0'"), HasSubstr("says 'tool 2.0'"),
                    HasSubstr("run again")));
  before_drive = nullptr;
  ASSERT_TRUE(run_all());
  EXPECT_EQ(outcome.done, 1u);
  // The version that never ran has not failed.
  says("echo tool 1.0");
  ASSERT_TRUE(run_all());
  EXPECT_EQ(outcome.done, 1u);
}

TEST_F(ToolVersionsTest, AProgramThatCannotBeAskedAtTheStartIsAMismatch) {
  before_drive = [this] { says("echo no GPU >&2; exit 3"); };
  ASSERT_TRUE(run_all());
  EXPECT_THAT(text("SELECT failure_class || ': ' || message FROM attempt"),
              AllOf(HasSubstr("tool_mismatch: "), HasSubstr("status 3: no GPU")));
}

TEST_F(ToolVersionsTest, WhatAProgramDoesWrongIsOneErrorWithStageWordsAndRemedy) {
  struct Wrong {
    const char* script;
    const char* why;
  };
  for (const Wrong& wrong :
       {Wrong{":", "it prints nothing"},
        {"echo broken >&2; exit 2", "it ended with status 2: broken"},
        {"kill -9 $$", "it ended with signal 9"},
        {"head -c 3000000 /dev/zero | tr '\\0' x", "more than 1000 characters"},
        {"date +%N", "its answers differ from call to call: '"}}) {
    const std::string line = complaint(wrong.script);
    EXPECT_THAT(line, AllOf(HasSubstr("runner.yaml:8:"), HasSubstr("stage 'make'"),
                            HasSubstr("/tool --version`"), HasSubstr(wrong.why),
                            HasSubstr("correct the path of the program, or 'version'")));
  }
}

TEST_F(ToolVersionsTest, AMissingProgramIsAnError) {
  project.write("runners/toy/runner.yaml",
                std::string(k_runner).replace(std::string(k_runner).find("\"{program}\", --"), 15,
                                              "\"no-such-program\", --"));
  EXPECT_THAT(complaint(""), HasSubstr("no such program, or it is not executable"));
}

TEST_F(ToolVersionsTest, StandardErrorCountsWhereStandardOutputIsEmptyAndLinesAreJoined) {
  says("printf 'one \\n\\n  two\\033[0m\\n' >&2");
  ASSERT_TRUE(run_all());
  EXPECT_EQ(text("SELECT tool_version FROM attempt"), "one; two\\x1b[0m");
}

TEST_F(ToolVersionsTest, ASecretIsNotStored) {
  project.world.environment["MY_TOKEN"] = "canary-value-1234";
  EXPECT_THAT(complaint("echo canary-value-1234"), HasSubstr("it prints a secret"));
  EXPECT_EQ(text("SELECT count(*) FROM resolution"), "0");
}

TEST_F(ToolVersionsTest, TheInterpreterOfAVirtualEnvironmentIsCalledByItsLink) {
  std::filesystem::create_directories(project.path("venv/bin"));
  std::filesystem::rename(project.path("tool"), project.path("python"));
  std::filesystem::create_symlink(project.path("python"), project.path("venv/bin/python"));
  project.write("venv/bin/python.sh", "echo in the venv\n");
  options.experiment = project.options(
      "name: first\nrunner: toy\ndefaults: {program: venv/bin/python}\naxes: {size: [s]}\n");
  ASSERT_TRUE(run_all()) << text_of(errors);
  EXPECT_EQ(text("SELECT tool_version FROM attempt"), "in the venv");
}

TEST_F(ToolVersionsTest, AnInterruptEndsTheQuestionAndTheRun) {
  says("exec sleep 1");
  interrupts.requested = 1;
  EXPECT_FALSE(run_all());
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_EQ(errors.front().kind, ErrorKind::interrupted);
  EXPECT_EQ(text("SELECT count(*) FROM resolution"), "0");
}

}  // namespace tool_versions_test
}  // namespace orch::session
