// Which digests follow what, for every kind of component; and that explain names the very component
// that changed.
#include "plan/explain.hpp"
#include "plan/toy.hpp"

#include <fstream>
#include <iterator>
#include <random>

namespace orch::plan {
namespace {

using fakes::Planned;
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

// The same, as somebody else would write it.
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

Planned one_point(const char* yaml = k_runner) {
  Planned planned(
      yaml,
      {{{"source", "generate:nano"}, {"precision", "f16"}, {"batch_size", "4"}, {"isl", "32"}}});
  planned.facts.runner_files = {
      {"make.py", "print()"}, {"library.py", "pass"}, {"model.py", "class M: pass"}};
  planned.facts.templates["templates/c.pbtxt"] = "max: ${max} dir: \"${engine}\" mode: ${mode}";
  planned.facts.gpu = "H200";
  planned.facts.sources["local:orca.jsonl"] = "sha256:1";
  planned.expansion.points[0].dataset_source = "local:orca.jsonl";
  planned.expansion.points[0].warmup = 4;
  planned.kind("build").per_gpu_model = true;
  planned.kind("build").repeat_build = true;
  runner::StageKind& prompts = planned.kind("prompts");
  prompts.argv.push_back("{dataset.source}");
  if (!prompts.fragments.empty())
    prompts.fragments.push_back({.words = {"{dataset.source}"}, .when = {}});
  return planned;
}

matrix::Point& point(Planned& planned) { return planned.expansion.points[0]; }
void set(Planned& planned, const std::string& name, const std::string& text) {
  point(planned).parameters.set(name, {matrix::Type::text, text});
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

// One thing that can change: whose digest it is in, and under which names.
struct Row {
  std::string what;
  std::string stage;
  std::vector<std::string> components;
  std::function<void(Planned&)> change;
};

const std::vector<Row>& rows() {
  static const std::vector<Row> rows = {
      {"a word of a command",
       "build",
       {"argv[2]"},
       [](Planned& p) { set_word(p.kind("build"), "--quiet", "--loud"); }},
      {"a word of a server's command",
       "serve",
       {"argv[0]"},
       [](Planned& p) { set_word(p.kind("serve"), "/bin/server", "/bin/other"); }},
      {"an environment variable",
       "environment",
       {"env.LEVEL"},
       [](Planned& p) { p.kind("environment").env["LEVEL"] = "2"; }},
      {"one variable more",
       "environment",
       {"env.NEW"},
       [](Planned& p) { p.kind("environment").env["NEW"] = ""; }},
      {"one variable less",
       "environment",
       {"env.MODE"},
       [](Planned& p) { p.kind("environment").env.erase("MODE"); }},
      {"a template",
       "repository",
       {"render.m/config.pbtxt"},
       [](Planned& p) { p.facts.templates["templates/c.pbtxt"] += "\n"; }},
      {"a value in a template",
       "repository",
       {"render.m/config.pbtxt"},
       [](Planned& p) { p.kind("repository").render[0].values["mode"] = "slow"; }},
      {"a script",
       "environment",
       {"file.make.py"},
       [](Planned& p) { p.facts.runner_files["make.py"] = "print(1)"; }},
      {"what a script imports",
       "environment",
       {"file.library.py"},
       [](Planned& p) { p.facts.runner_files["library.py"] = "1"; }},
      {"a copied file",
       "repository",
       {"copy.m/model.py"},
       [](Planned& p) { p.facts.runner_files["model.py"] = "1"; }},
      {"a program",
       "environment",
       {"executable./usr/bin/python3"},
       [](Planned& p) { p.facts.executables["/usr/bin/python3"] = "other"; }},
      {"what a server copies",
       "serve",
       {"place.models"},
       [](Planned& p) { p.kind("serve").place[0].from = "{stage:repository}/n"; }},
      {"a value of a job", "prompts", {"job.seed"}, [](Planned& p) { p.matrix.measure.seed = 1; }},
      {"an output",
       "download",
       {"output"},
       [](Planned& p) { p.kind("download").outputs[0] = "weights"; }},
      {"one output more",
       "environment",
       {"output"},
       [](Planned& p) { p.kind("environment").outputs.push_back("share"); }},
      {"a parameter in a command",
       "build",
       {"parameter.precision", "argv[3]"},
       [](Planned& p) { set(p, "precision", "q8"); }},
      {"a parameter in a job",
       "prompts",
       {"parameter.isl", "job.isl"},
       [](Planned& p) { set(p, "isl", "64"); }},
      {"a parameter in a template",
       "repository",
       {"parameter.batch_size", "render.m/config.pbtxt"},
       [](Planned& p) { set(p, "batch_size", "8"); }},
      {"a model",
       "download",
       {"model.source"},
       [](Planned& p) { p.facts.sources["generate:nano"] = "other"; }},
      {"a model's revision",
       "download",
       {"model.source"},
       [](Planned& p) { point(p).model_revision = "v2"; }},
      {"a dataset",
       "prompts",
       {"dataset"},
       [](Planned& p) { p.facts.sources["local:orca.jsonl"] = "sha256:2"; }},
      {"the GPU", "build", {"gpu"}, [](Planned& p) { p.facts.gpu = "B200"; }},
      {"the machine", "bench", {"machine"}, [](Planned& p) { p.facts.machine = "Other CPU x 4"; }},
      {"how measurements are made",
       "bench",
       {"generator_version"},
       [](Planned& p) { p.options.generator_version = 2; }},
      {"the warm-up", "bench", {"argv[4]"}, [](Planned& p) { point(p).warmup = 8; }},
  };
  return rows;
}

std::vector<std::string> names_of(const std::vector<Change>& changes) {
  std::vector<std::string> names;
  for (const Change& change : changes) names.push_back(change.component);
  return names;
}

TEST(DigestTable, EachFieldChangesTheDigestsThatDependOnItAndNoOther) {
  Planned unchanged = one_point();
  const Plan before = unchanged.plan();
  for (const Row& row : rows()) {
    Planned planned = one_point();
    row.change(planned);
    const Plan after = planned.plan();
    Names changed;
    for (const Stage& stage : before.stages)
      if (toy::stage_named(after, stage.spec.name).digest != stage.digest)
        changed.insert(stage.spec.name);
    EXPECT_EQ(changed, with_dependants(planned.manifest, row.stage)) << row.what;
  }
}

TEST(DigestTable, ExplainNamesTheComponentThatChangedAndNoOther) {
  Planned unchanged = one_point();
  const Plan before = unchanged.plan();
  for (const Row& row : rows()) {
    Planned planned = one_point();
    row.change(planned);
    const Plan after = planned.plan();
    for (const Stage& stage : before.stages) {
      const Stage& now = toy::stage_named(after, stage.spec.name);
      const auto names = names_of(compare(stage.components, now.components));
      if (stage.spec.name == row.stage) EXPECT_EQ(names, row.components) << row.what;
      else
        for (const std::string& name : names)
          EXPECT_TRUE(name.starts_with("needs.") || name.starts_with("argv[") ||
                      name.starts_with("place.") || name.starts_with("render."))
              << row.what << ": " << name;
    }
  }
}

TEST(DigestTable, RepeatsAddTheirNumberAndTheFirstAddsNothing) {
  Planned once = one_point(), often = one_point();
  often.matrix.measure.repeats = often.matrix.measure.serve_repeats =
      often.matrix.measure.build_repeats = 2;
  const Plan a = once.plan(), b = often.plan();
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

TEST(Digest, IsTheSameHoweverTheManifestIsWritten) {
  Planned a = one_point(), b = one_point(k_same_runner);
  const Plan first = a.plan(), second = b.plan();
  for (const Stage& stage : first.stages)
    EXPECT_EQ(toy::stage_named(second, stage.spec.name).digest, stage.digest) << stage.spec.name;
}

TEST(Digest, FollowsNoLimitNoHelpAndNoResource) {
  Planned a = one_point(), b = one_point();
  b.matrix.measure.limits = {.wake_lag_ms = 5, .send_lag_ms = 7, .client_cpu_share = 0.5};
  b.matrix.measure.goodput = matrix::Expression{.name = {}, .sql = "ttft_ms < 5", .where = {}};
  for (runner::StageKind& kind : b.manifest.stages) {
    kind.timeout_s = 1;
    kind.stop_s = 1;
    kind.help = "Says what it is.";
    kind.inherit = {"ANY_*"};
    kind.secrets = {"HF_TOKEN"};
    kind.gpus = b.ask("gpus", "2", {2});
    kind.disk_gib = b.ask("disk", "9", {9});
  }
  set(b, "unread", "1");
  const Plan first = a.plan(), second = b.plan();
  for (const Stage& stage : first.stages)
    EXPECT_EQ(toy::stage_named(second, stage.spec.name).digest, stage.digest) << stage.spec.name;
  EXPECT_EQ(toy::stage_named(second, "build").gpus, 2);
}

TEST(Digest, AModelIsItsContentAndNotItsPath) {
  Planned a = one_point(), b = one_point();
  point(b).model_source = "local:/elsewhere";
  b.facts.sources["local:/elsewhere"] = "generate:nano";
  const Plan first = a.plan(), second = b.plan();
  EXPECT_EQ(toy::stage_named(first, "download").digest,
            toy::stage_named(second, "download").digest);
  EXPECT_EQ(toy::stage_named(second, "download").spec.argv[1], "--source=local:/elsewhere");
}

// A change of this file makes every store stale: it needs a new schema number and a line in
// CHANGELOG.
TEST(Digest, IsFrozenForItsSchema) {
  Planned planned = one_point();
  planned.matrix.measure.serve_repeats = 2;
  planned.matrix.measure.build_repeats = 2;
  std::string text =
      "# What the runner of digest_test.cpp gives. A change makes every store stale: raise the "
      "schema number, and tell it in CHANGELOG.\n";
  const Plan plan = planned.plan();
  text += "schema " + plan.stages[0].components.list()[0].value + "\n";
  for (const Stage& stage : plan.stages)
    text += fmt::format("{} {}\n", stage.spec.name, stage.digest.hex());
  std::ifstream file(ORCH_SOURCE_DIR "/tests/plan/golden_digests.txt");
  EXPECT_EQ(text, std::string(std::istreambuf_iterator<char>(file), {}));
}

TEST(Digest, OfEveryStageBeginsWithTheSchema) {
  Planned planned = one_point();
  for (const Stage& stage : planned.plan().stages)
    EXPECT_EQ(stage.components.list()[0], (Component{"schema", "1"}));
}

// A list of a few short texts over few letters: where one ends and the next begins is all that
// tells many of them apart.
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

TEST(Digest, OfAMillionDifferentListsIsNeverTheSame) {
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
    // Equal digests are allowed to equal lists alone.
    const Components a = random_list(prefixes[i - 1].second), b = random_list(prefixes[i].second);
    ASSERT_EQ(a.list(), b.list());
  }
  EXPECT_GT(different, k_lists / 2);
}

TEST(Digest, OfAListThatIsWrittenByHandIsFrozen) {
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

TEST(Components, ShareWhatTheyHaveInCommonAndStayTheSame) {
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

}  // namespace
}  // namespace orch::plan
