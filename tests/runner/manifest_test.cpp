#include "runner/manifest.hpp"

#include <gtest/gtest.h>

namespace orch::runner {
namespace {

// Every error of a manifest, one a line.
std::string errors_of(const std::string& yaml) {
  Errors errors;
  (void)parse_manifest(yaml, "runner.yaml", errors);
  std::string text;
  for (const Error& error : errors) text += error.text() + "\n";
  return text;
}

constexpr const char* k_good = R"(
runner: toy
parameters:
  isl: {type: integer, min: 1}
  size: {type: text, values: [s, l], default: s}
rules:
  - {name: small, require: isl < 100, because: "{isl} is too long"}
stages:
  make:
    kind: task
    reads: [size]
    argv: [/bin/make-it, "--size={size}", "--out={out}"]
    outputs: [model.bin]
  serve:
    kind: service
    needs: [make]
    ports: [http]
    argv: [/bin/serve, "{stage:make}/model.bin", "{port:http}"]
    ready: {port: http, get: [/health]}
  bench:
    kind: measure
    needs: [serve]
    reads: [isl]
    argv: [/bin/bench, "{port:serve.http}", "{isl}", "{out}"]
    outputs: [measurement.json]
)";

TEST(Manifest, ReadsAWholeRunner) {
  Errors errors;
  const Manifest manifest = parse_manifest(k_good, "runner.yaml", errors);
  ASSERT_TRUE(errors.empty()) << errors.front().text();
  EXPECT_EQ(manifest.name, "toy");
  ASSERT_EQ(manifest.stages.size(), 3u);
  EXPECT_EQ(manifest.stages[1].kind, Kind::service);
  EXPECT_EQ(manifest.find("serve")->ready->get, std::vector<std::string>{"/health"});
  EXPECT_EQ(manifest.vocabulary().read, (std::vector<std::string>{"size", "isl"}));
}

TEST(Manifest, UnknownKeysAreErrorsWithASuggestion) {
  EXPECT_EQ(errors_of("runner: toy\nstages:\n  make:\n    kind: task\n    argv: [x]\n    output: [a]\n"),
            "runner.yaml:6:5: unknown key 'output' in stage 'make'; did you mean 'outputs'?\n"
            "runner.yaml:3:3: stage 'make' declares no 'outputs'; name the files that prove it worked\n");
}

TEST(Manifest, ASymbolThatTheStageDoesNotReadIsAnError) {
  EXPECT_EQ(errors_of("runner: toy\nparameters:\n  isl: {type: integer}\nstages:\n  make:\n    kind: task\n    argv: [x, \"{isl}\", \"{sile}\", \"{ous}\"]\n    outputs: [a]\n"),
            "runner.yaml:5:3: stage 'make' uses {isl} but does not list it under 'reads'; add it there\n"
            "runner.yaml:5:3: stage 'make' uses the unknown symbol {sile}\n"
            "runner.yaml:5:3: stage 'make' uses the unknown symbol {ous}; did you mean 'out'?\n");
}

TEST(Manifest, AParameterIsCalledWhatAColumnAndASymbolCanBeCalled) {
  EXPECT_EQ(errors_of("runner: toy\nparameters:\n  maxLen: {type: integer}\n  group: {type: text}\n  ttft_ms_n: {type: real}\n  point: {type: text}\n  out: {type: text}\n  jobs: {type: text}\n"
                      "stages:\n  make:\n    kind: task\n    argv: [x]\n    outputs: [a]\n"),
            "runner.yaml:3:3: parameter 'maxLen': a name has a-z, 0-9 and _, begins with a letter and has at most 64 characters; write 'maxlen'\n"
            "runner.yaml:4:3: parameter 'group': this is a keyword of SQL; choose another name\n"
            "runner.yaml:5:3: parameter 'ttft_ms_n': this is the name of a metric; choose another name\n"
            "runner.yaml:6:3: parameter 'point': the view of results has a column of this name; choose another name\n"
            "runner.yaml:7:3: parameter 'out': {out} has a meaning of its own in a runner; choose another name\n"
            "runner.yaml:8:3: parameter 'jobs': {jobs} has a meaning of its own in a runner; choose another name\n");
  for (const std::string name : {"work", "token", "block", "repeat", "orchestrate"})
    EXPECT_EQ(errors_of("runner: toy\nparameters:\n  " + name + ": {type: text}\nstages:\n  make:\n    kind: task\n    argv: [x]\n    outputs: [a]\n"),
              "runner.yaml:3:3: parameter '" + name + "': {" + name + "} has a meaning of its own in a runner; choose another name\n");
}

TEST(Manifest, AStageNeedsOnlyStagesAboveIt) {
  EXPECT_EQ(errors_of("runner: toy\nstages:\n  a:\n    kind: task\n    needs: [b]\n    argv: [x]\n    outputs: [o]\n  b:\n    kind: task\n    argv: [x]\n    outputs: [o]\n"),
            "runner.yaml:3:3: stage 'a' needs 'b', which is not a stage above it\n");
}

TEST(Manifest, AMeasurementNeedsExactlyOneServer) {
  EXPECT_EQ(errors_of("runner: toy\nstages:\n  m:\n    kind: measure\n    argv: [x]\n    outputs: [o]\n"),
            "runner.yaml:3:3: stage 'm' measures 0 services; it must need exactly one\n");
}

TEST(Manifest, OutputsStayInsideTheirFolder) {
  EXPECT_EQ(errors_of("runner: toy\nstages:\n  a:\n    kind: task\n    argv: [x]\n    outputs: [../b, /etc/x]\n"),
            "runner.yaml:3:3: output '../b' must be a path inside the stage's folder\n"
            "runner.yaml:3:3: output '/etc/x' must be a path inside the stage's folder\n");
}

TEST(Manifest, AReadinessProbeNamesADeclaredPort) {
  EXPECT_EQ(errors_of("runner: toy\nstages:\n  s:\n    kind: service\n    ports: [http]\n    argv: [x]\n    ready: {port: htp, get: [/]}\n"),
            "runner.yaml:3:3: stage 's' has no port 'htp'; did you mean 'http'?\n");
}

}  // namespace
}  // namespace orch::runner
