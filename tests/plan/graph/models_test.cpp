// Parameters of type model: a stage refers to further entries of `models:`, whose identity is in
// its digest.
#include "fakes/plans.hpp"

namespace orch {
namespace models_test {

using fakes::PlanBuilder;

constexpr const char* k_runner = R"(
runner: toy
parameters: {model: {type: text}, draft: {type: model, optional: true}}
stages:
  get: {kind: task, argv: [/x, "{model.source}"], outputs: [o]}
  get_draft: {kind: task, reads: [draft], argv: [/x, "{draft.source}", "{draft.revision}"], outputs: [o]}
)";

PlanBuilder builder_of(const std::string& draft, const std::string& source = "hf:a/small",
                       const std::string& revision = "main") {
  fakes::Parameters point = {{"source", "generate:nano"}};
  if (!draft.empty()) point["draft"] = draft;
  PlanBuilder builder(k_runner, {point});
  builder.matrix.models["small"] = {
      .source = source, .written = source, .revision = revision, .facts = {}, .where = {}};
  return builder;
}

const plan::Stage* find_stage(const plan::Plan& plan, const std::string& name) {
  for (const plan::Stage& stage : plan.stages)
    if (stage.spec.name == name) return &stage;
  return nullptr;
}

plan::Stage draft_of(PlanBuilder builder) { return *find_stage(builder.plan(), "get_draft"); }

TEST(NamedModels, GiveAStageTheirSourceAndRevision) {
  EXPECT_EQ(draft_of(builder_of("small")).spec.argv,
            (std::vector<std::string>{"/x", "hf:a/small", "main"}));
}

TEST(NamedModels, CountByTheirIdentity) {
  const plan::Stage stage = draft_of(builder_of("small"));
  PlanBuilder resolved = builder_of("small");
  resolved.facts.resolved["hf:a/small"] = "0123";
  EXPECT_EQ(draft_of(resolved).spec.argv.back(), "0123");
  EXPECT_EQ(draft_of(resolved).digest, stage.digest) << "the identity is in it, not the spelling";
  PlanBuilder other = builder_of("small");
  other.facts.sources["hf:a/small"] = "other content";
  EXPECT_NE(draft_of(other).digest, stage.digest);
  EXPECT_NE(draft_of(builder_of("small", "hf:a/small", "dev")).digest, stage.digest);
}

TEST(NamedModels, OfAnUnknownIdentityWaitForIt) {
  PlanBuilder builder = builder_of("small");
  builder.facts.missing.insert("hf:a/small");
  const plan::Plan plan = builder.plan();
  EXPECT_EQ(find_stage(plan, "get_draft")->unknown, std::vector<std::string>{"hf:a/small@main"});
  EXPECT_TRUE(find_stage(plan, "get")->unknown.empty());
}

TEST(NamedModels, OnThisMachineAreInputs) {
  EXPECT_EQ(draft_of(builder_of("small", "local:/data/small", "")).inputs,
            std::vector<std::string>{"/data/small"});
}

TEST(NamedModels, LeaveOtherStagesAsTheyAre) {
  const plan::Plan with = builder_of("small").plan();
  PlanBuilder without(k_runner, {{{"source", "generate:nano"}}});
  const plan::Plan plain = without.plan();
  EXPECT_EQ(find_stage(with, "get")->digest, find_stage(plain, "get")->digest);
}

}  // namespace models_test
}  // namespace orch
