// Plans with unknown facts, and the same plans once the facts are known.
#include "plan/graph/comparison.hpp"
#include "plan/graph/toy.hpp"

#include <nlohmann/json.hpp>

namespace orch::plan {
namespace unknown_test {

using namespace toy;

using Words = std::vector<std::string>;

// Two models, the second with an unresolved revision.
PlanBuilder two_models() {
  PlanBuilder builder(k_runner, {{{"model", "tiny"},
                                  {"source", "generate:nano"},
                                  {"precision", "f16"},
                                  {"batch_size", "4"},
                                  {"isl", "32"}},
                                 {{"model", "big"},
                                  {"source", "hf:Qwen/X"},
                                  {"precision", "f16"},
                                  {"batch_size", "4"},
                                  {"isl", "32"}}});
  builder.facts = good_facts();
  builder.expansion.points[1].model_revision = "main";
  builder.facts.missing = {"hf:Qwen/X"};
  return builder;
}

// A rule about the second point waits for a fact that download reports.
PlanBuilder waiting_rule() {
  PlanBuilder builder = two_models();
  builder.facts.missing.clear();
  builder.manifest.fact_source.emplace().stage = "download";
  builder.expansion.points[1].waiting = {{"rule 'kv-heads'", "model_kv_heads"}};
  return builder;
}

std::map<StageId, const Stage*> by_id(const Plan& plan) {
  std::map<StageId, const Stage*> stages;
  for (const Stage& stage : plan.stages) stages[stage.id] = &stage;
  return stages;
}

const Stage& stage_of(const Plan& plan, std::size_t point, const std::string& name) {
  const auto stages = by_id(plan);
  for (const StageId& id : plan.points[point].stages)
    if (stages.at(id)->spec.name == name) return *stages.at(id);
  throw std::runtime_error("no stage " + name);
}

TEST(Unknown, AnUnresolvedIdentityIsSymbolicInThePlanKey) {
  PlanBuilder builder = two_models();
  const Plan plan = builder.plan();
  const Stage& download = stage_of(plan, 1, "download");
  EXPECT_EQ(download.unknown, Words{"hf:Qwen/X@main"});
  EXPECT_EQ(download.digest, Digest{});
  EXPECT_NE(download.key, Digest{});
  EXPECT_EQ(download.id, "download-" + download.key.prefix(12));
  EXPECT_EQ(download.status, Status::undecided);
  EXPECT_EQ(download.why, "hf:Qwen/X@main is not resolved yet");
  const auto components = download.components.list();
  EXPECT_NE(std::find(components.begin(), components.end(),
                      Component{"model.source", "{hf:Qwen/X@main}"}),
            components.end());
}

TEST(Unknown, IsInheritedFromNeededStages) {
  PlanBuilder builder = two_models();
  const Plan plan = builder.plan();
  const Stage& build = stage_of(plan, 1, "build");
  EXPECT_EQ(build.unknown, Words{"hf:Qwen/X@main"});
  const auto components = build.components.list();
  EXPECT_NE(
      std::find(components.begin(), components.end(),
                Component{"needs.download", "{" + stage_of(plan, 1, "download").key.hex() + "}"}),
      components.end());
  EXPECT_EQ(plan.points[1].status, Status::undecided);
  EXPECT_EQ(plan.points[1].why, "hf:Qwen/X@main is not resolved yet");
}

TEST(Unknown, DoesNotAffectOtherPoints) {
  PlanBuilder builder = two_models();
  const Plan plan = builder.plan();
  EXPECT_EQ(plan.points[0].status, Status::run);
  EXPECT_EQ(plan.points[0].why, "6 of 6 stages to do");
  for (const StageId& id : plan.points[0].stages)
    EXPECT_EQ(by_id(plan).at(id)->status, Status::run) << id;
  EXPECT_EQ(counts(plan)["environment"], "1 run");
}

TEST(Unknown, AMissingProgramIsNamed) {
  PlanBuilder builder = toy_builder();
  builder.facts.missing = {"/usr/bin/python3"};
  const Plan plan = builder.plan();
  EXPECT_EQ(plan.points[0].why, "/usr/bin/python3 is not installed here");
  EXPECT_EQ(stage_named(plan, "environment").unknown, Words{"executable:/usr/bin/python3"});
}

TEST(Unknown, AnIdentityLeavesAShownPlanDecidedWhateverTheStoreHas) {
  PlanBuilder builder = two_models();
  EXPECT_EQ(builder.plan().points[1].status, Status::undecided);
  builder.options.only_shown = true;
  const Plan plan = builder.plan();
  EXPECT_EQ(plan.points[1].status, Status::run);
  EXPECT_TRUE(plan.points[1].why.ends_with(" stages to do; hf:Qwen/X@main is not resolved yet"))
      << plan.points[1].why;
  builder.done.made[Digest{}] = fakes::made_by(1);
  EXPECT_EQ(counts(builder.plan()), counts(plan));
}

TEST(Unknown, AMissingProgramMakesAPointUndecidedInAnyPlan) {
  PlanBuilder builder = toy_builder();
  builder.facts.missing = {"/usr/bin/python3"};
  builder.options.only_shown = true;
  EXPECT_EQ(builder.plan().points[0].status, Status::undecided);
}

TEST(Unknown, JsonHasNoDigestAndNamesTheMissingIdentity) {
  PlanBuilder builder = two_models();
  const auto json = nlohmann::json::parse(to_json(builder.plan()));
  for (const auto& stage : json["stages"]) {
    const bool known = stage["unknown"].is_null();
    EXPECT_EQ(stage["digest"].is_string(), known);
    if (!known) {
      EXPECT_EQ(stage["unknown"], nlohmann::json({"hf:Qwen/X@main"}));
    }
    EXPECT_EQ(stage["status"], known ? "run" : "undecided");
    if (stage["stage"] == "build") {
      EXPECT_EQ(stage["argv"].size(), 4u);
    }
  }
  EXPECT_EQ(json["points"][1]["status"], "undecided");
  EXPECT_EQ(json["points"][1]["stages"].size(), 6u);
}

TEST(Waiting, ARuleRunsOnlyTheStageThatReportsItsFact) {
  PlanBuilder builder = waiting_rule();
  const Plan plan = builder.plan();
  EXPECT_EQ(plan.points[1].status, Status::undecided);
  EXPECT_EQ(plan.points[1].why,
            "rule 'kv-heads' waits for model_kv_heads of big: known after download");
  EXPECT_EQ(stage_of(plan, 1, "download").status, Status::run);
  EXPECT_EQ(stage_of(plan, 1, "download").why, "points wait for the facts that it reports");
  EXPECT_EQ(stage_of(plan, 1, "build").status, Status::undecided);
  EXPECT_EQ(stage_of(plan, 1, "build").why, "the points that need it wait for facts");
  EXPECT_NE(stage_of(plan, 1, "build").digest, Digest{});
}

TEST(Waiting, ARejectedPointIsRejectedDespiteUnknownFacts) {
  PlanBuilder builder = waiting_rule();
  builder.expansion.points[1].rejections = {{"one-rank", "tp is 2"}};
  const Plan plan = builder.plan();
  EXPECT_EQ(plan.points[1].status, Status::reject);
  EXPECT_EQ(stage_of(plan, 1, "download").status, Status::reject);
}

TEST(Waiting, ARejectedPointDoesNotRunTheFactStage) {
  PlanBuilder builder = waiting_rule();
  builder.expansion.points[1] = builder.expansion.points[0];
  builder.expansion.points[1].parameters.set("isl", {matrix::Type::integer, "64"});
  const Plan first = builder.plan();
  builder.done.made[stage_of(first, 0, "bench").digest] = fakes::made_by(1);
  builder.expansion.points[1].waiting = {{"rule 'kv-heads'", "model_kv_heads"}};
  EXPECT_EQ(counts(builder.plan())["download"], "1 run");
  builder.expansion.points[1].rejections = {{"one-rank", "tp is 2"}};
  EXPECT_EQ(counts(builder.plan())["download"], "1 idle");
}

TEST(Waiting, WithoutAFactStageAMessageAsksToStateTheFacts) {
  PlanBuilder builder = waiting_rule();
  builder.manifest.fact_source.reset();
  builder.expansion.points[1].waiting = {{"rule 'kv-heads'", "model_kv_heads"},
                                         {"exclude", "host_gpus"}};
  const Plan plan = builder.plan();
  EXPECT_EQ(plan.points[1].why,
            "rule 'kv-heads' waits for model_kv_heads of big: state kv_heads under the model's "
            "`facts:`; exclude waits for host_gpus: "
            "state gpus under `machine:`");
  EXPECT_EQ(stage_of(plan, 1, "download").status, Status::undecided);
}

TEST(Waiting, ManyRulesAreSummarisedPerModelAndMachine) {
  PlanBuilder builder = waiting_rule();
  builder.expansion.points[1].waiting = {
      {"rule 'a'", "model_kv_heads"},  {"rule 'a'", "model_layers"}, {"rule 'gpus'", "host_gpus"},
      {"rule 'b'", "model_layers"},    {"rule 'c'", "model_vocab"},  {"rule 'd'", "model_experts"},
      {"rule 'fp8'", "host_gpu_model"}};
  EXPECT_EQ(builder.plan().points[1].why,
            "rule 'a' and 3 more wait for 4 facts of big: known after download; "
            "rule 'gpus', rule 'fp8' wait for host_gpus, host_gpu_model: state gpus, gpu_model "
            "under `machine:`");
}

// A parameter that is computed from a fact.
PlanBuilder waiting_parameter() {
  PlanBuilder builder = waiting_rule();
  matrix::Point& point = builder.expansion.points[1];
  point.waiting = {{"default of parameter 'batch_size'", "model_kv_heads"}};
  point.unknown = {"batch_size"};
  point.parameters.set("batch_size", {matrix::Type::integer, "{batch_size}"});
  return builder;
}

TEST(Waiting, AParameterMakesOnlyTheStagesThatReadItUnknown) {
  PlanBuilder builder = waiting_parameter();
  const Plan plan = builder.plan();
  EXPECT_TRUE(stage_of(plan, 1, "build").unknown.empty());
  EXPECT_EQ(stage_of(plan, 1, "repository").unknown, Words{"model_kv_heads"});
  EXPECT_EQ(stage_of(plan, 1, "bench").unknown, Words{"model_kv_heads"});
  EXPECT_EQ(
      plan.points[1].why,
      "default of parameter 'batch_size' waits for model_kv_heads of big: known after download");
}

TEST(Waiting, AParameterOfTwoModelsHasTwoUnknownValues) {
  PlanBuilder builder = waiting_parameter();
  matrix::Point& other = builder.expansion.points[0];
  other.waiting = builder.expansion.points[1].waiting;
  other.unknown = {"batch_size"};
  other.parameters.set("batch_size", {matrix::Type::integer, "{batch_size}"});
  builder.kind("repository").needs.clear();
  builder.kind("repository").render[0].values["engine"] = "none";
  EXPECT_EQ(counts(builder.plan())["repository"], "2 undecided");
}

TEST(Waiting, AQuestionWithoutAnswerMakesItsStageUnknown) {
  PlanBuilder builder = waiting_rule();
  const std::size_t when = builder.add_question("'when' of stage 'repository'",
                                                "model_kv_heads > 4", {1, matrix::k_no_answer});
  builder.kind("repository").when = when;
  builder.expansion.points[1].waiting = {{"'when' of stage 'repository'", "model_kv_heads"}};
  const Plan plan = builder.plan();
  EXPECT_EQ(stage_of(plan, 1, "repository").unknown, Words{"model_kv_heads"});
  EXPECT_TRUE(stage_of(plan, 0, "repository").unknown.empty());
}

void replan(PlanBuilder& builder, Plan& plan) {
  builder.facts.lookups.clear();
  plan_again(plan,
             {.matrix = builder.matrix,
              .chosen = builder.expansion,
              .manifest = builder.manifest,
              .facts = builder.facts,
              .done = builder.done,
              .options = builder.options},
             builder.errors);
  for (const Error& error : builder.errors) ADD_FAILURE() << error.text();
}

TEST(Waiting, AFactMayAddAWarningToAPointThatDidNotWait) {
  PlanBuilder builder = waiting_rule();
  Plan plan = builder.plan();
  ASSERT_TRUE(plan.points[0].point.warnings.empty());
  builder.expansion.points[0].warnings = {{.rule = "full", .why = "8 of 4"}};
  replan(builder, plan);
  ASSERT_EQ(plan.points[0].point.warnings.size(), 1u);
  EXPECT_EQ(plan.points[0].point.warnings[0].why, "8 of 4");
  EXPECT_NE(to_json(plan).find(R"("full: 8 of 4")"), std::string::npos);
}

// Two models whose warm-up waits. Only the measurements use it.
PlanBuilder waiting_warmup() {
  PlanBuilder builder = waiting_rule();
  for (matrix::Point& point : builder.expansion.points)
    point.waiting = {{"rule 'x'", "model_layers"}, {"measure.warmup", "model_kv_heads"}};
  return builder;
}

TEST(Waiting, AWarmUpMakesOnlyTheStagesThatUseItUnknown) {
  PlanBuilder builder = waiting_warmup();
  const Plan plan = builder.plan();
  const Stage& bench = stage_of(plan, 1, "bench");
  EXPECT_EQ(bench.unknown, Words{"model_kv_heads"});
  EXPECT_EQ(bench.digest, Digest{});
  EXPECT_EQ(bench.spec.argv.back(), "--warmup={measure.warmup}");
  const auto list = bench.components.list();
  EXPECT_NE(
      std::find(list.begin(), list.end(), Component{"measure.warmup", "{measure.warmup of big}"}),
      list.end());
  EXPECT_TRUE(stage_of(plan, 1, "serve").unknown.empty());
}

TEST(Waiting, TheWarmUpOfTwoModelsHasTwoUnknownValues) {
  PlanBuilder builder = waiting_warmup();
  // A needed stage that both models would share if it did not wait.
  builder.kind("repository").needs.clear();
  builder.kind("repository").render[0].values = {{"max", "{measure.warmup}"}, {"engine", "none"}};
  EXPECT_EQ(counts(builder.plan())["repository"], "2 undecided");
  for (matrix::Point& point : builder.expansion.points)
    point.waiting = {{"rule 'x'", "model_layers"}};
  EXPECT_EQ(counts(builder.plan())["repository"], "1 undecided");
}

TEST(PlanAgain, UsesTheWarmUpOnceItIsKnown) {
  PlanBuilder builder = waiting_warmup();
  Plan plan = builder.plan();
  for (matrix::Point& point : builder.expansion.points) point.waiting = {}, point.warmup = 16;
  replan(builder, plan);
  EXPECT_EQ(stage_of(plan, 1, "bench").spec.argv.back(), "--warmup=16");
  EXPECT_EQ(to_json(plan), to_json(builder.plan()));
}

// Whether STAGE of the second point is provided waits for a fact of its model.
PlanBuilder waiting_provision(const std::string& stage) {
  PlanBuilder builder = waiting_rule();
  builder.matrix.provide.emplace_back();
  builder.matrix.provide[0].stage = stage;
  builder.matrix.provide[0].path = "/provided";
  builder.expansion.points[1].waiting = {
      {fmt::format("'when' of provide '{}'", stage), "model_kv_heads"}};
  return builder;
}

TEST(Waiting, AProvisionMakesItsStageAndDependantsUnknown) {
  PlanBuilder builder = waiting_provision("build");
  Plan plan = builder.plan();
  const Stage& build = stage_of(plan, 1, "build");
  EXPECT_EQ(build.unknown, Words{"model_kv_heads"});
  EXPECT_EQ(build.digest, Digest{});
  const auto list = build.components.list();
  EXPECT_NE(std::find(list.begin(), list.end(), Component{"provided", "{provided of big}"}),
            list.end());
  EXPECT_EQ(stage_of(plan, 1, "bench").unknown, Words{"model_kv_heads"});
  EXPECT_TRUE(stage_of(plan, 0, "build").unknown.empty());
  EXPECT_EQ(stage_of(plan, 1, "download").status, Status::run);
  builder.expansion.points[1].waiting = {};
  builder.expansion.points[1].provided = {0};
  replan(builder, plan);
  EXPECT_EQ(stage_of(plan, 1, "build").provided, "/provided");
  EXPECT_EQ(plan.points[1].status, Status::run);
}

TEST(Waiting, AStageThatMayBeProvidedIsNotShared) {
  PlanBuilder builder = waiting_provision("build");
  matrix::Point& point = builder.expansion.points[1];
  point.waiting = {{"'when' of provide 'build'", "model_kv_heads"},
                   {"let 'precision'", "model_layers"}};
  point.unknown = {"precision"};
  point.parameters.set("precision", {matrix::Type::text, "{precision}"});
  builder.expansion.points[0] = point;
  builder.expansion.points[0].parameters.set("isl", {matrix::Type::integer, "64"});
  EXPECT_EQ(counts(builder.plan())["build"], "1 undecided");
  builder.expansion.points[0].waiting = {{"let 'precision'", "model_layers"}};
  EXPECT_EQ(counts(builder.plan())["build"], "2 undecided");
}

TEST(Waiting, TheFactStageRunsEvenIfItsFactMayProvideIt) {
  for (const char* stage : {"download", "environment"}) {
    PlanBuilder builder = waiting_provision(stage);
    const Plan plan = builder.plan();
    EXPECT_EQ(stage_of(plan, 1, "environment").status, Status::run) << stage;
    EXPECT_EQ(stage_of(plan, 1, "download").status, Status::run) << stage;
  }
}

TEST(Unknown, JsonHasNoValueForAParameterThatWaits) {
  PlanBuilder builder = waiting_parameter();
  const auto json = nlohmann::json::parse(to_json(builder.plan()));
  EXPECT_EQ(json["points"][1]["params"]["batch_size"], nullptr);
  EXPECT_EQ(json["points"][0]["params"]["batch_size"], "4");
}

// The parts of a plan that planning again must not change.
Words summary(const Plan& plan, std::size_t point) {
  Words words = {plan.points[point].point.name, std::string(to_string(plan.points[point].status)),
                 plan.points[point].why};
  const auto stages = by_id(plan);
  for (const StageId& id : plan.points[point].stages)
    words.push_back(fmt::format("{} {} {} {}", id, stages.at(id)->digest.hex(),
                                to_string(stages.at(id)->status), stages.at(id)->why));
  return words;
}

TEST(PlanAgain, TouchesOnlyThePointsThatWaited) {
  PlanBuilder builder = two_models();
  Plan plan = builder.plan();
  const Words before = summary(plan, 0);
  builder.facts.missing.clear();
  builder.facts.sources["hf:Qwen/X"] = "hf:Qwen/X#abc";
  replan(builder, plan);
  EXPECT_EQ(summary(plan, 0), before);
  EXPECT_EQ(std::count(builder.facts.lookups.begin(), builder.facts.lookups.end(), "generate:nano"),
            0);
  EXPECT_EQ(std::count(builder.facts.lookups.begin(), builder.facts.lookups.end(), "hf:Qwen/X"), 1);
  EXPECT_EQ(plan.points[1].status, Status::run);
  EXPECT_EQ(plan.stages.size(), 11u);
  EXPECT_EQ(to_json(plan), to_json(builder.plan()));
}

TEST(PlanAgain, LooksUpNothingIfNoPointWaited) {
  PlanBuilder builder = toy_builder();
  Plan plan = builder.plan();
  const std::string before = to_json(plan);
  replan(builder, plan);
  EXPECT_EQ(builder.facts.lookups, Words{});
  EXPECT_EQ(to_json(plan), before);
}

TEST(PlanAgain, ReusesStagesThatWereMadeMeanwhile) {
  PlanBuilder builder = waiting_rule();
  Plan plan = builder.plan();
  builder.done.made[stage_of(plan, 1, "environment").digest] =
      builder.done.made[stage_of(plan, 1, "download").digest] = fakes::made_by(5);
  builder.expansion.points[1].waiting = {};
  replan(builder, plan);
  EXPECT_EQ(plan.points[1].status, Status::run);
  EXPECT_EQ(stage_of(plan, 1, "download").status, Status::reuse);
  EXPECT_EQ(stage_of(plan, 1, "build").status, Status::run);
}

TEST(PlanAgain, ReplacesSymbolicValuesNamesAndStages) {
  PlanBuilder builder = waiting_parameter();
  Plan plan = builder.plan();
  const StageId symbolic = stage_of(plan, 1, "repository").id;
  matrix::Point& point = builder.expansion.points[1];
  point.waiting = {};
  point.unknown = {};
  point.parameters.set("batch_size", {matrix::Type::integer, "8"});
  point.name = "renamed";
  replan(builder, plan);
  EXPECT_EQ(plan.points[1].point.name, "renamed");
  EXPECT_EQ(plan.points[1].status, Status::run);
  EXPECT_EQ(stage_of(plan, 1, "repository").rendered.at("m/config.pbtxt").substr(0, 6), "max: 8");
  EXPECT_FALSE(by_id(plan).contains(symbolic));
  EXPECT_EQ(to_json(plan), to_json(builder.plan()));
}

TEST(PlanAgain, DropsPointsThatAFactExcludes) {
  PlanBuilder builder = toy_builder();
  for (const std::size_t waiting : {1u, 2u})
    builder.expansion.points[waiting].waiting = {{"exclude", "model_layers"}};
  Plan plan = builder.plan();
  builder.expansion.points.erase(builder.expansion.points.begin() + 1);
  builder.expansion.points[1].waiting = {};
  builder.expansion.excluded = 1;
  replan(builder, plan);
  EXPECT_EQ(plan.points.size(), 3u);
  EXPECT_EQ(plan.excluded, 1u);
  EXPECT_EQ(to_json(plan), to_json(builder.plan()));
}

TEST(PlanAgain, RejectsAPointThatBreaksItsRule) {
  PlanBuilder builder = waiting_rule();
  Plan plan = builder.plan();
  builder.expansion.points[1].waiting = {};
  builder.expansion.points[1].rejections = {{"kv-heads", "tp 3 does not divide 4"}};
  replan(builder, plan);
  EXPECT_EQ(plan.points[1].why, "kv-heads: tp 3 does not divide 4");
  EXPECT_EQ(stage_of(plan, 1, "download").status, Status::reject);
}

}  // namespace unknown_test
}  // namespace orch::plan
