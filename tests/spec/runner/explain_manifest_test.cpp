#include "spec/runner/explain_manifest.hpp"

#include "spec/runner/support.hpp"

namespace orch::runner {
namespace explain_manifest_test {

constexpr const char* k_runner = R"(runner: toy
parameters:
  model: {type: text, help: a name under models}
  tp: {type: integer, min: 1, default: 1, help: ranks}
  size: {type: text, values: [s, l], default: s}
  isl: {type: integer, optional: true}
  heads: {type: integer, sql: model_heads / tp, help: heads of one rank}
facts:
  from: download
  file: config.json
  names: {model_heads: {type: integer, keys: [n_head, text_config.n_head], absent: 0, help: heads of attention}}
rules:
  - {name: whole-heads, require: model_heads % tp = 0, because: "{model_heads} heads on {tp} ranks", when: tp > 1 AND host_gpus > 0}
stages:
  download:
    kind: task
    argv: [/bin/get, "{model.source}", "{out}"]
    outputs: [config.json]
    inherit: [HF_*]
    secrets: [HUB_KEY]
  build:
    kind: task
    help: Builds the engine.
    when: size = 'l'
    needs: [download]
    reads: [tp, size]
    executables: [/bin/build]
    files: [common.py]
    argv: ["{file:build.py}", {when: tp > 1, then: [--tp, "{tp}"]}, "{stage:download}", "{out}"]
    env: {THREADS: "4"}
    copy: [{from: a.txt, to: b.txt}]
    render: [{from: t, to: c.txt, values: {x: "{tp}"}}]
    outputs: [engine, config.json]
    resources: {gpus: tp, disk_gib: 20}
    per_gpu_model: true
    repeat: build
    tools: {from: "{stage:download}/versions.json", names: [builder]}
    timeout_s: 7200
  serve:
    kind: service
    needs: [build]
    argv: [/bin/serve, "{port:http}"]
    ports: [http]
    ready: {port: http, get: [/], timeout_s: 90}
  bench:
    kind: measure
    needs: [serve]
    reads: [isl]
    argv: ["{orchestrate}", "{isl}", "{port:serve.http}", "{dataset.source}"]
    outputs: [measurement.json]
)";

std::string explained(const std::string& name) { return explain(manifest_of(k_runner), name); }

TEST(Explain, AStageShowsItsPurposeCommandAndDigestInputs) {
  EXPECT_EQ(explained("build"), R"(stage build of runner toy (runner.yaml:21:3)
task: makes files, and is done once for all points that share it
Builds the engine.

only for points where
  size = 'l'

needs
  download (task)

reads
  tp: integer, at least 1; default 1; ranks
  size: text, one of s, l; default s

command
  {file:build.py}
  only where tp > 1:
    --tp
    {tp}
  {stage:download}
  {out}

outputs
  engine
  config.json

resources
  gpus: tp
  disk_gib: 20

in its digest: the stage is made again when one of these changes
  values of the parameters: tp, size
  the words of its command, with symbols for paths and ports
  environment: THREADS
  content of the runner's files: build.py, common.py
  content of the programs: /bin/build
  rendered texts: c.txt
  content of the copied files: b.txt
  digests of the stages: download
  names of its outputs: engine, config.json
  model of the GPU
  number of the build repeat, from the second on

not in its digest
  folders, port numbers, tokens and times; time limits, resources and help
  versions that are stored with its results: builder

time limit
  2 h 00 min
)");
}

TEST(Explain, AServiceShowsItsPortsAndTimeLimits) {
  EXPECT_EQ(explained("serve"), R"(stage serve of runner toy (runner.yaml:39:3)
service: a server that lives while its measurements run

needs
  build (task, only for some points)

command
  /bin/serve
  {port:http}

resources
  ports: http

in its digest: the stage is made again when one of these changes
  the words of its command, with symbols for paths and ports
  digests of the stages: build
  number of the serve repeat, from the second on

not in its digest
  folders, port numbers, tokens and times; time limits, resources and help
  its readiness requests

time limit
  1 min 30 s until it is ready
  20.0 s to stop
)");
}

TEST(Explain, AMeasurementDependsOnTheMachine) {
  EXPECT_EQ(explained("bench"), R"(stage bench of runner toy (runner.yaml:45:3)
measure: a benchmark of the service it needs

needs
  serve (service)

reads
  isl: integer; may have no value

command
  {orchestrate}
  {isl}
  {port:serve.http}
  {dataset.source}

outputs
  measurement.json

in its digest: the stage is made again when one of these changes
  values of the parameters: isl
  the words of its command, with symbols for paths and ports
  digests of the stages: serve
  names of its outputs: measurement.json
  the content of the dataset
  number of the repeat
  class of machine, and version of the measurement's definition

not in its digest
  folders, port numbers, tokens and times; time limits, resources and help
  limits above which a measurement is invalid

time limit
  1 h 00 min
)");
}

TEST(Explain, ATaskDependsOnTheModelAndNotOnInheritedVariables) {
  EXPECT_EQ(explained("download"), R"(stage download of runner toy (runner.yaml:15:3)
task: makes files, and is done once for all points that share it

command
  /bin/get
  {model.source}
  {out}

outputs
  config.json

in its digest: the stage is made again when one of these changes
  the words of its command, with symbols for paths and ports
  names of its outputs: config.json
  identity of the model: its files or its commit, not its name

not in its digest
  folders, port numbers, tokens and times; time limits, resources and help
  inherited variables: HF_*
  secrets: HUB_KEY

time limit
  1 h 00 min
)");
}

TEST(Explain, ARuleListsTheColumnsThatItReads) {
  EXPECT_EQ(explained("whole-heads"), R"(rule whole-heads of runner toy (runner.yaml:13:34)

must hold
  model_heads % tp = 0

applies only where
  tp > 1 AND host_gpus > 0

else the point is rejected with
  {model_heads} heads on {tp} ranks

reads
  host_gpus: integer, at least 0; GPUs of the machine
  model_heads: integer; heads of attention
  tp: integer, at least 1; default 1; ranks
)");
}

TEST(Explain, AWarningRuleDoesNotReject) {
  EXPECT_EQ(
      explain(manifest_of("runner: toy\nrules: [{name: r, level: warn, require: 1 = 1, because: "
                          "so}]\nstages:\n  make: {kind: task, argv: [/x], outputs: [a]}\n"),
              "r"),
      R"(rule r of runner toy (runner.yaml:2:41)

must hold
  1 = 1

else the point carries the warning
  so
)");
}

TEST(Explain, AParameterListsItsReaders) {
  EXPECT_EQ(explained("tp"), R"(parameter tp of runner toy (runner.yaml:4:3)

is
  tp: integer, at least 1; default 1; ranks

read by
  stage 'build'
  rule 'whole-heads'
  'when' of rule 'whole-heads'
  the default of parameter 'heads'
  'when' in argv of stage 'build'
  'gpus' of stage 'build'
)");
  EXPECT_EQ(explained("model"), R"(parameter model of runner toy (runner.yaml:3:3)

is
  model: text; a name under models

read by
  nothing
)");
}

TEST(Explain, AFactShowsItsSource) {
  EXPECT_EQ(explained("model_heads"),
            R"(fact model_heads of models, of runner toy (runner.yaml:11:11)

is
  model_heads: integer; heads of attention

comes from
  config.json of stage 'download': the first key that exists of n_head, text_config.n_head
  or `models: NAME: facts:` of the matrix

value if neither names it
  0

read by
  rule 'whole-heads'
  the default of parameter 'heads'
)");
}

TEST(Explain, AFactOfTheMachineShowsWhereToStateIt) {
  EXPECT_EQ(explained("host_gpus"), R"(fact host_gpus of the machine, for runner toy

is
  host_gpus: integer, at least 0; GPUs of the machine

comes from
  the machine that plans
  or gpus under `machine:` of the matrix or the site file, or in --machine FILE

read by
  'when' of rule 'whole-heads'
)");
}

// Each `since` or `until` generates a rule, and a runner may have hundreds of them.
TEST(Explain, TheVersionCountsGeneratedRulesAndListsAReaderOnce) {
  const Manifest manifest = manifest_of(R"(runner: toy
versions: {parameter: tool_version, of: Tool, rows: {0.9.0: verified, 0.14.0: verified}}
parameters:
  tool_version: {type: version, default: 0.14.0}
  a: {type: integer, since: 0.14.0}
  b: {type: integer, until: 0.14.0}
stages:
  s:
    kind: task
    reads: [tool_version]
    argv: [/x, {when: tool_version > '0.9', then: [--one]}, {when: tool_version > '0.10', then: [--two]}]
    outputs: [o]
)");
  EXPECT_EQ(explain(manifest, "tool_version"),
            R"(parameter tool_version of runner toy (runner.yaml:4:3)

is
  tool_version: version; default 0.14.0

read by
  stage 's'
  rule 'whole-version'
  rule 'known-version'
  'when' in argv of stage 's'
  2 rules version-of-..., generated from `since` and `until`
)");
  EXPECT_NE(explain(manifest, "a").find("rule 'version-of-a'"), std::string::npos);
}

TEST(Explain, ReadersOfParametersThatFollowAreListedToo) {
  const Manifest manifest = manifest_of(R"(runner: toy
parameters:
  batch_size: {type: integer, default: 8}
  max_batch_size: {type: integer, sql: batch_size}
  top: {type: integer, sql: max_batch_size * 2}
rules: [{name: small, require: top < 99, because: so}]
stages:
  build: {kind: task, reads: [max_batch_size], argv: [/x], outputs: [o]}
)");
  const std::string text = explain(manifest, "batch_size");
  EXPECT_EQ(text.substr(text.find("read by")), R"(read by
  the default of parameter 'max_batch_size'
  through max_batch_size: stage 'build', the default of parameter 'top'
  through top: rule 'small'
)");
}

TEST(Explain, ReadersAmongMoreRulesThanOneTableHoldsAreFound) {
  std::string text = "runner: toy\nparameters:\n  tp: {type: integer, default: 1}\n";
  for (int i = 0; i < 480; ++i) text += fmt::format("  p{}: {{type: integer, sql: 1 + 1}}\n", i);
  text += "rules:\n";
  for (int i = 0; i < 500; ++i)
    text += fmt::format("  - {{name: r{}, require: {}, because: so}}\n", i,
                        i == 499 ? "tp < 9" : "1 = 1");
  const Manifest manifest =
      manifest_of(text + "stages: {make: {kind: task, argv: [/x], outputs: [a]}}\n");
  const std::string explained = explain(manifest, "tp");
  EXPECT_EQ(explained.substr(explained.find("read by")), "read by\n  rule 'r499'\n");
}

TEST(Explain, ExplainsEveryNameAndNoOther) {
  const Manifest manifest = manifest_of(k_runner);
  EXPECT_EQ(names_of(manifest),
            (std::vector<std::string>{"download", "build", "serve", "bench", "whole-heads", "model",
                                      "tp", "size", "isl", "heads", "model_heads"}));
  for (const std::string& name : names_of(manifest)) EXPECT_NE(explain(manifest, name), "") << name;
  EXPECT_EQ(explain(manifest, "buidl"), "");
}

TEST(Explain, ANameWithSeveralMeaningsShowsAllOfThem) {
  const Manifest manifest = manifest_of(
      "runner: toy\nparameters: {make: {type: text}}\nstages: {make: {kind: task, argv: [/x], "
      "outputs: [a]}}\n");
  const std::string text = explain(manifest, "make");
  EXPECT_EQ(text.find("stage make of runner toy (runner.yaml:3:10)\n"), 0u);
  EXPECT_NE(text.find("\n\nparameter make of runner toy (runner.yaml:2:14)\n"), std::string::npos);
}

}  // namespace explain_manifest_test
}  // namespace orch::runner
