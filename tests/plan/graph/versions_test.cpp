// The version table of a manifest, from the text of a matrix to a command line.
#include "core/base/text.hpp"
#include "fakes/plans.hpp"
#include "plan/graph/comparison.hpp"
#include "plan/graph/toy.hpp"
#include "spec/matrix/matrix.hpp"

#include <nlohmann/json.hpp>

namespace orch::plan {
namespace versions_test {

constexpr const char* k_runner = R"(
runner: toy
versions:
  parameter: tool_version
  of: Tool
  rows: {0.9.0: verified, 0.11.0: verified, 0.14.0: {evidence: neighbour, note: read from a commit three weeks before it}, 1.0.0: inferred}
  carried_by: {of: Image, rows: {24.10: 0.14.0}}
parameters:
  tool_version: {type: version, default: 0.11.0}
  plugin: {type: text, values: [float16, {value: auto, since: 0.11.0}], default: float16}
  cache: {type: text, values: [paged, disabled], default: paged, since: 0.14.0}
  old_cache: {type: text, default: it's on, until: 0.14.0}
  depth: {type: integer, since: 0.11.0, until: 1.0.0}
  fused: {type: boolean, default: true}
  strict: {type: boolean, default: false}
  ranks: {type: integer, default: 1}
  folders: {type: text, optional: true}
stages:
  build:
    kind: task
    reads: [tool_version, plugin, cache, old_cache, depth, fused, strict, ranks, folders]
    launch: [/usr/bin/env, A=b]
    argv: [build, {options: [plugin, cache, {old_cache: --paged_kv_cache}, depth, fused, strict]}, {times: ranks - 1, then: [":", "rank{index}"]}, {words: folders}, end]
    outputs: [o]
  serve: {kind: service, needs: [build], ports: [http], argv: [/x], ready: {port: http, get: [/]}}
  bench: {kind: measure, needs: [serve], argv: ["{orchestrate}", bench], outputs: [m]}
)";

struct PlanAndExpansion {
  matrix::Expansion expansion;
  Plan plan;
};

PlanAndExpansion plan_of(const std::string& yaml) {
  Errors errors;
  const matrix::Matrix matrix =
      matrix::parse_matrix("name: m\nrunner: toy\n" + yaml, "m.yaml", errors);
  const runner::Manifest manifest = fakes::manifest_of(k_runner);
  PlanAndExpansion out;
  out.expansion = matrix::expand(matrix, manifest.vocabulary(), {}, errors);
  const ChosenPoints chosen = {.points = out.expansion.points.all()};
  toy::FakeFacts facts = toy::good_facts();
  if (errors.empty())
    out.plan = make_plan(
        {.matrix = matrix, .chosen = chosen, .manifest = manifest, .facts = facts, .done = {}},
        errors);
  for (const Error& error : errors) ADD_FAILURE() << error.text();
  return out;
}

std::string build_of(const std::string& yaml) {
  for (const Stage& stage : plan_of(yaml).plan.stages)
    if (stage.spec.name == "build")
      return orch::join(
          std::vector(stage.spec.argv.begin() + static_cast<long>(stage.spec.launcher),
                      stage.spec.argv.end()),
          " ");
  return "";
}

std::vector<std::string> rejects(const std::string& yaml) {
  std::vector<std::string> out;
  for (const matrix::Point& point : plan_of(yaml).expansion.points)
    out.push_back(point.is_rejected() ? point.rejections.front().why : "");
  return out;
}

TEST(Versions, DecideWhichOptionsACommandHas) {
  EXPECT_EQ(build_of("axes: {tool_version: [0.9.0]}\n"),
            "build --plugin float16 --paged_kv_cache it's on --fused end");
  EXPECT_EQ(build_of("axes: {tool_version: [0.14.0]}\n"),
            "build --plugin float16 --cache paged --fused end");
  EXPECT_EQ(
      build_of("axes: {tool_version: [0.11.2], depth: [3], fused: [false], strict: [true]}\n"),
      "build --plugin float16 --paged_kv_cache it's on --depth 3 --strict end");
}

TEST(Versions, RejectMissingOptionsAndNameTheVersionsThatHaveThem) {
  EXPECT_EQ(
      rejects(
          "axes: {tool_version: [0.8.0, 0.9.0, 0.11.0, 0.14.0, 1.0.0]}\ndefaults: {depth: 2}\n"),
      (std::vector<std::string>{"Tool 0.8.0 is no release that this runner knows; the oldest is "
                                "0.9.0; another one can be "
                                "added under `versions:` of the runner",
                                "Tool 0.9.0 has no depth; 0.11.0 to 0.14.0 have it", "", "",
                                "Tool 1.0.0 has no depth; 0.11.0 to 0.14.0 have it"}));
  EXPECT_EQ(
      rejects("axes: {tool_version: [0.9.0, 0.11.0]}\ndefaults: {plugin: auto}\n"),
      (std::vector<std::string>{"Tool 0.9.0 has no plugin auto; 0.11.0 to 1.0.0 have it", ""}));
  EXPECT_EQ(rejects("axes: {cache: [disabled]}\n"),
            (std::vector<std::string>{"Tool 0.11.0 has no cache; 0.14.0 to 1.0.0 have it"}));
}

TEST(Versions, ThatAreNotVerifiedGiveAWarning) {
  EXPECT_EQ(
      plan_of("axes: {tool_version: [0.9.0, 0.11.1, 0.14.0, 1.0.0], fused: [true, false]}\n")
          .expansion.warnings,
      (std::vector<std::string>{
          "Tool 0.11.1 (2 points) is not in the runner's table and is assumed to have the options "
          "of 0.11.0 (inferred); if the tool is installed, its own --help decides",
          "Tool 0.14.0 (2 points) is known from a neighbouring version: read from a commit three "
          "weeks "
          "before it; if the tool is installed, its own --help decides",
          "Tool 1.0.0 (2 points) is inferred; if the tool is installed, its own --help decides"}));
}

TEST(Versions, ThatAreUnknownAreRejectedWithTheNearestAndNothingElse) {
  const auto all = [](const std::string& version) {
    const auto points = plan_of("axes: {tool_version: ['" + version + "']}\ndefaults: {depth: 2}\n")
                            .expansion.points;
    return points.empty() ? "" : matrix::rejections_text(points.front());
  };
  const std::string end = "; another one can be added under `versions:` of the runner";
  EXPECT_EQ(all("0.13.1"),
            "known-version: Tool 0.13.1 is no release that this runner knows; the "
            "nearest are 0.11.0 and 0.14.0" +
                end);
  EXPECT_EQ(all("1.2.0"),
            "known-version: Tool 1.2.0 is no release that this runner knows; the "
            "newest is 1.0.0" +
                end);
  EXPECT_EQ(all("24.10"),
            "known-version: Tool 24.10 is no release that this runner knows; Image "
            "24.10 carries Tool 0.14.0: write 0.14.0" +
                end);
}

TEST(Parts, RepeatAsOftenAsTheirNumber) {
  EXPECT_EQ(build_of("axes: {ranks: [3], tool_version: [0.14.0]}\n"),
            "build --plugin float16 --cache paged --fused : rank1 : rank2 end");
}

TEST(Words, SplitATextIntoArgumentsAndNeedNoValue) {
  EXPECT_EQ(build_of("axes: {folders: ['  /a   /b '], tool_version: [0.14.0]}\n"),
            "build --plugin float16 --cache paged --fused /a /b end");
  EXPECT_EQ(build_of("axes: {folders: [\"/a\\n/b\\t\\n\"], tool_version: [0.14.0]}\n"),
            "build --plugin float16 --cache paged --fused /a /b end");
  EXPECT_EQ(build_of("axes: {tool_version: [0.14.0]}\n"),
            "build --plugin float16 --cache paged --fused end");
}

TEST(Launch, IsSeparateFromTheCommandLineOfTheTool) {
  const auto plan =
      nlohmann::json::parse(to_json(plan_of("axes: {tool_version: [0.14.0]}\n").plan));
  EXPECT_EQ(plan["stages"][0]["launch"], (std::vector<std::string>{"/usr/bin/env", "A=b"}));
  EXPECT_EQ(plan["stages"][0]["argv"],
            (std::vector<std::string>{"build", "--plugin", "float16", "--cache", "paged", "--fused",
                                      "end"}));
}

}  // namespace versions_test
}  // namespace orch::plan
