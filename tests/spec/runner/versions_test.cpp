#include "spec/runner/support.hpp"

namespace orch::runner {
namespace versions_test {

TEST(Versions, AreATableWithTheOldestFirst) {
  const Manifest manifest = manifest_of(R"(runner: toy
versions: {parameter: tool_version, of: Tool, rows: {0.9.0: verified, 0.14.0: {evidence: neighbour, note: a commit before it}}}
parameters: {tool_version: {type: version}}
stages:
  a: {kind: task, reads: [tool_version], argv: [/x, "{tool_version}"], outputs: [o]}
)");
  ASSERT_TRUE(manifest.versions);
  ASSERT_EQ(manifest.versions->rows.size(), 2u);
  EXPECT_EQ(manifest.versions->rows[1].evidence, matrix::Evidence::neighbour);
  EXPECT_EQ(manifest.versions->rows[1].note, "a commit before it");
  EXPECT_EQ(manifest.versions->at("0.11.2"), &manifest.versions->rows[0]);
  EXPECT_EQ(manifest.versions->at("1.0"), &manifest.versions->rows[1]);
  EXPECT_EQ(manifest.versions->at("0.8.9"), nullptr);
}

// 0.14 compares as older than 0.14.0: it would be taken for a later 0.13, and its tag does not
// exist.
TEST(Versions, AreNotAbbreviatedUnlessTheShortFormIsAVersion) {
  const Manifest manifest = manifest_of(R"(runner: toy
versions: {parameter: tool_version, of: Tool, rows: {0.9.0: verified, 0.14.0: verified, 0.14.1: verified, 1.0: verified, 1.0.0: verified}}
parameters: {tool_version: {type: version}}
stages:
  a: {kind: task, reads: [tool_version], argv: [/x, "{tool_version}"], outputs: [o]}
)");
  ASSERT_EQ(manifest.rules.size(), 2u);
  EXPECT_EQ(manifest.rules[0].name, "whole-version");
  EXPECT_EQ(manifest.rules[0].require, "tool_version NOT IN ('0.9', '0.14')");
  EXPECT_EQ(manifest.rules[0].because,
            "Tool {tool_version} would count as older than {tool_version}.0, the version in the "
            "table; write {tool_version}.0");
}

TEST(Versions, WithErrorsAreReportedAtTheirPlaces) {
  EXPECT_EQ(
      errors_of(R"(runner: toy
versions:
  parameter: tool_version
  of: Tool
  rows:
    0.14.0: verified
    0.9.0: sure
    seven: verified
parameters:
  tool_version: {type: text}
  a: {type: integer, since: 0.11.0}
  b: {type: text, values: [x, {value: y, until: 0.14}, x]}
stages:
  s: {kind: task, argv: [/x], outputs: [o]}
)"),
      R"(runner.yaml:3:3: 'versions' uses 'tool_version', which is not a parameter of type version; declare it as one
runner.yaml:7:5: version '0.9.0' comes after 0.14.0; write the oldest first
runner.yaml:7:12: 'versions.rows.0.9.0' must be verified, neighbour or inferred, or a map of keys and values, not the value 'sure'
runner.yaml:8:5: 'seven' in 'versions' is not a version; write one like 0.14.0
runner.yaml:11:29: 'since' names '0.11.0', which is not in 'versions'; add it there
runner.yaml:12:49: 'until' names '0.14', which is not in 'versions'; add it there
runner.yaml:12:56: 'values' of parameter 'b' has 'x' twice; remove one
)");
}

TEST(Versions, AreRequiredBySinceAndUntil) {
  EXPECT_EQ(errors_of(R"(runner: toy
parameters: {a: {type: integer, since: 0.11.0}}
stages:
  s: {kind: task, argv: [/x], outputs: [o]}
)"),
            R"(runner.yaml:2:40: 'since' refers to the versions of a tool; add 'versions' first
)");
}

TEST(Options, AreParametersThatTheStageReads) {
  EXPECT_EQ(
      errors_of(R"(runner: toy
parameters: {a: {type: integer}, b: {type: integer}}
stages:
  s: {kind: task, reads: [a], argv: [/x, {options: [a, b, {a: --other}, {a: 1, b: 2}]}, {times: a, then: ["{index}"]}, {options: []}], outputs: [o]}
  t: {kind: task, argv: [/x, "{index}"], outputs: [o]}
)"),
      R"(runner.yaml:4:56: option 'b' is not a parameter that stage 's' reads; add it under 'reads'
runner.yaml:4:73: 'options' has 2 entries; give it at most 1; write a parameter's name, or {NAME: --option}
runner.yaml:5:31: stage 't' uses {index}, which counts in the parts of argv with 'times'; remove it
)");
}

TEST(Words, ComeFromATextThatTheStageReads) {
  EXPECT_EQ(
      errors_of(R"(runner: toy
parameters: {a: {type: integer, default: 1}, b: {type: text, default: x}}
stages:
  s: {kind: task, reads: [a], argv: [/x, {words: a}, {words: b}, {words: [b]}], outputs: [o]}
)"),
      R"(runner.yaml:4:50: 'words' splits a text at its blanks, but 'a' is of type integer; write "{a}" as a word of 'argv'
runner.yaml:4:62: words 'b' is not a parameter that stage 's' reads; add it under 'reads'
runner.yaml:4:74: 'words' must be one value, not a list
)");
}

TEST(Options, AsValuesSpellOutBooleans) {
  const Manifest manifest = manifest_of(R"(runner: toy
parameters: {a: {type: boolean, optional: true}, b: {type: boolean, default: false}, c: {type: text, default: x}}
stages:
  s: {kind: task, reads: [a, b, c], argv: [/x, {values: [a, b, {c: --other}]}, {options: [a]}], outputs: [o]}
)");
  EXPECT_EQ(manifest.stages[0].argv,
            (std::vector<std::string>{"/x", "--a", "{a}", "--b", "{b}", "--other", "{c}", "--a"}));
  std::vector<std::string> conditions;
  for (const Fragment& part : manifest.stages[0].fragments)
    conditions.push_back(part.when ? manifest.questions[*part.when].sql : "");
  EXPECT_EQ(conditions, (std::vector<std::string>{"", "a IS NOT NULL", "", "coalesce(a, 0)"}));
  EXPECT_EQ(
      errors_of(R"(runner: toy
stages:
  s: {kind: task, argv: [/x, {values: [a, {a: 1, b: 2}]}], outputs: [o]}
)"),
      R"(runner.yaml:3:40: option 'a' is not a parameter that stage 's' reads; add it under 'reads'
runner.yaml:3:43: 'values' has 2 entries; give it at most 1; write a parameter's name, or {NAME: --option}
)");
}

TEST(Launch, PrecedesTheCommand) {
  const Manifest manifest = manifest_of(R"(runner: toy
stages:
  s: {kind: task, launch: [/usr/bin/env, -i], argv: [tool, "{out}"], outputs: [o]}
)");
  EXPECT_EQ(manifest.stages[0].argv,
            (std::vector<std::string>{"/usr/bin/env", "-i", "tool", "{out}"}));
  EXPECT_EQ(manifest.stages[0].launcher, 2u);
  EXPECT_EQ(
      errors_of(R"(runner: toy
stages:
  s: {kind: task, launch: [env], argv: [tool], outputs: [o]}
  t: {kind: task, launch: [/usr/bin/env], copy: [{from: a, to: o}], outputs: [o]}
)"),
      R"(runner.yaml:3:28: the program 'env' is not searched for on PATH; begin with an absolute path, {stage:NAME}/PATH, {file:PATH} or {orchestrate}
runner.yaml:4:19: 'launch' of stage 't' launches nothing; give the stage 'argv'
)");
}

}  // namespace versions_test
}  // namespace orch::runner
