// Which digests each kind of component changes, and that explain names exactly the component that
// changed.
#include "plan/graph/explanation/explain.hpp"
#include "plan/graph/toy.hpp"

#include <fstream>
#include <iterator>
#include <random>

namespace orch::plan {
namespace digest_test {

using fakes::PlanBuilder;
using Names = std::set<std::string>;

constexpr const char* k_runner = R"(
runner: toy
parameters:
  model: {type: text}
  precision: {type: text}
  batch_size: {type: integer}
  isl: {type: integer}
stages:
  environment:
    kind: task
    executables: [/usr/bin/python3]
    files: [library.py]
    argv: [/usr/bin/python3, "{file:make.py}", "{out}"]
    env: {MODE: strict, LEVEL: "1"}
    inherit: [PIP_*]
    outputs: [bin, lib]
    timeout_s: 60
  download:
    kind: task
    needs: [environment]
    argv: ["{stage:environment}/bin", "--source={model.source}"]
    outputs: [model]
  build:
    kind: task
    needs: [environment, download]
    reads: [precision]
    argv: ["{stage:environment}/bin", "--model={stage:download}", "--quiet", "--precision={precision}"]
    outputs: [engine]
  prompts:
    kind: task
    needs: [download]
    reads: [isl]
    batch: true
    argv: ["{stage:download}/make", "{jobs}"]
    job: {out: "{out}", isl: "{isl}", seed: "{measure.seed}"}
    outputs: [prompts.jsonl]
  repository:
    kind: task
    needs: [build]
    reads: [batch_size]
    render: [{from: templates/c.pbtxt, to: m/config.pbtxt, values: {max: "{batch_size}", engine: "{stage:build}/engine", mode: fast}}]
    copy: [{from: model.py, to: m/model.py}]
    outputs: [m]
  serve:
    kind: service
    needs: [repository]
    place: [{from: "{stage:repository}/m", to: models}]
    ports: [http]
    argv: [/bin/server, "{port:http}"]
    ready: {port: http, get: [/ready]}
  bench:
    kind: measure
    needs: [serve, prompts]
    argv: ["{orchestrate}", bench, "{port:serve.http}", "{stage:prompts}", "--warmup={measure.warmup}", "--lag={measure.wake_lag_ms}"]
    outputs: [measurement.json]
)";

// The same runner in another notation.
constexpr const char* k_same_runner = R"(
# A comment.
stages:
  environment:
    outputs: [bin, lib]
    timeout_s: 7200   # another limit
    inherit: [PIP_*, HTTPS_PROXY]
    env:
      LEVEL: "1"

      MODE: 'strict'
    argv:
      - /usr/bin/python3
      - '{file:make.py}'
      - "{out}"
    files: [library.py]
    executables: [/usr/bin/python3]
    kind: task
    in_place: false
    batch: false
  download: {kind: task, needs: [environment], reads: [], argv: ["{stage:environment}/bin", "--source={model.source}"], outputs: [model]}
  build:
    needs: [download, environment]
    argv: ["{stage:environment}/bin", "--model={stage:download}", --quiet, "--precision={precision}"]
    kind: task
    outputs: [engine]
    reads: [precision]
  prompts:
    job:
      seed: "{measure.seed}"
      isl: "{isl}"
      out: "{out}"
    kind: task
    batch: true
    reads: [isl]
    needs: [download]
    argv: ["{stage:download}/make", "{jobs}"]
    outputs: [prompts.jsonl]
  repository:
    copy: [{to: m/model.py, from: model.py}]
    render:
      - to: m/config.pbtxt
        values: {mode: fast, engine: "{stage:build}/engine", max: "{batch_size}"}
        from: templates/c.pbtxt
    kind: task
    needs: [build]
    reads: [batch_size]
    outputs: [m]
  serve:
    kind: service
    needs: [repository]
    argv: [/bin/server, "{port:http}"]
    ports: [http, metrics]
    stop_s: 5
    ready: {port: http, get: [/ready, /live], timeout_s: 5}
    place: [{to: models, from: "{stage:repository}/m"}]
  bench:
    timeout_s: 5
    kind: measure
    needs: [prompts, serve]
    argv: ["{orchestrate}", bench, "{port:serve.http}", "{stage:prompts}", "--warmup={measure.warmup}", "--lag={measure.wake_lag_ms}"]
    outputs: [measurement.json]
parameters:
  isl: {type: integer, help: "tokens"}
  model: {type: text}
  precision: {type: text}
  batch_size: {type: integer}
runner: toy
)";

