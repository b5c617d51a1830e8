#include "fakes/plans.hpp"

#include <nlohmann/json.hpp>

namespace orch::plan {
namespace {

using fakes::FakeFacts;
using fakes::plan_of;

constexpr const char* k_runner = R"(
runner: toy
parameters:
  precision: {type: text}
  batch_size: {type: integer}
  isl: {type: integer}
stages:
  environment:
    kind: task
    executables: [/usr/bin/python3]
    argv: [/usr/bin/python3, "{file:make.py}", "{out}"]
    outputs: [bin]
  download:
    kind: task
    needs: [environment]
    argv: ["{stage:environment}/bin", "--source={model.source}"]
    outputs: [model]
  build:
    kind: task
    needs: [environment, download]
    reads: [precision]
    argv: ["{stage:environment}/bin", "--model={stage:download}", "--precision={precision}", "--out={out}"]
    outputs: [engine]
  repository:
    kind: task
    needs: [build]
    reads: [batch_size]
    render: [{from: templates/c.pbtxt, to: m/config.pbtxt, values: {max: "{batch_size}", engine: "{stage:build}/engine"}}]
    outputs: [m]
  serve:
    kind: service
    needs: [repository]
    ports: [http]
    argv: [/bin/server, "{stage:repository}", "{port:http}"]
    ready: {port: http, get: [/ready]}
  bench:
    kind: measure
    needs: [serve]
    reads: [isl]
    argv: ["{orchestrate}", bench, "{port:serve.http}", "{isl}", "--warmup={measure.warmup}"]
    outputs: [measurement.json]
)";

FakeFacts good_facts() {
  FakeFacts facts;
  facts.runner_files["make.py"] = "print()";
  facts.templates["templates/c.pbtxt"] = "max: ${max} dir: \"${engine}\"";
  return facts;
}

std::vector<fakes::Parameters> four_points() {
  std::vector<fakes::Parameters> points;
  for (const char* precision : {"f16", "q8"})
    for (const char* isl : {"32", "128"}) points.push_back({{"source", "generate:nano"}, {"precision", precision}, {"batch_size", "4"}, {"isl", isl}});
  return points;
}

std::map<std::string, std::string> counts(const Plan& plan) {
  std::map<std::string, std::map<std::string, int>> by_name;
  for (const Stage& stage : plan.stages) ++by_name[stage.spec.name][std::string(to_string(stage.status))];
  std::map<std::string, std::string> text;
  for (const auto& [name, statuses] : by_name)
    for (const auto& [status, count] : statuses) text[name] += fmt::format("{}{} {}", text[name].empty() ? "" : ", ", count, status);
  return text;
}

const Stage& stage_named(const Plan& plan, const std::string& name, std::size_t nth = 0) {
  for (const Stage& stage : plan.stages)
    if (stage.spec.name == name && nth-- == 0) return stage;
  throw std::runtime_error("no stage " + name);
}

TEST(Plan, PointsShareTheStagesThatTheirParametersDoNotTouch) {
  FakeFacts facts = good_facts();
  const Plan plan = plan_of(k_runner, {.points = four_points()}, facts);
  EXPECT_EQ(counts(plan), (std::map<std::string, std::string>{{"environment", "1 run"}, {"download", "1 run"}, {"build", "2 run"}, {"repository", "2 run"}, {"serve", "2 run"}, {"bench", "4 run"}}));
}

TEST(Plan, EveryStageFollowsWhatItNeeds) {
  FakeFacts facts = good_facts();
  const Plan plan = plan_of(k_runner, {.points = four_points()}, facts);
  std::set<StageId> seen;
  for (const Stage& stage : plan.stages) {
    for (const auto& [name, id] : stage.needs) EXPECT_TRUE(seen.contains(id)) << stage.id << " before " << id;
    seen.insert(stage.id);
  }
}

TEST(Plan, CommandsAreSymbolicUntilTheyRun) {
  FakeFacts facts = good_facts();
  const Plan plan = plan_of(k_runner, {.points = four_points()}, facts);
  const Stage& build = stage_named(plan, "build");
  EXPECT_EQ(build.spec.argv, (std::vector<std::string>{"{stage:" + stage_named(plan, "environment").id + "}/bin", "--model={stage:" + stage_named(plan, "download").id + "}", "--precision=f16", "--out={out}"}));
  EXPECT_EQ(stage_named(plan, "download").spec.argv[1], "--source=generate:nano");
  EXPECT_EQ(stage_named(plan, "repository").rendered.at("m/config.pbtxt"), "max: 4 dir: \"{stage:" + build.id + "}/engine\"");
}

TEST(Plan, WhatTheStoreHoldsIsReusedAndWhatNobodyNeedsIsIdle) {
  FakeFacts facts = good_facts();
  const Plan first = plan_of(k_runner, {.points = four_points()}, facts);
  Done done;
  for (const Stage& stage : first.stages)
    if (stage.spec.kind != runner::Kind::service && stage.spec.name != "environment") done.made[stage.digest] = fakes::made_by(1);
  const Plan again = plan_of(k_runner, {.points = four_points(), .done = done}, facts);
  EXPECT_EQ(counts(again), (std::map<std::string, std::string>{{"environment", "1 idle"}, {"download", "1 reuse"}, {"build", "2 reuse"}, {"repository", "2 reuse"}, {"serve", "2 idle"}, {"bench", "4 reuse"}}));
  EXPECT_EQ(again.points[0].status, Status::reuse);
  EXPECT_EQ(again.points[0].why, "made by run 1, nothing that decides it has changed");
}

TEST(Plan, OneMissingMeasurementNeedsItsServerAndItsFilesOnly) {
  FakeFacts facts = good_facts();
  const Plan first = plan_of(k_runner, {.points = four_points()}, facts);
  Done done;
  for (const Stage& stage : first.stages)
    if (stage.spec.kind != runner::Kind::service) done.made[stage.digest] = fakes::made_by(1);
  done.made.erase(stage_named(first, "bench", 3).digest);
  const Plan again = plan_of(k_runner, {.points = four_points(), .done = done}, facts);
  EXPECT_EQ(counts(again), (std::map<std::string, std::string>{{"environment", "1 reuse"}, {"download", "1 reuse"}, {"build", "2 reuse"}, {"repository", "2 reuse"}, {"serve", "1 idle, 1 run"}, {"bench", "3 reuse, 1 run"}}));
}

// Which stages get another digest when one thing changes.
std::set<std::string> changed_by(const std::function<void(FakeFacts&, fakes::Parameters&)>& change) {
  FakeFacts before = good_facts(), after = good_facts();
  fakes::Parameters point = four_points()[0], other = point;
  change(after, other);
  const Plan a = plan_of(k_runner, {.points = {point}}, before), b = plan_of(k_runner, {.points = {other}}, after);
  std::set<std::string> changed;
  for (std::size_t i = 0; i < a.stages.size(); ++i)
    if (a.stages[i].digest != b.stages[i].digest) changed.insert(a.stages[i].spec.name);
  return changed;
}

using Names = std::set<std::string>;

TEST(Digest, FollowsWhatAStageReadsAndNothingElse) {
  EXPECT_EQ(changed_by([](FakeFacts&, fakes::Parameters& p) { p["isl"] = "64"; }), Names{"bench"});
  EXPECT_EQ(changed_by([](FakeFacts&, fakes::Parameters& p) { p["batch_size"] = "8"; }), (Names{"repository", "serve", "bench"}));
  EXPECT_EQ(changed_by([](FakeFacts&, fakes::Parameters& p) { p["precision"] = "q4"; }), (Names{"build", "repository", "serve", "bench"}));
  EXPECT_EQ(changed_by([](FakeFacts&, fakes::Parameters& p) { p["unread"] = "1"; }), Names{});
}

TEST(Digest, FollowsFilesTemplatesProgramsModelsAndTheMachine) {
  const Names all = {"environment", "download", "build", "repository", "serve", "bench"};
  EXPECT_EQ(changed_by([](FakeFacts& f, fakes::Parameters&) { f.runner_files["make.py"] = "print(1)"; }), all);
  EXPECT_EQ(changed_by([](FakeFacts& f, fakes::Parameters&) { f.executables["/usr/bin/python3"] = "other"; }), all);
  EXPECT_EQ(changed_by([](FakeFacts& f, fakes::Parameters&) { f.templates["templates/c.pbtxt"] += "\n"; }), (Names{"repository", "serve", "bench"}));
  EXPECT_EQ(changed_by([](FakeFacts& f, fakes::Parameters&) { f.sources["generate:nano"] = "other"; }), (Names{"download", "build", "repository", "serve", "bench"}));
  EXPECT_EQ(changed_by([](FakeFacts& f, fakes::Parameters&) { f.machine = "Other CPU x 2"; }), Names{"bench"});
}

TEST(Digest, AModelIsItsContentAndNotItsPath) {
  EXPECT_EQ(changed_by([](FakeFacts& f, fakes::Parameters& p) {
              p["source"] = "local:/elsewhere";
              f.sources["local:/elsewhere"] = "generate:nano";
            }),
            Names{});
}

TEST(Plan, RepeatsAreMeasurementsOfTheirOwnOnOneServer) {
  FakeFacts facts = good_facts();
  const Plan plan = plan_of(k_runner, {.points = {four_points()[0]}, .repeats = 3}, facts);
  EXPECT_EQ(counts(plan)["bench"], "3 run");
  EXPECT_EQ(counts(plan)["serve"], "1 run");
  EXPECT_EQ(plan.points[0].stages.size(), 8u);
}

TEST(Plan, ARejectedPointKeepsItsStagesAndRunsNone) {
  matrix::Matrix matrix;
  matrix::Expansion expansion;
  expansion.points = {fakes::point_of(four_points()[0]), fakes::point_of(four_points()[2])};
  expansion.points[1].rejected = {"one-rank", "tp is 2"};
  FakeFacts facts = good_facts();
  Errors errors;
  const Plan plan = make_plan(matrix, expansion, fakes::manifest_of(k_runner), facts, {}, {}, errors);
  EXPECT_EQ(counts(plan)["build"], "1 reject, 1 run");
  EXPECT_EQ(plan.points[1].status, Status::reject);
  EXPECT_EQ(plan.points[1].why, "one-rank: tp is 2");
  EXPECT_EQ(plan.points[1].stages.size(), 6u);
}

TEST(Plan, EveryMissingFileIsSaidOnce) {
  FakeFacts facts;
  matrix::Expansion expansion;
  for (const auto& parameters : four_points()) expansion.points.push_back(fakes::point_of(parameters));
  Errors errors;
  (void)make_plan({}, expansion, fakes::manifest_of(k_runner), facts, {}, {}, errors);
  ASSERT_EQ(errors.size(), 2u);
  EXPECT_EQ(errors[0].text(), "cannot open make.py: No such file or directory");
  EXPECT_EQ(errors[1].text(), "cannot open templates/c.pbtxt: No such file or directory");
}

TEST(PlanJson, HasTheFieldsThatProgramsRead) {
  FakeFacts facts = good_facts();
  const auto json = nlohmann::json::parse(to_json(plan_of(k_runner, {.points = {four_points()[0]}}, facts)));
  EXPECT_EQ(json["points"][0]["params"]["precision"], "f16");
  EXPECT_EQ(json["points"][0]["status"], "run");
  EXPECT_EQ(json["points"][0]["stages"].size(), 6u);
  const auto& bench = json["stages"][5];
  EXPECT_EQ(bench["stage"], "bench");
  EXPECT_EQ(bench["kind"], "measure");
  EXPECT_EQ(bench["digest"].get<std::string>().size(), 64u);
  EXPECT_EQ(bench["needs"][0], json["stages"][4]["id"]);
  for (const char* field : {"id", "unknown", "argv", "launch", "env", "status", "why"}) EXPECT_TRUE(bench.contains(field)) << field;
}

// Frozen: a change here makes every store stale, so it needs a new schema number and a line in CHANGELOG.
TEST(Digest, IsFrozenForSchemaOne) {
  Components components;
  components.add("schema", "1");
  components.add("argv[0]", "/bin/true");
  EXPECT_EQ(components.digest().hex(), "ef41e15797ee230676d9a0101aee4a59ce7f94ad3d7aaaddc50b9adbed9d92a7");
}

}  // namespace
}  // namespace orch::plan
