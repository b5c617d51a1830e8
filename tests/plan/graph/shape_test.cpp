// Stages that a point may lack or have several times: fragments, `when`, repeats, `provide`,
// datasets.
#include "plan/graph/toy.hpp"

namespace orch::plan {
namespace shape_test {

using namespace toy;

using Words = std::vector<std::string>;

TEST(Fragments, ArePresentWhereTheirWhenIsTrue) {
  PlanBuilder builder = toy_builder();
  const std::size_t when = builder.add_question("'when' of a fragment of stage 'build'",
                                                "precision = 'q8'", {0, 0, 1, 1});
  builder.kind("build").fragments = {{.words = {"/bin/build"}, .when = {}},
                                     {.words = {"--quantized", "{precision}"}, .when = when},
                                     {.words = {"--out={out}"}, .when = {}}};
  const Plan plan = builder.plan();
  EXPECT_EQ(stage_named(plan, "build", 0).spec.argv, (Words{"/bin/build", "--out={out}"}));
  EXPECT_EQ(stage_named(plan, "build", 1).spec.argv,
            (Words{"/bin/build", "--quantized", "q8", "--out={out}"}));
}

TEST(Fragments, DecideWhichPointsShareAStage) {
  PlanBuilder builder = toy_builder();
  const std::size_t when =
      builder.add_question("'when' of a fragment of stage 'download'", "isl > 64", {0, 1, 0, 1});
  builder.kind("download").fragments = {{.words = {"/bin/download"}, .when = {}},
                                        {.words = {"--long"}, .when = when}};
  EXPECT_EQ(counts(builder.plan())["download"], "2 run");
}

TEST(When, LeavesOutPlacesFromAnAbsentStage) {
  PlanBuilder builder = toy_builder();
  builder.kind("build").when =
      builder.add_question("'when' of stage 'build'", "precision = 'q8'", {0, 0, 1, 1});
  builder.kind("repository").needs = {};
  builder.kind("repository").render.clear();
  builder.kind("serve").needs = {"repository", "build"};
  builder.kind("serve").place = {
      {.from = "{stage:repository}/m", .to = "models", .stages = {"build"}},
      {.from = "{stage:build}/m", .to = "more", .stages = {}}};
  const Plan plan = builder.plan();
  EXPECT_EQ(stage_named(plan, "serve", 0).spec.place.size(), 1u);
  EXPECT_EQ(stage_named(plan, "serve", 0).spec.place[0].to, "models");
  EXPECT_EQ(stage_named(plan, "serve", 1).spec.place.size(), 2u);
}

TEST(When, LeavesOutAStageAndThoseThatOnlyItNeeds) {
  PlanBuilder builder = toy_builder();
  builder.kind("download").when =
      builder.add_question("'when' of stage 'download'", "precision = 'q8'", {0, 0, 1, 1});
  builder.kind("build").argv = {"/bin/build", "{precision}"};
  builder.kind("build").fragments.clear();
  builder.kind("build").needs = {"download"};  // only download needs the environment
  const Plan plan = builder.plan();
  EXPECT_EQ(counts(plan), (std::map<std::string, std::string>{{"environment", "1 run"},
                                                              {"download", "1 run"},
                                                              {"build", "2 run"},
                                                              {"repository", "2 run"},
                                                              {"serve", "2 run"},
                                                              {"bench", "4 run"}}));
  EXPECT_EQ(plan.points[0].stages.size(), 4u);
  EXPECT_EQ(plan.points[2].stages.size(), 6u);
  EXPECT_TRUE(stage_named(plan, "build", 0).needs.empty());
  EXPECT_EQ(stage_named(plan, "build", 1).needs.at("download"), stage_named(plan, "download").id);
}

TEST(When, AReferenceToAnAbsentStageIsAnError) {
  PlanBuilder builder = toy_builder();
  builder.kind("download").when =
      builder.add_question("'when' of stage 'download'", "precision = 'q8'", {0, 0, 1, 1});
  const Location where = builder.kind("build").where;
  EXPECT_EQ(
      builder.plan_errors(),
      (Words{fmt::format("{}: stage 'build' uses {{stage:download}}, but point {} has no stage "
                         "'download'; put the words into a fragment with the same `when` as stage "
                         "'download', or give stage 'build' that `when`",
                         to_string(where), builder.expansion.points[0].name)}));
}

// Two servers, one of which `when` selects: serve, or serve_other for points of precision q8.
PlanBuilder with_two_servers(std::vector<double> first, std::vector<double> second) {
  PlanBuilder builder = toy_builder();
  runner::StageKind other = builder.kind("serve");
  other.name = "serve_other";
  builder.kind("serve").when =
      builder.add_question("'when' of stage 'serve'", "precision <> 'q8'", std::move(first));
  other.when =
      builder.add_question("'when' of stage 'serve_other'", "precision = 'q8'", std::move(second));
  runner::StageKind& bench = builder.kind("bench");
  bench.needs.push_back("serve_other");
  bench.argv = {"/bin/bench"};
  bench.fragments.clear();
  builder.manifest.stages.insert(builder.manifest.stages.end() - 1, other);
  return builder;
}

TEST(When, SelectsOneOfSeveralServers) {
  const Plan plan = with_two_servers({1, 1, 0, 0}, {0, 0, 1, 1}).plan();
  EXPECT_EQ(counts(plan)["serve"], "1 run");
  EXPECT_EQ(counts(plan)["serve_other"], "1 run");
  EXPECT_EQ(counts(plan)["bench"], "4 run");
  EXPECT_TRUE(stage_named(plan, "bench", 0).needs.contains("serve"));
  EXPECT_FALSE(stage_named(plan, "bench", 0).needs.contains("serve_other"));
  EXPECT_TRUE(stage_named(plan, "bench", 3).needs.contains("serve_other"));
  EXPECT_FALSE(stage_named(plan, "bench", 3).needs.contains("serve"));
}

TEST(When, ThatSelectsTwoServersOrNoneIsAnError) {
  PlanBuilder two = with_two_servers({1, 1, 1, 1}, {0, 0, 1, 1});
  EXPECT_EQ(two.plan_errors(),
            (Words{fmt::format("{}: stage 'bench' measures exactly one service, but point {} has "
                               "'serve' and 'serve_other'; change their 'when' "
                               "so that one of them remains, or give stage 'bench' a 'when'",
                               to_string(two.kind("bench").where), two.expansion.points[2].name)}));
  PlanBuilder none = with_two_servers({0, 1, 1, 1}, {0, 0, 0, 0});
  EXPECT_EQ(
      none.plan_errors(),
      (Words{fmt::format("{}: stage 'bench' measures exactly one service, but point {} lacks "
                         "'serve' and 'serve_other'; change their "
                         "'when' so that one of them remains, or give stage 'bench' a 'when'",
                         to_string(none.kind("bench").where), none.expansion.points[0].name)}));
}

TEST(When, ThatWaitsForAFactLeavesTheServersUndecided) {
  const Plan plan =
      with_two_servers({matrix::k_no_answer, 1, 0, 0}, {matrix::k_no_answer, 0, 1, 1}).plan();
  EXPECT_EQ(plan.points.size(), 4u);
}

TEST(Repeats, MultiplyAtTheirLevelAndBelow) {
  PlanBuilder builder(k_runner, {four_points()[0]});
  builder.facts = good_facts();
  builder.kind("build").repeat_build = true;
  builder.matrix.measure.build_repeats = 2;
  builder.matrix.measure.serve_repeats = 3;
  builder.matrix.measure.repeats = 4;
  const Plan plan = builder.plan();
  EXPECT_EQ(counts(plan), (std::map<std::string, std::string>{{"environment", "1 run"},
                                                              {"download", "1 run"},
                                                              {"build", "2 run"},
                                                              {"repository", "2 run"},
                                                              {"serve", "6 run"},
                                                              {"bench", "24 run"}}));
  EXPECT_EQ(plan.points[0].stages.size(), 36u);
  std::map<StageId, std::vector<std::int64_t>> of_server;
  for (const Stage& stage : plan.stages)
    if (stage.spec.kind == runner::Kind::measure)
      of_server[stage.needs.at("serve")].push_back(stage.repeat);
  for (const auto& [server, repeats] : of_server)
    EXPECT_EQ(repeats, (std::vector<std::int64_t>{0, 1, 2, 3})) << server;
}

TEST(Repeats, OfAStageThatDoesNotUseTheNumberAreOneStage) {
  PlanBuilder builder(k_runner, {four_points()[0]});
  builder.facts = good_facts();
  builder.kind("repository").argv = {"/bin/make", "{repeat}"};
  builder.kind("repository").fragments = {
      {.words = {"/bin/make"}, .when = {}},
      {.words = {"{repeat}"}, .when = builder.add_question("when", "precision = 'q8'", {0})}};
  builder.matrix.measure.repeats = 3;
  const Plan plan = builder.plan();
  EXPECT_EQ(counts(plan)["repository"], "1 run");
  EXPECT_EQ(counts(plan)["bench"], "3 run");
  EXPECT_EQ(plan.points[0].stages.size(), plan.stages.size());
}

TEST(Repeats, HaveALimitPerPoint) {
  PlanBuilder builder = toy_builder();
  builder.matrix.measure.serve_repeats = builder.matrix.measure.repeats = 1000;
  EXPECT_EQ(
      builder.plan_errors(),
      Words{
          "matrix.yaml: measure.repeats gives 1 x 1000 x 1000 = "
          "1000000 measurements of every point, but at most 10000 are planned; lower one of them"});
}

TEST(Repeats, HaveALimitInTotal) {
  PlanBuilder builder = toy_builder();
  builder.matrix.measure.serve_repeats = 10;
  builder.matrix.measure.repeats = 1000;
  builder.matrix.measure.repeats_where = {"matrix.yaml", 7, 12};
  builder.expansion.points.resize(21, builder.expansion.points.front());
  EXPECT_EQ(builder.plan_errors(),
            Words{"matrix.yaml:7:12: measure.repeats gives 1 x 10 x 1000 measurements of each of "
                  "21 points, 210000 in all, but at most 200000 are planned; lower one of them"});
}

TEST(Repeats, OfABuildNeedAStageWithRepeatBuild) {
  PlanBuilder builder = toy_builder();
  builder.matrix.measure.build_repeats = 2;
  EXPECT_EQ(builder.plan_errors(), Words{"matrix.yaml: 'repeats.build' is 2, but no stage of "
                                         "runner 'toy' has repeat: build; write build: 1"});
}

// The build of the first two points is provided.
PlanBuilder with_provided_build() {
  PlanBuilder builder = toy_builder();
  matrix::Provision& build = builder.matrix.provide.emplace_back();
  build.stage = "build";
  build.path = "/engines/f16";
  build.where = {"matrix.yaml", 9, 3};
  builder.expansion.points[0].provided = builder.expansion.points[1].provided = {0};
  return builder;
}

TEST(Provide, ReplacesAStageAndThoseThatOnlyItNeeds) {
  PlanBuilder builder = with_provided_build();
  const Plan plan = builder.plan();
  const Stage& build = stage_named(plan, "build");
  EXPECT_EQ(build.provided, "/engines/f16");
  EXPECT_EQ(build.status, Status::reuse);
  EXPECT_EQ(build.why, "provided by /engines/f16");
  EXPECT_TRUE(build.needs.empty());
  EXPECT_EQ(build.components.list(),
            (std::vector<Component>{{"schema", "1"},
                                    {"kind", "provided"},
                                    {"stage", "build"},
                                    {"identity", sha256("/engines/f16").hex()}}));
  EXPECT_EQ(plan.points[0].stages.size(), 4u);
  EXPECT_EQ(stage_named(plan, "repository").needs.at("build"), build.id);
  EXPECT_EQ(stage_named(plan, "repository").status, Status::run);
}

TEST(Provide, IsRefusedForAServer) {
  PlanBuilder builder = with_provided_build();
  builder.matrix.provide[0].stage = "serve";
  EXPECT_EQ(builder.plan_errors(),
            Words{"matrix.yaml:9:3: provide: stage 'serve' is a service; only the output of a task "
                  "can be provided, so remove this entry"});
}

TEST(Provide, MustAgreeWithThePoint) {
  PlanBuilder builder = with_provided_build();
  builder.kind("build").agree =
      runner::Agree{.file = "config.json",
                    .values = {{"precision", "quantization.algorithm"}, {"batch_size", "most"}},
                    .at_least = {},
                    .may_lack = {},
                    .where = {}};
  std::string& config = builder.facts.templates["/engines/f16/config.json"];
  config = R"({"quantization": {"algorithm": "f16"}, "most": 4})";
  EXPECT_EQ(builder.plan_errors(), Words{});
  config = R"({"quantization": {"algorithm": "q8"}})";
  EXPECT_EQ(builder.plan_errors(),
            (Words{"matrix.yaml:9:3: provide: stage 'build': /engines/f16/config.json has no "
                   "'most', which states its batch_size; provide "
                   "another folder",
                   fmt::format("matrix.yaml:9:3: provide: stage 'build': 'quantization.algorithm' "
                               "in /engines/f16/config.json is q8, but "
                               "precision of point {} is f16; provide another folder, or "
                               "write `when:` so that it is used for other points only",
                               builder.expansion.points[0].name)}));
}

TEST(Provide, MayExceedThePointAndLackOptionalKeys) {
  PlanBuilder builder = with_provided_build();
  builder.kind("build").agree = runner::Agree{.file = "config.json",
                                              .values = {{"precision", "p"}},
                                              .at_least = {{"batch_size", "most"}},
                                              .may_lack = {"precision"},
                                              .where = {}};
  std::string& config = builder.facts.templates["/engines/f16/config.json"];
  for (const char* accepted : {R"({"most": 4})", R"({"most": 5.0})", R"({"p": "f16", "most": 64})",
                               R"({"p": null, "most": 64})"}) {
    config = accepted;
    EXPECT_EQ(builder.plan_errors(), Words{}) << accepted;
  }
  auto refused = [&](const std::string& most) {
    builder.errors.clear();
    config = R"({"most": )" + most + "}";
    return builder.plan_errors();
  };
  const std::string& point = builder.expansion.points[0].name;
  EXPECT_EQ(refused("3"),
            Words{fmt::format(
                "matrix.yaml:9:3: provide: stage 'build': 'most' in /engines/f16/config.json is 3, "
                "but point {} needs batch_size of at least 4; "
                "provide another folder, or write `when:` so that it is used for other points only",
                point)});
  EXPECT_EQ(refused("[9]").size(), 1u);
  builder.errors.clear();
  config = "{}";
  EXPECT_EQ(builder.plan_errors(),
            Words{"matrix.yaml:9:3: provide: stage 'build': /engines/f16/config.json has no "
                  "'most', which states its batch_size; provide another folder"});
}

TEST(Provide, MatchesPreAndPostReleasesOfTheVersion) {
  PlanBuilder builder = with_provided_build();
  builder.kind("build").agree = runner::Agree{.file = "config.json",
                                              .values = {{"precision", "version"}},
                                              .at_least = {},
                                              .may_lack = {},
                                              .where = {}};
  for (matrix::Point& point : builder.expansion.points)
    point.parameters.set("precision", {matrix::Type::version, "0.14.0"});
  std::string& config = builder.facts.templates["/engines/f16/config.json"];
  auto agrees = [&](const std::string& version) {
    builder.errors.clear();
    config = R"({"version": )" + version + "}";
    return builder.plan_errors().empty();
  };
  for (const char* same : {R"("0.14.0")", R"("0.14.0.dev2024100800")", R"("0.14.0rc1")",
                           R"("0.14.0.post1")", R"("0.14.0.2510")"})
    EXPECT_TRUE(agrees(same)) << same;
  for (const char* other :
       {R"("0.14.1")", R"("0.14.01")", R"("0.14")", R"("0.13.0")", R"("10.14.0")", "14", "null"})
    EXPECT_FALSE(agrees(other)) << other;
}

TEST(Provide, IsComparedWithAWaitingValueOnceItIsKnown) {
  PlanBuilder builder = with_provided_build();
  builder.kind("build").agree = runner::Agree{.file = "config.json",
                                              .values = {{"precision", "algorithm"}},
                                              .at_least = {},
                                              .may_lack = {},
                                              .where = {}};
  builder.facts.templates["/engines/f16/config.json"] = R"({"algorithm": "q8"})";
  for (const std::size_t p : {0u, 1u}) {
    matrix::Point& point = builder.expansion.points[p];
    point.parameters.set("precision", {matrix::Type::text, "{precision}"});
    point.unknown = {"precision"};
  }
  Plan plan = builder.plan();
  for (const std::size_t p : {0u, 1u}) {
    matrix::Point& point = builder.expansion.points[p];
    point.parameters.set("precision", {matrix::Type::text, "f16"});
    point.unknown = {};
  }
  plan_again(plan,
             {.matrix = builder.matrix,
              .chosen = builder.expansion,
              .manifest = builder.manifest,
              .facts = builder.facts,
              .done = builder.done,
              .options = builder.options},
             builder.errors);
  ASSERT_EQ(builder.errors.size(), 1u);
  EXPECT_EQ(builder.errors[0].text(),
            fmt::format("matrix.yaml:9:3: provide: stage 'build': 'algorithm' in "
                        "/engines/f16/config.json is q8, but precision of point {} is f16; provide "
                        "another folder, or write `when:` so that it is used for "
                        "other points only",
                        builder.expansion.points[0].name));
}

TEST(Provide, MustContainAReadableDescription) {
  PlanBuilder builder = with_provided_build();
  builder.kind("build").agree = runner::Agree{.file = "config.json",
                                              .values = {{"precision", "p"}},
                                              .at_least = {},
                                              .may_lack = {},
                                              .where = {}};
  EXPECT_EQ(
      builder.plan_errors(),
      Words{"matrix.yaml:9:3: provide: stage 'build': cannot open "
            "/engines/f16/config.json: No such file or "
            "directory; this file describes the provided output, so provide a folder that has it"});
  builder.errors.clear();
  builder.facts.templates["/engines/f16/config.json"] = "{";
  EXPECT_EQ(builder.plan_errors(),
            Words{"matrix.yaml:9:3: provide: stage 'build': /engines/f16/config.json is not JSON; "
                  "provide the folder as its tool wrote it"});
}

TEST(Dataset, ThatNoStageReadsIsAnError) {
  PlanBuilder builder = toy_builder();
  builder.matrix.measure.prompts = "orca";
  builder.matrix.measure.prompts_where = {"matrix.yaml", 12, 12};
  EXPECT_EQ(builder.plan_errors(), Words{"matrix.yaml:12:12: runner 'toy' makes its own prompts "
                                         "and reads no dataset; write prompts: synthetic"});
}

TEST(Dataset, EntersTheDigestByContentAndTheCommandByPath) {
  PlanBuilder builder = toy_builder();
  builder.matrix.measure.prompts = "orca";
  builder.kind("bench").argv.push_back("{dataset.source} {measure.prompts}");
  builder.kind("bench").fragments.clear();
  for (matrix::Point& point : builder.expansion.points) point.dataset_source = "local:orca.jsonl";
  builder.facts.sources["local:orca.jsonl"] = "sha256:1";
  const Plan first = builder.plan();
  EXPECT_EQ(stage_named(first, "bench").spec.argv.back(), "local:orca.jsonl orca");
  for (matrix::Point& point : builder.expansion.points) point.dataset_source = "local:moved.jsonl";
  builder.facts.sources["local:moved.jsonl"] = "sha256:1";
  EXPECT_EQ(stage_named(builder.plan(), "bench").digest, stage_named(first, "bench").digest);
}

TEST(Dataset, ThatCannotBeReadIsReportedAtItsPlace) {
  PlanBuilder builder = toy_builder();
  builder.matrix.measure.prompts = "orca";
  builder.matrix.datasets["orca"] = {.source = "local:orca.jsonl", .where = {"matrix.yaml", 7, 20}};
  builder.kind("bench").argv.push_back("{dataset.source}");
  builder.kind("bench").fragments.clear();
  for (matrix::Point& point : builder.expansion.points) point.dataset_source = "local:orca.jsonl";
  builder.facts.unreadable.insert("local:orca.jsonl");
  EXPECT_EQ(builder.plan_errors(), Words{"matrix.yaml:7:20: local:orca.jsonl cannot be read"});
}

// The toy's measurement reads what two stages make of the dataset.
PlanBuilder with_fetched_dataset(matrix::Dataset dataset) {
  PlanBuilder builder = toy_builder();
  builder.matrix.measure.prompts = "orca";
  builder.matrix.datasets["orca"] = std::move(dataset);
  for (matrix::Point& point : builder.expansion.points) point.dataset_source = "orca";
  runner::StageKind fetch, choose;
  fetch.name = "dataset", choose.name = "dataset_rows";
  fetch.argv = {"/bin/fetch", "{dataset.origin}", "{dataset.revision}", "{dataset.files}"};
  choose.argv = {"/bin/choose", "{stage:dataset}/rows", "{dataset.tokens}"};
  choose.needs = {"dataset"};
  fetch.outputs = choose.outputs = {"rows"};
  builder.manifest.stages.insert(builder.manifest.stages.begin(), {fetch, choose});
  runner::StageKind& bench = builder.kind("bench");
  bench.needs.insert(bench.needs.begin(), {"dataset", "dataset_rows"});
  bench.argv.push_back("{dataset.source}");
  bench.fragments.clear();
  return builder;
}

TEST(Dataset, OfAHubIsKnownByItsCommitAndReadFromTheStageThatFetchesIt) {
  PlanBuilder builder = with_fetched_dataset({.source = "hf:acme/qa", .revision = "main"});
  builder.facts.resolved["hf:datasets/acme/qa"] = "abc";
  const Plan plan = builder.plan();
  const Stage& fetch = stage_named(plan, "dataset");
  EXPECT_EQ(fetch.spec.argv, (Words{"/bin/fetch", "hf:datasets/acme/qa", "abc", "[]"}));
  EXPECT_EQ(stage_named(plan, "bench").spec.argv.back(), "local:{stage:" + fetch.id + "}/rows");
  EXPECT_EQ(std::count_if(plan.stages.begin(), plan.stages.end(),
                          [](const Stage& stage) { return stage.spec.name == "dataset_rows"; }),
            0);
  builder.facts.missing.insert("hf:datasets/acme/qa");
  builder.facts.resolved.clear();
  EXPECT_EQ(stage_named(builder.plan(), "dataset").unknown, Words{"hf:datasets/acme/qa@main"});
}

TEST(Dataset, OfWhichRowsAreKeptIsReadFromTheStageThatChoosesThem) {
  PlanBuilder builder =
      with_fetched_dataset({.source = "local:orca.jsonl", .tokens = R"({"least":4})"});
  builder.facts.sources["local:orca.jsonl"] = "sha256:1";
  const Plan plan = builder.plan();
  const Stage& rows = stage_named(plan, "dataset_rows");
  EXPECT_EQ(rows.spec.argv.back(), R"({"least":4})");
  EXPECT_EQ(stage_named(plan, "bench").spec.argv.back(), "local:{stage:" + rows.id + "}/rows");
  builder.facts.sources["local:orca.jsonl"] = "sha256:2";
  EXPECT_NE(stage_named(builder.plan(), "bench").digest, stage_named(plan, "bench").digest);
}

TEST(Dataset, ThatNoStageOfTheRunnerFetchesIsAnErrorThatSaysWhatToWrite) {
  PlanBuilder builder = toy_builder();
  builder.matrix.measure.prompts = "orca";
  builder.matrix.datasets["orca"] = {.source = "hf:acme/qa", .where = {"matrix.yaml", 7, 20}};
  builder.kind("bench").argv.push_back("{dataset.source}");
  builder.kind("bench").fragments.clear();
  for (matrix::Point& point : builder.expansion.points) point.dataset_source = "orca";
  EXPECT_EQ(builder.plan_errors(),
            Words{"matrix.yaml:7:20: dataset 'orca': stage 'bench' of runner 'toy' can read only "
                  "local files, because it needs no stage that fetches a dataset; write source: "
                  "local:PATH of an uncompressed file, without tokens"});
}

// The file of the repository uses every value whose text enters no digest.
PlanBuilder with_late_values(const std::string& model) {
  PlanBuilder builder = toy_builder();
  builder.matrix.measure.prompts = "orca";
  builder.matrix.measure.limits = {.wake_lag_ms = 5, .send_lag_ms = 7, .client_cpu_share = 0.5};
  builder.facts.templates["templates/c.pbtxt"] = "${max} ${engine} ${late}";
  builder.facts.sources = {{"local:orca.jsonl", "sha256:1"},
                           {"hf:Qwen/X", "sha256:2"},
                           {"local:/copy-of-x", "sha256:2"}};
  builder.facts.resolved[model] = "abc";
  builder.kind("repository").needs.clear();
  builder.kind("repository").render[0].values = {
      {"max", "{batch_size}"},
      {"engine", "none"},
      {"late",
       "{model.source} {model.revision} {dataset.source} {measure.prompts} {measure.wake_lag_ms} "
       "{measure.send_lag_ms} {measure.client_cpu_share}"}};
  for (matrix::Point& point : builder.expansion.points)
    point.model_source = model, point.dataset_source = "local:orca.jsonl";
  return builder;
}

TEST(Render, WritesSourcesAndLimitsButHashesTheirIdentities) {
  PlanBuilder builder = with_late_values("hf:Qwen/X");
  const Plan plan = builder.plan();
  const Stage& repository = stage_named(plan, "repository");
  EXPECT_EQ(repository.rendered.at("m/config.pbtxt"),
            "4 none hf:Qwen/X abc local:orca.jsonl orca 5 7 0.5");
  const auto list = repository.components.list();
  auto has = [&](const std::string& name, const std::string& value) {
    return std::find(list.begin(), list.end(), Component{name, value}) != list.end();
  };
  EXPECT_TRUE(
      has("render.m/config.pbtxt", sha256("4 none {model.source} {model.revision} {dataset.source} "
                                          "orca {measure.wake_lag_ms} {measure.send_lag_ms} "
                                          "{measure.client_cpu_share}")
                                       .hex()));
  EXPECT_TRUE(has("model.source", "sha256:2"));
  EXPECT_TRUE(has("dataset", "sha256:1"));
  PlanBuilder moved = with_late_values("local:/copy-of-x");
  const Plan other = moved.plan();
  EXPECT_EQ(stage_named(other, "repository").digest, repository.digest);
  EXPECT_EQ(stage_named(other, "repository").rendered.at("m/config.pbtxt"),
            "4 none local:/copy-of-x abc local:orca.jsonl orca 5 7 0.5");
}

TEST(Smoke, DoesNotEnterTheDigestOfItsServer) {
  PlanBuilder builder = toy_builder();
  const Plan before = builder.plan();
  auto& smoke = builder.kind("serve").smoke.emplace_back();
  smoke.body = "{file:ask.json} {model.source} {dataset.source}";
  const Plan after = builder.plan();  // without that file
  EXPECT_EQ(stage_named(after, "serve").digest, stage_named(before, "serve").digest);
  EXPECT_EQ(stage_named(after, "serve").spec.smoke->body, "{file:ask.json} generate:nano ");
}

TEST(GpuModel, IsUnknownWithoutAGpu) {
  PlanBuilder builder = toy_builder();
  builder.kind("build").per_gpu_model = true;
  const Plan plan = builder.plan();
  EXPECT_EQ(stage_named(plan, "build").unknown, Words{"host_gpu_model"});
  EXPECT_EQ(plan.points[0].why, "waits for host_gpu_model: state gpu_model under `machine:`");
}

}  // namespace shape_test
}  // namespace orch::plan