PlanBuilder one_point(const char* yaml = k_runner) {
  PlanBuilder builder(
      yaml,
      {{{"source", "generate:nano"}, {"precision", "f16"}, {"batch_size", "4"}, {"isl", "32"}}});
  builder.facts.runner_files = {
      {"make.py", "print()"}, {"library.py", "pass"}, {"model.py", "class M: pass"}};
  builder.facts.templates["templates/c.pbtxt"] = "max: ${max} dir: \"${engine}\" mode: ${mode}";
  builder.facts.gpu = "H200";
  builder.facts.sources["local:orca.jsonl"] = "sha256:1";
  builder.expansion.points[0].dataset_source = "local:orca.jsonl";
  builder.expansion.points[0].warmup = 4;
  builder.kind("build").per_gpu_model = true;
  builder.kind("build").repeat_build = true;
  runner::StageKind& prompts = builder.kind("prompts");
  prompts.argv.push_back("{dataset.source}");
  if (!prompts.fragments.empty())
    prompts.fragments.push_back({.words = {"{dataset.source}"}, .when = {}});
  return builder;
}

matrix::Point& point(PlanBuilder& builder) { return builder.expansion.points[0]; }
void set(PlanBuilder& builder, const std::string& name, const std::string& text) {
  point(builder).parameters.set(name, {matrix::Type::text, text});
}

void set_word(runner::StageKind& kind, const std::string& before, const std::string& now) {
  std::replace(kind.argv.begin(), kind.argv.end(), before, now);
  for (runner::Fragment& fragment : kind.fragments)
    std::replace(fragment.words.begin(), fragment.words.end(), before, now);
}

// STAGE and everything that needs it, directly or not.
Names with_dependants(const runner::Manifest& manifest, const std::string& stage) {
  Names names = {stage};
  for (const runner::StageKind& kind : manifest.stages)
    if (std::any_of(kind.needs.begin(), kind.needs.end(),
                    [&](const std::string& need) { return names.contains(need); }))
      names.insert(kind.name);
  return names;
}

// One change: the stage whose own components it changes, and their names.
struct Row {
  std::string description;
  std::string stage;
  std::vector<std::string> components;
  std::function<void(PlanBuilder&)> change;
};

