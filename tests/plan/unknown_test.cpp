// Plans while facts are missing, and again when they have arrived.
#include "plan/toy.hpp"

#include <nlohmann/json.hpp>

namespace orch::plan {
namespace {

using namespace toy;

using Words = std::vector<std::string>;

// Two models, the second of which nobody has resolved.
Planned two_models() {
  Planned planned(k_runner, {{{"model", "tiny"},
                              {"source", "generate:nano"},
                              {"precision", "f16"},
                              {"batch_size", "4"},
                              {"isl", "32"}},
                             {{"model", "big"},
                              {"source", "hf:Qwen/X"},
                              {"precision", "f16"},
                              {"batch_size", "4"},
                              {"isl", "32"}}});
  planned.facts = good_facts();
  planned.expansion.points[1].model_revision = "main";
  planned.facts.missing = {"hf:Qwen/X"};
  return planned;
}

// A rule about the second point waits for a fact that download brings.
Planned waiting_rule() {
  Planned planned = two_models();
  planned.facts.missing.clear();
  planned.manifest.fact_source.emplace().stage = "download";
  planned.expansion.points[1].waiting = {{"rule 'kv-heads'", "model_kv_heads"}};
  return planned;
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

TEST(Unknown, AnIdentityThatNobodyKnowsStandsAsItsName) {
  Planned planned = two_models();
  const Plan plan = planned.plan();
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

TEST(Unknown, IsInheritedFromWhatAStageNeeds) {
  Planned planned = two_models();
  const Plan plan = planned.plan();
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

TEST(Unknown, LeavesOtherPointsAlone) {
  Planned planned = two_models();
  const Plan plan = planned.plan();
  EXPECT_EQ(plan.points[0].status, Status::run);
  EXPECT_EQ(plan.points[0].why, "6 of 6 stages to do");
  for (const StageId& id : plan.points[0].stages)
    EXPECT_EQ(by_id(plan).at(id)->status, Status::run) << id;
  EXPECT_EQ(counts(plan)["environment"], "1 run");
}

TEST(Unknown, AProgramThatIsNotHereIsNamed) {
  Planned planned = four();
  planned.facts.missing = {"/usr/bin/python3"};
  const Plan plan = planned.plan();
  EXPECT_EQ(plan.points[0].why, "/usr/bin/python3 is not installed here");
  EXPECT_EQ(stage_named(plan, "environment").unknown, Words{"executable:/usr/bin/python3"});
}

TEST(Unknown, AnIdentityAloneKeepsNothingUndecidedInAPlanThatIsOnlyShownOfAStoreThatHasNothing) {
  Planned planned = two_models();
  EXPECT_EQ(planned.plan().points[1].status, Status::undecided);
  planned.options.only_shown = true;
  const Plan plan = planned.plan();
  EXPECT_EQ(plan.points[1].status, Status::run);
  EXPECT_TRUE(plan.points[1].why.ends_with(" stages to do; hf:Qwen/X@main is not resolved yet"))
      << plan.points[1].why;
  planned.done.made[Digest{}] = fakes::made_by(1);
  EXPECT_EQ(planned.plan().points[1].status, Status::undecided);
}

TEST(Unknown, AProgramThatIsNotHereKeepsAPointUndecidedInAnyPlan) {
  Planned planned = four();
  planned.facts.missing = {"/usr/bin/python3"};
  planned.options.only_shown = true;
  EXPECT_EQ(planned.plan().points[0].status, Status::undecided);
}

TEST(Unknown, JsonHasNoDigestAndSaysWhatIsMissing) {
  Planned planned = two_models();
  const auto json = nlohmann::json::parse(to_json(planned.plan()));
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

TEST(Waiting, ARuleRunsWhatTellsItsFactAndNothingAfterIt) {
  Planned planned = waiting_rule();
  const Plan plan = planned.plan();
  EXPECT_EQ(plan.points[1].status, Status::undecided);
  EXPECT_EQ(plan.points[1].why,
            "rule 'kv-heads' waits for model_kv_heads of big: known after download");
  EXPECT_EQ(stage_of(plan, 1, "download").status, Status::run);
  EXPECT_EQ(stage_of(plan, 1, "download").why, "points wait for the facts that it reports");
  EXPECT_EQ(stage_of(plan, 1, "build").status, Status::undecided);
  EXPECT_EQ(stage_of(plan, 1, "build").why, "the points that need it wait for facts");
  EXPECT_NE(stage_of(plan, 1, "build").digest, Digest{});
}

TEST(Waiting, ARejectedPointIsRejectedWhateverElseIsMissing) {
  Planned planned = waiting_rule();
  planned.expansion.points[1].rejected = {"one-rank", "tp is 2"};
  const Plan plan = planned.plan();
  EXPECT_EQ(plan.points[1].status, Status::reject);
  EXPECT_EQ(stage_of(plan, 1, "download").status, Status::reject);
}

TEST(Waiting, ARejectedPointBringsNoFacts) {
  Planned planned = waiting_rule();
  planned.expansion.points[1] = planned.expansion.points[0];
  planned.expansion.points[1].parameters.set("isl", {matrix::Type::integer, "64"});
  const Plan first = planned.plan();
  planned.done.made[stage_of(first, 0, "bench").digest] = fakes::made_by(1);
  planned.expansion.points[1].waiting = {{"rule 'kv-heads'", "model_kv_heads"}};
  EXPECT_EQ(counts(planned.plan())["download"], "1 run");
  planned.expansion.points[1].rejected = {"one-rank", "tp is 2"};
  EXPECT_EQ(counts(planned.plan())["download"], "1 idle");
}

TEST(Waiting, WithoutASourceOfFactsTheyCanBeStated) {
  Planned planned = waiting_rule();
  planned.manifest.fact_source.reset();
  planned.expansion.points[1].waiting = {{"rule 'kv-heads'", "model_kv_heads"},
                                         {"exclude", "host_gpus"}};
  const Plan plan = planned.plan();
  EXPECT_EQ(plan.points[1].why,
            "rule 'kv-heads' waits for model_kv_heads of big: state kv_heads under the model's "
            "`facts:`; exclude waits for host_gpus: "
            "state gpus under `machine:`");
  EXPECT_EQ(stage_of(plan, 1, "download").status, Status::undecided);
}

TEST(Waiting, OfManyRulesForManyFactsIsOneSentenceForTheModelAndOneForTheMachine) {
  Planned planned = waiting_rule();
  planned.expansion.points[1].waiting = {
      {"rule 'a'", "model_kv_heads"},  {"rule 'a'", "model_layers"}, {"rule 'gpus'", "host_gpus"},
      {"rule 'b'", "model_layers"},    {"rule 'c'", "model_vocab"},  {"rule 'd'", "model_experts"},
      {"rule 'fp8'", "host_gpu_model"}};
  EXPECT_EQ(planned.plan().points[1].why,
            "rule 'a' and 3 more wait for 4 facts of big: known after download; "
            "rule 'gpus', rule 'fp8' wait for host_gpus, host_gpu_model: state gpus, gpu_model "
            "under `machine:`");
}

// A parameter that is computed from a fact.
Planned waiting_parameter() {
  Planned planned = waiting_rule();
  matrix::Point& point = planned.expansion.points[1];
  point.waiting = {{"default of parameter 'batch_size'", "model_kv_heads"}};
  point.unknown = {"batch_size"};
  point.parameters.set("batch_size", {matrix::Type::integer, "{batch_size}"});
  return planned;
}

TEST(Waiting, AParameterMakesOnlyTheStagesThatReadItUnknown) {
  Planned planned = waiting_parameter();
  const Plan plan = planned.plan();
  EXPECT_TRUE(stage_of(plan, 1, "build").unknown.empty());
  EXPECT_EQ(stage_of(plan, 1, "repository").unknown, Words{"model_kv_heads"});
  EXPECT_EQ(stage_of(plan, 1, "bench").unknown, Words{"model_kv_heads"});
  EXPECT_EQ(
      plan.points[1].why,
      "default of parameter 'batch_size' waits for model_kv_heads of big: known after download");
}

TEST(Waiting, TheSameParameterOfTwoModelsIsNotTheSameValue) {
  Planned planned = waiting_parameter();
  matrix::Point& other = planned.expansion.points[0];
  other.waiting = planned.expansion.points[1].waiting;
  other.unknown = {"batch_size"};
  other.parameters.set("batch_size", {matrix::Type::integer, "{batch_size}"});
  planned.kind("repository").needs.clear();
  planned.kind("repository").render[0].values["engine"] = "none";
  EXPECT_EQ(counts(planned.plan())["repository"], "2 undecided");
}

TEST(Waiting, AQuestionWithoutAnswerMakesItsStageUnknown) {
  Planned planned = waiting_rule();
  const std::size_t when =
      planned.ask("'when' of stage 'repository'", "model_kv_heads > 4", {1, matrix::k_no_answer});
  planned.kind("repository").when = when;
  planned.expansion.points[1].waiting = {{"'when' of stage 'repository'", "model_kv_heads"}};
  const Plan plan = planned.plan();
  EXPECT_EQ(stage_of(plan, 1, "repository").unknown, Words{"model_kv_heads"});
  EXPECT_TRUE(stage_of(plan, 0, "repository").unknown.empty());
}

void again(Planned& planned, Plan& plan) {
  planned.facts.asked.clear();
  plan_again(plan,
             {.matrix = planned.matrix,
              .expansion = planned.expansion,
              .manifest = planned.manifest,
              .facts = planned.facts,
              .done = planned.done,
              .options = planned.options},
             planned.errors);
  for (const Error& error : planned.errors) ADD_FAILURE() << error.text();
}

TEST(Waiting, AWarningThatAFactBringsOutIsAPointsOwnThoughItNeverWaited) {
  Planned planned = waiting_rule();
  Plan plan = planned.plan();
  ASSERT_TRUE(plan.points[0].point.warnings.empty());
  planned.expansion.points[0].warnings = {{.rule = "full", .why = "8 of 4"}};
  again(planned, plan);
  ASSERT_EQ(plan.points[0].point.warnings.size(), 1u);
  EXPECT_EQ(plan.points[0].point.warnings[0].why, "8 of 4");
  EXPECT_NE(to_json(plan).find(R"("full: 8 of 4")"), std::string::npos);
}

// Two models whose warm-up waits, and with it the measurements alone.
Planned waiting_warmup() {
  Planned planned = waiting_rule();
  for (matrix::Point& point : planned.expansion.points)
    point.waiting = {{"rule 'x'", "model_layers"}, {"measure.warmup", "model_kv_heads"}};
  return planned;
}

TEST(Waiting, AWarmUpMakesTheStagesThatSayItUnknown) {
  Planned planned = waiting_warmup();
  const Plan plan = planned.plan();
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

TEST(Waiting, TheWarmUpOfTwoModelsIsNotTheSame) {
  Planned planned = waiting_warmup();
  // Something that both share but for what it waits for, and that something needs.
  planned.kind("repository").needs.clear();
  planned.kind("repository").render[0].values = {{"max", "{measure.warmup}"}, {"engine", "none"}};
  EXPECT_EQ(counts(planned.plan())["repository"], "2 undecided");
  for (matrix::Point& point : planned.expansion.points)
    point.waiting = {{"rule 'x'", "model_layers"}};
  EXPECT_EQ(counts(planned.plan())["repository"], "1 undecided");
}

TEST(PlanAgain, TakesTheWarmUpThatHasArrived) {
  Planned planned = waiting_warmup();
  Plan plan = planned.plan();
  for (matrix::Point& point : planned.expansion.points) point.waiting = {}, point.warmup = 16;
  again(planned, plan);
  EXPECT_EQ(stage_of(plan, 1, "bench").spec.argv.back(), "--warmup=16");
  EXPECT_EQ(to_json(plan), to_json(planned.plan()));
}

// Whether STAGE of the second point is provided waits for a fact of its model.
Planned waiting_provision(const std::string& stage) {
  Planned planned = waiting_rule();
  planned.matrix.provide.emplace_back();
  planned.matrix.provide[0].stage = stage;
  planned.matrix.provide[0].path = "/provided";
  planned.expansion.points[1].waiting = {
      {fmt::format("'when' of provide '{}'", stage), "model_kv_heads"}};
  return planned;
}

TEST(Waiting, WhetherAStageIsProvidedMakesItAndWhatNeedsItUnknown) {
  Planned planned = waiting_provision("build");
  Plan plan = planned.plan();
  const Stage& build = stage_of(plan, 1, "build");
  EXPECT_EQ(build.unknown, Words{"model_kv_heads"});
  EXPECT_EQ(build.digest, Digest{});
  const auto list = build.components.list();
  EXPECT_NE(std::find(list.begin(), list.end(), Component{"provided", "{provided of big}"}),
            list.end());
  EXPECT_EQ(stage_of(plan, 1, "bench").unknown, Words{"model_kv_heads"});
  EXPECT_TRUE(stage_of(plan, 0, "build").unknown.empty());
  EXPECT_EQ(stage_of(plan, 1, "download").status, Status::run);
  planned.expansion.points[1].waiting = {};
  planned.expansion.points[1].provided = {0};
  again(planned, plan);
  EXPECT_EQ(stage_of(plan, 1, "build").provided, "/provided");
  EXPECT_EQ(plan.points[1].status, Status::run);
}

TEST(Waiting, AStageThatMayBeProvidedIsNoOtherPointsStage) {
  Planned planned = waiting_provision("build");
  matrix::Point& point = planned.expansion.points[1];
  point.waiting = {{"'when' of provide 'build'", "model_kv_heads"},
                   {"let 'precision'", "model_layers"}};
  point.unknown = {"precision"};
  point.parameters.set("precision", {matrix::Type::text, "{precision}"});
  planned.expansion.points[0] = point;
  planned.expansion.points[0].parameters.set("isl", {matrix::Type::integer, "64"});
  EXPECT_EQ(counts(planned.plan())["build"], "1 undecided");
  planned.expansion.points[0].waiting = {{"let 'precision'", "model_layers"}};
  EXPECT_EQ(counts(planned.plan())["build"], "2 undecided");
}

TEST(Waiting, WhatTellsTheFactIsMadeThoughTheFactMayProvideIt) {
  for (const char* stage : {"download", "environment"}) {
    Planned planned = waiting_provision(stage);
    const Plan plan = planned.plan();
    EXPECT_EQ(stage_of(plan, 1, "environment").status, Status::run) << stage;
    EXPECT_EQ(stage_of(plan, 1, "download").status, Status::run) << stage;
  }
}

TEST(Unknown, JsonHasNoValueForAParameterThatWaits) {
  Planned planned = waiting_parameter();
  const auto json = nlohmann::json::parse(to_json(planned.plan()));
  EXPECT_EQ(json["points"][1]["params"]["batch_size"], nullptr);
  EXPECT_EQ(json["points"][0]["params"]["batch_size"], "4");
}

// What of a plan must not move.
Words picture(const Plan& plan, std::size_t point) {
  Words words = {plan.points[point].point.name, std::string(to_string(plan.points[point].status)),
                 plan.points[point].why};
  const auto stages = by_id(plan);
  for (const StageId& id : plan.points[point].stages)
    words.push_back(fmt::format("{} {} {} {}", id, stages.at(id)->digest.hex(),
                                to_string(stages.at(id)->status), stages.at(id)->why));
  return words;
}

TEST(PlanAgain, TouchesOnlyThePointsThatWaited) {
  Planned planned = two_models();
  Plan plan = planned.plan();
  const Words before = picture(plan, 0);
  planned.facts.missing.clear();
  planned.facts.sources["hf:Qwen/X"] = "hf:Qwen/X#abc";
  again(planned, plan);
  EXPECT_EQ(picture(plan, 0), before);
  EXPECT_EQ(std::count(planned.facts.asked.begin(), planned.facts.asked.end(), "generate:nano"), 0);
  EXPECT_EQ(std::count(planned.facts.asked.begin(), planned.facts.asked.end(), "hf:Qwen/X"), 1);
  EXPECT_EQ(plan.points[1].status, Status::run);
  EXPECT_EQ(plan.stages.size(), 11u);
  EXPECT_EQ(to_json(plan), to_json(planned.plan()));
}

TEST(PlanAgain, AsksNothingWhenNoPointWaited) {
  Planned planned = four();
  Plan plan = planned.plan();
  const std::string before = to_json(plan);
  again(planned, plan);
  EXPECT_EQ(planned.facts.asked, Words{});
  EXPECT_EQ(to_json(plan), before);
}

TEST(PlanAgain, CountsWhatWasMadeMeanwhile) {
  Planned planned = waiting_rule();
  Plan plan = planned.plan();
  planned.done.made[stage_of(plan, 1, "environment").digest] =
      planned.done.made[stage_of(plan, 1, "download").digest] = fakes::made_by(5);
  planned.expansion.points[1].waiting = {};
  again(planned, plan);
  EXPECT_EQ(plan.points[1].status, Status::run);
  EXPECT_EQ(stage_of(plan, 1, "download").status, Status::reuse);
  EXPECT_EQ(stage_of(plan, 1, "build").status, Status::run);
}

TEST(PlanAgain, GivesPointsTheirValuesAndTheirNamesAndDropsWhatStoodForThem) {
  Planned planned = waiting_parameter();
  Plan plan = planned.plan();
  const StageId symbolic = stage_of(plan, 1, "repository").id;
  matrix::Point& point = planned.expansion.points[1];
  point.waiting = {};
  point.unknown = {};
  point.parameters.set("batch_size", {matrix::Type::integer, "8"});
  point.name = "renamed";
  again(planned, plan);
  EXPECT_EQ(plan.points[1].point.name, "renamed");
  EXPECT_EQ(plan.points[1].status, Status::run);
  EXPECT_EQ(stage_of(plan, 1, "repository").rendered.at("m/config.pbtxt").substr(0, 6), "max: 8");
  EXPECT_FALSE(by_id(plan).contains(symbolic));
  EXPECT_EQ(to_json(plan), to_json(planned.plan()));
}

TEST(PlanAgain, LosesPointsThatAFactExcludes) {
  Planned planned = four();
  for (const std::size_t waiting : {1u, 2u})
    planned.expansion.points[waiting].waiting = {{"exclude", "model_layers"}};
  Plan plan = planned.plan();
  planned.expansion.points.erase(planned.expansion.points.begin() + 1);
  planned.expansion.points[1].waiting = {};
  planned.expansion.excluded = 1;
  again(planned, plan);
  EXPECT_EQ(plan.points.size(), 3u);
  EXPECT_EQ(plan.excluded, 1u);
  EXPECT_EQ(to_json(plan), to_json(planned.plan()));
}

TEST(PlanAgain, RejectsAPointWhoseRuleDoesNotHold) {
  Planned planned = waiting_rule();
  Plan plan = planned.plan();
  planned.expansion.points[1].waiting = {};
  planned.expansion.points[1].rejected = {"kv-heads", "tp 3 does not divide 4"};
  again(planned, plan);
  EXPECT_EQ(plan.points[1].why, "kv-heads: tp 3 does not divide 4");
  EXPECT_EQ(stage_of(plan, 1, "download").status, Status::reject);
}

}  // namespace
}  // namespace orch::plan
