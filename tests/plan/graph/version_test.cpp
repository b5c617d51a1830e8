// What a program says of its version is in the digest of the stages that ask for it.
#include "fakes/plans.hpp"
#include "plan/graph/comparison.hpp"

#include <gmock/gmock.h>

namespace orch::plan {
namespace version_test {

using fakes::PlanBuilder;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* k_versions = R"(
runner: toy
parameters: {tool: {type: text, optional: true}, size: {type: text, optional: true}}
stages:
  make:
    kind: task
    reads: [tool]
    version: [{when: tool IS NOT NULL, then: [/bin/ask, "{tool}", "{file:ask.py}"]}]
    argv: [/bin/make, "{out}"]
    outputs: [made]
  serve: {kind: service, needs: [make], argv: [/bin/s], ports: [http], ready: {port: http, get: [/]}}
  bench: {kind: measure, needs: [serve], argv: [/bin/b], outputs: [y]}
)";

std::string version_of(const Stage& stage) {
  for (const Component& component : stage.components.list())
    if (component.name == "version") return std::string(component.value);
  return "none";
}

TEST(Version, IsAComponentOfTheDigest) {
  PlanBuilder builder(k_versions, {{{"tool", "a"}}});
  builder.expansion.points[0].answers = {1};
  builder.facts.versions["/bin/ask a {file:ask.py}"] = "a 1.0";
  const Plan first = builder.plan();
  const Stage& stage = first.stages.front();
  EXPECT_EQ(version_of(stage), "a 1.0");
  EXPECT_EQ(stage.spec.version->answer, "a 1.0");
  EXPECT_EQ(stage.unknown, std::vector<std::string>());
  EXPECT_THAT(to_json(first), HasSubstr("\"version\": \"a 1.0\""));
  builder.facts.versions["/bin/ask a {file:ask.py}"] = "a 1.1";
  EXPECT_NE(builder.plan().stages.front().digest, stage.digest);
}

TEST(Version, ThatNobodyHasAskedIsNotKnown) {
  PlanBuilder builder(k_versions, {{{"tool", "a"}}});
  builder.expansion.points[0].answers = {1};
  const Plan plan = builder.plan();
  EXPECT_THAT(plan.stages.front().unknown, ElementsAre("version:/bin/ask a {file:ask.py}"));
  EXPECT_EQ(plan.points.front().status, Status::undecided);
  EXPECT_THAT(plan.points.front().why, HasSubstr("`run` asks it"));
}

TEST(Version, IsNotAskedWhereNoWordIsLeft) {
  PlanBuilder builder(k_versions, {{{"size", "s"}}});
  builder.expansion.points[0].answers = {0};
  const Plan plan = builder.plan();
  EXPECT_EQ(version_of(plan.stages.front()), "none");
  EXPECT_EQ(plan.stages.front().spec.version, nullptr);
  EXPECT_EQ(plan.points.front().status, Status::run);
}

}  // namespace version_test
}  // namespace orch::plan