const std::vector<Row>& rows() {
  static const std::vector<Row> rows = {
      {"a word of a command",
       "build",
       {"argv[2]"},
       [](PlanBuilder& p) { set_word(p.kind("build"), "--quiet", "--loud"); }},
      {"a word of a server's command",
       "serve",
       {"argv[0]"},
       [](PlanBuilder& p) { set_word(p.kind("serve"), "/bin/server", "/bin/other"); }},
      {"an environment variable",
       "environment",
       {"env.LEVEL"},
       [](PlanBuilder& p) { p.kind("environment").env["LEVEL"] = "2"; }},
      {"one variable more",
       "environment",
       {"env.NEW"},
       [](PlanBuilder& p) { p.kind("environment").env["NEW"] = ""; }},
      {"one variable less",
       "environment",
       {"env.MODE"},
       [](PlanBuilder& p) { p.kind("environment").env.erase("MODE"); }},
      {"a template",
       "repository",
       {"render.m/config.pbtxt"},
       [](PlanBuilder& p) { p.facts.templates["templates/c.pbtxt"] += "\n"; }},
      {"a value in a template",
       "repository",
       {"render.m/config.pbtxt"},
       [](PlanBuilder& p) { p.kind("repository").render[0].values["mode"] = "slow"; }},
      {"a script",
       "environment",
       {"file.make.py"},
       [](PlanBuilder& p) { p.facts.runner_files["make.py"] = "print(1)"; }},
      {"a module that a script imports",
       "environment",
       {"file.library.py"},
       [](PlanBuilder& p) { p.facts.runner_files["library.py"] = "1"; }},
      {"a copied file",
       "repository",
       {"copy.m/model.py"},
       [](PlanBuilder& p) { p.facts.runner_files["model.py"] = "1"; }},
      {"a program",
       "environment",
       {"executable./usr/bin/python3"},
       [](PlanBuilder& p) { p.facts.executables["/usr/bin/python3"] = "other"; }},
      {"a folder that a server copies",
       "serve",
       {"place.models"},
       [](PlanBuilder& p) { p.kind("serve").place[0].from = "{stage:repository}/n"; }},
      {"a value of a job",
       "prompts",
       {"job.seed"},
       [](PlanBuilder& p) { p.matrix.measure.seed = 1; }},
      {"an output",
       "download",
       {"output"},
       [](PlanBuilder& p) { p.kind("download").outputs[0] = "weights"; }},
      {"one output more",
       "environment",
       {"output"},
       [](PlanBuilder& p) { p.kind("environment").outputs.push_back("share"); }},
      {"a parameter in a command",
       "build",
       {"parameter.precision", "argv[3]"},
       [](PlanBuilder& p) { set(p, "precision", "q8"); }},
      {"a parameter in a job",
       "prompts",
       {"parameter.isl", "job.isl"},
       [](PlanBuilder& p) { set(p, "isl", "64"); }},
      {"a parameter in a template",
       "repository",
       {"parameter.batch_size", "render.m/config.pbtxt"},
       [](PlanBuilder& p) { set(p, "batch_size", "8"); }},
      {"a model",
       "download",
       {"model.source"},
       [](PlanBuilder& p) { p.facts.sources["generate:nano"] = "other"; }},
      {"a model's revision",
       "download",
       {"model.source"},
       [](PlanBuilder& p) { point(p).model_revision = "v2"; }},
      {"a dataset",
       "prompts",
       {"dataset"},
       [](PlanBuilder& p) { p.facts.sources["local:orca.jsonl"] = "sha256:2"; }},
      {"the reader of prompt files",
       "prompts",
       {"dataset_rows"},
       [](PlanBuilder& p) { p.options.rows_version = 3; }},
      {"the GPU", "build", {"gpu"}, [](PlanBuilder& p) { p.facts.gpu = "B200"; }},
      {"the machine",
       "bench",
       {"machine"},
       [](PlanBuilder& p) { p.facts.machine = "Other CPU x 4"; }},
      {"the version of the load generator",
       "bench",
       {"generator_version"},
       [](PlanBuilder& p) { p.options.generator_version = 2; }},
      {"the warm-up", "bench", {"argv[4]"}, [](PlanBuilder& p) { point(p).warmup = 8; }},
  };
  return rows;
}

std::vector<std::string> names_of(const std::vector<Change>& changes) {
  std::vector<std::string> names;
  for (const Change& change : changes) names.push_back(change.component);
  return names;
}

TEST(DigestTable, EachFieldChangesTheDigestsThatDependOnItAndNoOther) {
  PlanBuilder unchanged = one_point();
  const Plan before = unchanged.plan();
  for (const Row& row : rows()) {
    PlanBuilder builder = one_point();
    row.change(builder);
    const Plan after = builder.plan();
    Names changed;
    for (const Stage& stage : before.stages)
      if (toy::stage_named(after, stage.spec.name).digest != stage.digest)
        changed.insert(stage.spec.name);
    EXPECT_EQ(changed, with_dependants(builder.manifest, row.stage)) << row.description;
  }
}

