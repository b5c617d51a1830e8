// Parameters of type path: a path on this machine enters a digest by its content, any other path by
// its text.
#include "fakes/plans.hpp"

namespace orch {
namespace paths_test {

using fakes::PlanBuilder;

constexpr const char* k_runner = R"(
runner: toy
parameters: {model: {type: text}, templates: {type: path}, mode: {type: text}}
stages:
  make: {kind: task, reads: [templates, mode], argv: [/x, "{templates}/a", "{mode}"], env: {FROM: "{templates}"}, outputs: [o]}
)";

PlanBuilder builder_of(const std::string& templates,
                       const std::map<std::string, std::string>& paths = {}) {
  PlanBuilder builder(k_runner, {{{"templates", templates}, {"mode", "x"}}});
  builder.facts.paths = paths;
  return builder;
}

plan::Stage stage_of(PlanBuilder builder) { return builder.plan().stages.at(0); }

TEST(Paths, OnThisMachineCountByContentAndNotByLocation) {
  const plan::Stage here = stage_of(builder_of("mine", {{"mine", "/data/mine"}}));
  EXPECT_EQ(here.spec.argv, (std::vector<std::string>{"/x", "/data/mine/a", "x"}));
  EXPECT_EQ(here.spec.env.at("FROM"), "/data/mine");
  EXPECT_EQ(here.inputs, std::vector<std::string>{"/data/mine"});
  EXPECT_EQ(here.parameters.at("templates").text, "mine") << "results show the text of the matrix";

  PlanBuilder moved = builder_of("../theirs", {{"../theirs", "/theirs"}});
  moved.facts.sources["/theirs"] = "/data/mine";  // the same content
  EXPECT_EQ(stage_of(std::move(moved)).digest, here.digest);
  PlanBuilder changed = builder_of("mine", {{"mine", "/data/mine"}});
  changed.facts.sources["/data/mine"] = "other content";
  EXPECT_NE(stage_of(std::move(changed)).digest, here.digest);
}

TEST(Paths, OnAnotherMachineCountByTextWithAWarning) {
  PlanBuilder image = builder_of("/app/models");
  const plan::Plan plan = image.plan();
  EXPECT_EQ(plan.stages[0].spec.argv, (std::vector<std::string>{"/x", "/app/models/a", "x"}));
  EXPECT_EQ(plan.stages[0].inputs, std::vector<std::string>{});
  EXPECT_EQ(
      plan.warnings,
      std::set<std::string>{
          "templates: '/app/models' is not on this machine; it is hashed by path, not by content"});
  EXPECT_NE(stage_of(builder_of("/app/others")).digest, plan.stages[0].digest);
}

TEST(Paths, ThatAreRelativeMustExist) {
  EXPECT_EQ(builder_of("mine").plan_errors(),
            std::vector<std::string>{"templates: 'mine' was not found beside the matrix; write the "
                                     "path of a file or folder, an absolute "
                                     "one if it is not on this machine"});
}

}  // namespace paths_test
}  // namespace orch
