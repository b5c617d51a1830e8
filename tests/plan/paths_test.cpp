// Parameters of type path: what they name enters a digest by its content where it is here, else by
// its text.
#include "fakes/plans.hpp"

namespace orch {
namespace {

using fakes::Planned;

constexpr const char* k_runner = R"(
runner: toy
parameters: {model: {type: text}, templates: {type: path}, mode: {type: text}}
stages:
  make: {kind: task, reads: [templates, mode], argv: [/x, "{templates}/a", "{mode}"], env: {FROM: "{templates}"}, outputs: [o]}
)";

Planned planned(const std::string& templates,
                const std::map<std::string, std::string>& paths = {}) {
  Planned planned(k_runner, {{{"templates", templates}, {"mode", "x"}}});
  planned.facts.paths = paths;
  return planned;
}

plan::Stage made(Planned planned) { return planned.plan().stages.at(0); }

TEST(Paths, ThatAreHereCountByTheirContentAndNotByWhereTheyStand) {
  const plan::Stage here = made(planned("mine", {{"mine", "/data/mine"}}));
  EXPECT_EQ(here.spec.argv, (std::vector<std::string>{"/x", "/data/mine/a", "x"}));
  EXPECT_EQ(here.spec.env.at("FROM"), "/data/mine");
  EXPECT_EQ(here.inputs, std::vector<std::string>{"/data/mine"});
  EXPECT_EQ(here.parameters.at("templates").text, "mine") << "results show what the matrix says";

  Planned moved = planned("../theirs", {{"../theirs", "/theirs"}});
  moved.facts.sources["/theirs"] = "/data/mine";  // the same content
  EXPECT_EQ(made(std::move(moved)).digest, here.digest);
  Planned changed = planned("mine", {{"mine", "/data/mine"}});
  changed.facts.sources["/data/mine"] = "other content";
  EXPECT_NE(made(std::move(changed)).digest, here.digest);
}

TEST(Paths, ThatAreElsewhereCountByTheirTextAndAreWarnedOf) {
  Planned image = planned("/app/models");
  const plan::Plan plan = image.plan();
  EXPECT_EQ(plan.stages[0].spec.argv, (std::vector<std::string>{"/x", "/app/models/a", "x"}));
  EXPECT_EQ(plan.stages[0].inputs, std::vector<std::string>{});
  EXPECT_EQ(
      plan.warnings,
      std::set<std::string>{
          "templates: '/app/models' is not on this machine; it is hashed by path, not by content"});
  EXPECT_NE(made(planned("/app/others")).digest, plan.stages[0].digest);
}

TEST(Paths, ThatAreRelativeMustBeThere) {
  EXPECT_EQ(planned("mine").plan_errors(),
            std::vector<std::string>{"templates: 'mine' was not found beside the matrix; write the "
                                     "path of a file or folder, an absolute "
                                     "one if it is not on this machine"});
}

}  // namespace
}  // namespace orch