TEST(DigestTable, ExplainNamesTheComponentThatChangedAndNoOther) {
  PlanBuilder unchanged = one_point();
  const Plan before = unchanged.plan();
  for (const Row& row : rows()) {
    PlanBuilder builder = one_point();
    row.change(builder);
    const Plan after = builder.plan();
    for (const Stage& stage : before.stages) {
      const Stage& now = toy::stage_named(after, stage.spec.name);
      const auto names = names_of(compare(stage.components, now.components));
      if (stage.spec.name == row.stage) EXPECT_EQ(names, row.components) << row.description;
      else
        for (const std::string& name : names)
          EXPECT_TRUE(name.starts_with("needs.") || name.starts_with("argv[") ||
                      name.starts_with("place.") || name.starts_with("render."))
              << row.description << ": " << name;
    }
  }
}

TEST(DigestTable, OnlyRepeatsAfterTheFirstAddAComponent) {
  PlanBuilder once = one_point(), repeated = one_point();
  repeated.matrix.measure.repeats = repeated.matrix.measure.serve_repeats =
      repeated.matrix.measure.build_repeats = 2;
  const Plan a = once.plan(), b = repeated.plan();
  for (const Stage& stage : a.stages)
    EXPECT_EQ(toy::stage_named(b, stage.spec.name).digest, stage.digest) << stage.id;
  EXPECT_EQ(toy::counts(b), (std::map<std::string, std::string>{{"environment", "1 run"},
                                                                {"download", "1 run"},
                                                                {"build", "2 run"},
                                                                {"prompts", "1 run"},
                                                                {"repository", "2 run"},
                                                                {"serve", "4 run"},
                                                                {"bench", "8 run"}}));
  auto added = [&](const char* stage, std::size_t nth) {
    return names_of(compare(toy::stage_named(b, stage, 0).components,
                            toy::stage_named(b, stage, nth).components));
  };
  EXPECT_EQ(added("build", 1), std::vector<std::string>{"build_repeat"});
  EXPECT_EQ(added("serve", 1), std::vector<std::string>{"serve_repeat"});
  EXPECT_EQ(added("bench", 1), std::vector<std::string>{"repeat"});
}

TEST(Digest, DoesNotDependOnTheNotationOfTheManifest) {
  PlanBuilder a = one_point(), b = one_point(k_same_runner);
  const Plan first = a.plan(), second = b.plan();
  for (const Stage& stage : first.stages)
    EXPECT_EQ(toy::stage_named(second, stage.spec.name).digest, stage.digest) << stage.spec.name;
}

TEST(Digest, DoesNotDependOnLimitsHelpOrResources) {
  PlanBuilder a = one_point(), b = one_point();
  b.matrix.measure.limits = {.wake_lag_ms = 5, .send_lag_ms = 7, .client_cpu_share = 0.5};
  b.matrix.measure.goodput = matrix::Expression{.name = {}, .sql = "ttft_ms < 5", .where = {}};
  for (runner::StageKind& kind : b.manifest.stages) {
    kind.timeout_s = 1;
    kind.stop_s = 1;
    kind.help = "Another help text.";
    kind.inherit = {"ANY_*"};
    kind.secrets = {"HF_TOKEN"};
    kind.gpus = b.add_question("gpus", "2", {2});
    kind.disk_gib = b.add_question("disk", "9", {9});
  }
  set(b, "unread", "1");
  const Plan first = a.plan(), second = b.plan();
  for (const Stage& stage : first.stages)
    EXPECT_EQ(toy::stage_named(second, stage.spec.name).digest, stage.digest) << stage.spec.name;
  EXPECT_EQ(toy::stage_named(second, "build").gpus, 2);
}

