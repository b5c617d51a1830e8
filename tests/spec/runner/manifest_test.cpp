#include "spec/runner/support.hpp"

#include <fstream>

namespace orch::runner {
namespace manifest_test {

constexpr const char* k_good = R"(runner: toy
description: a server of small numbers
parameters:
  model: {type: text}
  isl: {type: integer, min: 1, help: tokens in}
  size: {type: text, values: [s, l], default: s}
  tp: {type: integer, default: 1}
  heads: {type: integer, sql: model_heads / tp}
  dataset: {type: text, optional: true}
facts:
  from: download
  file: config.json
  names:
    model_heads: {type: integer, keys: [num_attention_heads, text_config.n_head], help: heads of attention}
rules:
  - {name: small, require: isl < 100, because: "{isl} is too long"}
  - {name: whole-heads, require: model_heads % tp = 0, because: "{model_heads} heads on {tp} ranks", when: tp > 1}
resolve:
  hf: {argv: [/usr/bin/python3, "{file:resolve.py}", "{model.source}", "{model.revision}"], inherit: [HF_*], timeout_s: 30}
stages:
  download:
    kind: task
    argv: ["{file:get}", "{model.source}", "{out}"]
    outputs: [config.json]
  make:
    kind: task
    help: Builds the engine.
    needs: [download]
    reads: [size, tp]
    argv: [/bin/make-it, "--size={size}", {when: tp > 1, then: [--ranks, "{tp}"]}, {when: host_gpus > 1, then: [--fast]}, "{stage:download}", "{out}"]
    outputs: [model.bin]
    resources: {gpus: tp, disk_gib: 20}
    per_gpu_model: true
    repeat: build
    agree: {file: config.json, values: {tp: mapping.tp_size}}
  cut:
    kind: task
    when: size = 'l'
    needs: [make]
    argv: ["{stage:make}/bin/cut", "{out}"]
    outputs: [cut]
  serve:
    kind: service
    needs: [make]
    ports: [http]
    argv: [/bin/serve, "{stage:make}/model.bin", "{port:http}"]
    place: [{from: "{stage:make}/model.bin", to: model}]
    ready: {port: http, get: [/health], timeout_s: 5}
    smoke: {port: http, post: /ask, body: '{"n": {port:http}}', answer: text}
    shm_prefix: "toy-{token}"
  bench:
    kind: measure
    needs: [serve]
    reads: [isl]
    argv: ["{orchestrate}", "{port:serve.http}", "{isl}", "{measure.prompts}", "{dataset.source}", "{out}"]
    outputs: [measurement.json]
)";

const matrix::Question& question(const Manifest& manifest, std::optional<std::size_t> index) {
  return manifest.questions.at(index.value());
}

TEST(Manifest, ReadsParametersFactsRulesAndResolvers) {
  const Manifest manifest = manifest_of(k_good);
  EXPECT_EQ(manifest.name, "toy");
  EXPECT_EQ(manifest.description, "a server of small numbers");
  ASSERT_EQ(manifest.parameters.size(), 6u);
  EXPECT_EQ(manifest.parameters[1].least, 1);
  EXPECT_EQ(manifest.parameters[2].fallback, (matrix::Value{matrix::Type::text, "s"}));
  EXPECT_EQ(manifest.parameters[4].fallback_sql, "model_heads / tp");
  EXPECT_EQ(to_string(manifest.parameters[4].fallback_where.at(12)), "runner.yaml:8:43");
  EXPECT_TRUE(manifest.parameters[5].optional);
  ASSERT_EQ(manifest.model_facts.size(), 1u);
  EXPECT_EQ(manifest.model_facts[0].column.type, matrix::Type::integer);
  EXPECT_EQ(manifest.model_facts[0].keys,
            (std::vector<std::string>{"num_attention_heads", "text_config.n_head"}));
  EXPECT_EQ(manifest.fact_source->stage + "/" + manifest.fact_source->file, "download/config.json");
  EXPECT_EQ(manifest.rules[1].when, "tp > 1");
  EXPECT_EQ(to_string(manifest.rules[1].where.first()) + " " +
                to_string(manifest.rules[1].when_where.first()),
            "runner.yaml:17:34 runner.yaml:17:108");
  ASSERT_EQ(manifest.resolvers.size(), 1u);
  EXPECT_EQ(manifest.resolvers[0].scheme, "hf");
  EXPECT_EQ(manifest.resolvers[0].argv.size(), 4u);
  EXPECT_EQ(manifest.resolvers[0].inherit, std::vector<std::string>{"HF_*"});
  EXPECT_EQ(manifest.resolvers[0].timeout_s, 30);
}

TEST(Manifest, ReadsStages) {
  const Manifest manifest = manifest_of(k_good);
  ASSERT_EQ(manifest.stages.size(), 5u);
  const StageKind& make = *manifest.find("make");
  EXPECT_EQ(make.help, "Builds the engine.");
  EXPECT_TRUE(make.per_gpu_model);
  EXPECT_TRUE(make.repeat_build);
  EXPECT_EQ(make.agree->file, "config.json");
  EXPECT_EQ(make.agree->values.at("tp"), "mapping.tp_size");
  const StageKind& serve = *manifest.find("serve");
  EXPECT_EQ(serve.kind, Kind::service);
  EXPECT_EQ(serve.ready->get, std::vector<std::string>{"/health"});
  EXPECT_EQ(serve.smoke.at(0).body, R"({"n": {port:http}})");
  EXPECT_EQ(serve.shm_prefix, "toy-{token}");
  EXPECT_EQ(serve.place[0].to, "model");
  const matrix::Vocabulary vocabulary = manifest.vocabulary();
  EXPECT_EQ(vocabulary.read, (std::vector<std::string>{"size", "tp", "isl"}));
  EXPECT_EQ(vocabulary.stages,
            (std::vector<std::string>{"download", "make", "cut", "serve", "bench"}));
  EXPECT_EQ(vocabulary.model_facts.size(), 1u);
  EXPECT_EQ(vocabulary.questions.size(), 5u);
}

TEST(Manifest, AStageThatNeedsMoreGpusThanThereAreRejectsThePointsThatHaveIt) {
  const Manifest manifest = manifest_of(R"(runner: toy
parameters:
  tp: {type: integer, default: 1}
  other: {type: boolean, default: false}
stages:
  one:
    kind: task
    when: other
    resources: {gpus: tp}
    argv: [/bin/true, "{out}"]
    outputs: [x]
  two:
    kind: task
    resources: {gpus: tp * 2}
    argv: [/bin/true, "{out}"]
    outputs: [x]
)");
  const std::vector<matrix::Rule> rules = manifest.vocabulary().rules;
  ASSERT_EQ(rules.size(), 2u);
  EXPECT_EQ(rules[0].when, "(other) AND (tp) > 0");
  EXPECT_EQ(rules[0].because, "stage 'one' needs {tp} of the machine's {host_gpus} GPUs");
  EXPECT_EQ(rules[1].when, "(tp * 2) > 0");
  EXPECT_EQ(rules[1].because, "stage 'two' needs tp * 2 of the machine's {host_gpus} GPUs");
}

TEST(Manifest, FragmentsKeepTheirOrderAndTheirConditions) {
  const Manifest manifest = manifest_of(k_good);
  const StageKind& make = *manifest.find("make");
  EXPECT_EQ(make.argv, (std::vector<std::string>{"/bin/make-it", "--size={size}", "--ranks", "{tp}",
                                                 "--fast", "{stage:download}", "{out}"}));
  ASSERT_EQ(make.fragments.size(), 4u);
  EXPECT_EQ(make.fragments[0].words, (std::vector<std::string>{"/bin/make-it", "--size={size}"}));
  EXPECT_FALSE(make.fragments[0].when);
  EXPECT_EQ(make.fragments[1].words, (std::vector<std::string>{"--ranks", "{tp}"}));
  EXPECT_EQ(question(manifest, make.fragments[1].when).sql, "tp > 1");
  EXPECT_EQ(question(manifest, make.fragments[2].when).sql, "host_gpus > 1");
  EXPECT_EQ(make.fragments[3].words, (std::vector<std::string>{"{stage:download}", "{out}"}));
}

TEST(Manifest, ConditionsOfArgvMayReadOnlyFactsAndParametersOfTheStage) {
  const Manifest manifest = manifest_of(k_good);
  const StageKind& make = *manifest.find("make");
  const matrix::Question& fragment = question(manifest, make.fragments[1].when);
  EXPECT_EQ(fragment.what, "'when' in argv of stage 'make'");
  EXPECT_EQ(fragment.answer, matrix::Question::Answer::truth);
  EXPECT_EQ(to_string(fragment.where.first()), "runner.yaml:30:50");
  EXPECT_FALSE(fragment.may_read_all);
  EXPECT_EQ(fragment.may_read,
            (std::vector<std::string>{"size", "tp", "model_heads", "host_gpus", "host_nodes",
                                      "host_gpu_model", "host_gpu_memory_gib", "host_mig",
                                      "host_cpu_model", "host_cpus"}));
  const matrix::Question& gpus = question(manifest, make.gpus);
  EXPECT_EQ(gpus.what + ": " + gpus.sql, "'gpus' of stage 'make': tp");
  EXPECT_EQ(gpus.answer, matrix::Question::Answer::number);
  EXPECT_TRUE(gpus.may_read_all);
  const matrix::Question& disk = question(manifest, make.disk_gib);
  EXPECT_EQ(disk.what + ": " + disk.sql, "'disk_gib' of stage 'make': 20");
  EXPECT_EQ(disk.answer, matrix::Question::Answer::number);
  const matrix::Question& cut = question(manifest, manifest.find("cut")->when);
  EXPECT_EQ(cut.what + ": " + cut.sql, "'when' of stage 'cut': size = 'l'");
  EXPECT_EQ(cut.answer, matrix::Question::Answer::truth);
  EXPECT_TRUE(cut.may_read_all);
}

TEST(Manifest, HasTheNameOfItsFolder) {
  const std::string rest = "\nstages:\n  make:\n    kind: task\n    argv: [/x]\n    outputs: [a]\n";
  EXPECT_EQ(errors_of("runner: toy" + rest, "runners/toy/runner.yaml"), "");
  EXPECT_EQ(errors_of("runner: toy" + rest, "/elsewhere/tony/runner.yaml"), "");
  EXPECT_EQ(errors_of("runner: toy" + rest, "/p/runners/tony/runner.yaml"),
            "/p/runners/tony/runner.yaml:1:9: the runner 'toy' is in the folder runners/tony; "
            "write runner: tony\n");
  EXPECT_EQ(errors_of("runner: my toy" + rest),
            "runner.yaml:1:9: runner 'my toy': a name consists of letters, digits, '.', '_' and "
            "'-', begins with a letter or digit and has at most 64 characters\n");
}

TEST(Manifest, IsAMapWithARunnerAndStages) {
  EXPECT_EQ(errors_of(""),
            "runner.yaml:1:1: the manifest has no 'runner'; add it\nrunner.yaml:1:1: the manifest "
            "has no 'stages'; add it\n");
  EXPECT_EQ(errors_of("[a]"),
            "runner.yaml:1:1: the manifest must be a map of keys and values, not a list\n");
  EXPECT_EQ(errors_of("runner: [toy]\ndescription: {a: b}\nstages: {}\nstagse: 1\n"),
            "runner.yaml:1:9: 'runner' must be one value, not a list\n"
            "runner.yaml:2:14: 'description' must be one value, not a map\n"
            "runner.yaml:3:9: 'stages' is empty; write NAME: {kind: task, argv: [...], outputs: "
            "[...]}\n"
            "runner.yaml:4:1: unknown key 'stagse' in the manifest; did you mean 'stages'?\n");
  EXPECT_EQ(errors_of("runner: ''\nstages: [a]\n"),
            "runner.yaml:1:9: 'runner' is empty; give it a value\n"
            "runner.yaml:2:9: 'stages' must be a map of names and values, not a list; write NAME: "
            "{kind: task, argv: [...], outputs: [...]}\n");
}

TEST(Manifest, ReportsEveryErrorAtOnceInTheOrderOfTheFile) {
  EXPECT_EQ(
      errors_of("runner: toy\nstages:\n  make:\n    kind: task\n    output: [a]\n    argv: [/x, "
                "'{isl}']\nparameters: {isl: {type: int}}\nrules: 5\n"),
      "runner.yaml:3:3: stage 'make' declares no 'outputs'; name the files that prove it worked\n"
      "runner.yaml:5:5: unknown key 'output' in stage 'make'; did you mean 'outputs'?\n"
      "runner.yaml:6:17: stage 'make' uses {isl} but does not list it under 'reads'; add it there\n"
      "runner.yaml:7:26: 'type' must be text, integer, real, boolean, version, list, path, model "
      "or dataset, not the value 'int'\n"
      "runner.yaml:8:8: 'rules' must be a list of maps, not the value '5'; write - {name: NAME, "
      "require: "
      "SQL, because: TEXT}\n");
}

TEST(Manifest, EveryRunnerOfTheProjectIsReadWithoutAnError) {
  std::size_t runners = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::filesystem::path(ORCH_SOURCE_DIR) / "runners")) {
    const std::filesystem::path file = entry.path() / "runner.yaml";
    if (!std::filesystem::exists(file)) continue;
    ++runners;
    const auto text_of = [](const std::string& path) -> Result<std::string> {
      std::ifstream in(path);
      if (!in) return invalid("there is no such file");
      return std::string(std::istreambuf_iterator<char>(in), {});
    };
    Errors errors;
    const Manifest manifest = parse_manifest(*text_of(file), file, errors, text_of);
    for (const Error& error : errors) ADD_FAILURE() << error.text();
    for (const StageKind& stage : manifest.stages)
      EXPECT_TRUE(stage.argv.empty() || ((stage.cores || stage.cpus) && stage.memory_gib))
          << to_string(stage.where)
          << ": its job would ask for the cluster's default, often one CPU";
  }
  EXPECT_GE(runners, 1u);
}

TEST(Manifest, TheExampleOfTheHowToIsReadWithoutAnError) {
  std::ifstream in(std::filesystem::path(ORCH_SOURCE_DIR) / "docs/writing-a-runner.md");
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  const std::string fence = "```yaml manifest\n";
  const std::size_t begin = text.find(fence) + fence.size();
  const std::string example = text.substr(begin, text.find("```", begin) - begin);
  EXPECT_EQ(manifest_of(example).stages.size(), 3u);
}

}  // namespace manifest_test
}  // namespace orch::runner