TEST(Digest, DependsOnTheContentOfAModelAndNotOnItsPath) {
  PlanBuilder a = one_point(), b = one_point();
  point(b).model_source = "local:/elsewhere";
  b.facts.sources["local:/elsewhere"] = "generate:nano";
  const Plan first = a.plan(), second = b.plan();
  EXPECT_EQ(toy::stage_named(first, "download").digest,
            toy::stage_named(second, "download").digest);
  EXPECT_EQ(toy::stage_named(second, "download").spec.argv[1], "--source=local:/elsewhere");
}

TEST(Digest, OfAFileEquivalentToAnEarlierContentIsThatOfTheEarlier) {
  PlanBuilder was = one_point(), is = one_point();
  is.facts.runner_files["make.py"] = "print( )";
  const Plan before = was.plan();
  EXPECT_NE(toy::stage_named(is.plan(), "environment").digest,
            toy::stage_named(before, "environment").digest);
  is.facts.equivalents[sha256("print( )").hex()] = sha256("print()").hex();
  const Plan after = is.plan();
  EXPECT_EQ(toy::stage_named(after, "environment").digest,
            toy::stage_named(before, "environment").digest);
  EXPECT_NE(explain_text(after, {}).find(
                "  equivalent to the content in the digest (equivalent-files.txt): make.py\n"),
            std::string::npos);
  EXPECT_EQ(explain_text(before, {}).find("equivalent"), std::string::npos);
}

TEST(Digest, LeavesOutAFileThatCountsAsNothing) {
  PlanBuilder was = one_point(), is = one_point();
  runner::StageKind& kind = is.kind("environment");
  kind.files.emplace_back("split.py");
  is.facts.runner_files["split.py"] = "split off";
  is.facts.equivalents[sha256("split off").hex()] = "";
  EXPECT_EQ(toy::stage_named(is.plan(), "environment").digest,
            toy::stage_named(was.plan(), "environment").digest);
}

TEST(Digest, HasTheLockThatTheInterpreterReads) {
  PlanBuilder was = one_point(), is = one_point();
  is.facts.locks["/usr/bin/python3 library.py"] = {"library.cp313.py"};
  is.facts.runner_files["library.cp313.py"] = "1";
  EXPECT_EQ(names_of(compare(toy::stage_named(was.plan(), "environment").components,
                             toy::stage_named(is.plan(), "environment").components)),
            (std::vector<std::string>{"file.library.cp313.py", "file.library.py"}));
}

// A change of golden_digests.txt makes every store stale: raise the schema number and record it in
// CHANGELOG.
TEST(Digest, IsFrozenForItsSchema) {
  PlanBuilder builder = one_point();
  builder.matrix.measure.serve_repeats = 2;
  builder.matrix.measure.build_repeats = 2;
  // Other values of these are a component more.
  builder.matrix.measure.isolation = matrix::Isolation::strict;
  builder.options.rows_version = 1;
  std::string text =
      "# Digests of the runner in digest_test.cpp. A change makes every store stale: raise the "
      "schema number and record it in CHANGELOG.\n";
  const Plan plan = builder.plan();
  text += "schema " + plan.stages[0].components.list()[0].value + "\n";
  for (const Stage& stage : plan.stages)
    text += fmt::format("{} {}\n", stage.spec.name, stage.digest.hex());
  std::ifstream file(ORCH_SOURCE_DIR "/tests/plan/graph/golden_digests.txt");
  EXPECT_EQ(text, std::string(std::istreambuf_iterator<char>(file), {}));
}

TEST(Digest, OfAMeasurementBesideOthersIsNotThatOfOneMadeAlone) {
  PlanBuilder strict = one_point(), gpu = one_point(), none = one_point();
  strict.matrix.measure.isolation = matrix::Isolation::strict;
  none.matrix.measure.isolation = matrix::Isolation::none;
  const Plan alone = strict.plan(), beside = gpu.plan(), anything = none.plan();
  EXPECT_EQ(beside.isolation, matrix::Isolation::gpu) << "the machine has GPUs";
  EXPECT_EQ(toy::stage_named(alone, "serve").digest, toy::stage_named(beside, "serve").digest);
  EXPECT_NE(toy::stage_named(alone, "bench").digest, toy::stage_named(beside, "bench").digest);
  EXPECT_NE(toy::stage_named(anything, "bench").digest, toy::stage_named(beside, "bench").digest);
}

TEST(Digest, OfEveryStageBeginsWithTheSchema) {
  PlanBuilder builder = one_point();
  for (const Stage& stage : builder.plan().stages)
    EXPECT_EQ(stage.components.list()[0], (Component{"schema", "1"}));
}

// A short list of short texts over few letters: many of these lists differ only in where one text
// ends and the next begins.
Components random_list(std::uint32_t seed) {
  std::minstd_rand random(seed + 1);
  auto text = [&] {
    std::string letters(random() % 6, 'a');
    for (char& letter : letters) letter = static_cast<char>("ab\0{"[random() % 4]);
    return letters;
  };
  Components list;
  for (std::size_t i = 1 + random() % 4; i-- > 0;) {
    const std::string name = text();
    list.add(name, text());
  }
  return list;
}

TEST(Digest, IsUniqueAmongAMillionDifferentLists) {
  constexpr std::uint32_t k_lists = 1'000'000;
  std::vector<std::pair<std::uint64_t, std::uint32_t>> prefixes;
  prefixes.reserve(k_lists);
  for (std::uint32_t seed = 0; seed < k_lists; ++seed) {
    prefixes.emplace_back(random_list(seed).digest().first_bytes(), seed);
  }
  std::sort(prefixes.begin(), prefixes.end());
  std::size_t different = 1;
  for (std::size_t i = 1; i < prefixes.size(); ++i) {
    if (prefixes[i].first != prefixes[i - 1].first) {
      ++different;
      continue;
    }
    // Only equal lists may have equal digests.
    const Components a = random_list(prefixes[i - 1].second), b = random_list(prefixes[i].second);
    ASSERT_EQ(a.list(), b.list());
  }
  EXPECT_GT(different, k_lists / 2);
}

TEST(Digest, OfAHandWrittenListIsFrozen) {
  Components components;
  components.add("schema", "1");
  components.add("argv[0]", "/bin/true");
  EXPECT_EQ(components.digest().hex(),
            "ef41e15797ee230676d9a0101aee4a59ce7f94ad3d7aaaddc50b9adbed9d92a7");
  const std::string long_text(300, 'x');
  components.add("env.LONG", long_text);
  EXPECT_EQ(
      components.list(),
      (std::vector<Component>{{"schema", "1"}, {"argv[0]", "/bin/true"}, {"env.LONG", long_text}}));
}

TEST(Components, StayTheSameWhenTheyShareACommonBase) {
  auto list_of = [](std::initializer_list<const char*> values) {
    Components list;
    for (const char* value : values) list.add("name", value);
    return list;
  };
  const auto base = std::make_shared<Components::List>(list_of({"a", "b", "c"}).list());
  for (const Components& list :
       {list_of({"a", "b", "c"}), list_of({"x", "b", "c"}), list_of({"a", "x", "c"}),
        list_of({"a", "b", "x"}), list_of({"a", "b"}), list_of({"a", "b", "c", "d"}),
        list_of({"b", "c"}), list_of({})}) {
    Components shared = list;
    shared.share(base);
    EXPECT_EQ(shared.list(), list.list());
    EXPECT_EQ(shared.digest(), list.digest());
    Components longer = list;
    longer.add("more", "");
    shared.add("more", "");
    EXPECT_EQ(shared, longer);
  }
}

}  // namespace digest_test
}  // namespace orch::plan
