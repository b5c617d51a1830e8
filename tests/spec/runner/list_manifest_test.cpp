#include "spec/runner/list_manifest.hpp"

#include "spec/runner/support.hpp"

#include <nlohmann/json.hpp>

namespace orch::runner {
namespace list_manifest_test {

constexpr const char* k_toy = R"(runner: toy
description: a toy
versions: {parameter: v, of: Tool, rows: {1.0.0: verified, 2.0.0: {evidence: inferred, note: by guess}}}
parameters:
  v: {type: version, default: 1.0.0, help: release of the tool}
  tp: {type: integer, min: 1, unit: ranks, default: 1, help: ranks of a layer}
  size: {type: text, values: [s, {value: l, since: 2.0.0}]}
  a_parameter_with_quite_a_long_name: {type: boolean, optional: true, until: 2.0.0}
facts:
  from: make
  file: config.json
  names: {model_heads: {type: integer, keys: [n_head], absent: 0, help: attention heads}}
rules:
  - {name: whole, require: model_heads % tp = 0, when: tp > 1, because: "{model_heads} heads on {tp}", level: warn}
  - {name: slow, require: tp < 8, because: "{tp} ranks take long to start", level: note}
stages:
  make: {kind: task, help: makes files, reads: [tp, size], argv: [/x], outputs: [config.json]}
  later: {kind: task, needs: [make], when: tp > 1, argv: [/x], outputs: [b]}
)";

TEST(ListManifest, TextHasAHeadAndTheChosenSections) {
  EXPECT_EQ(list_text(manifest_of(k_toy), {.stages = true, .parameters = true}),
            R"(runner toy (runner.yaml)
a toy
2 stages, 4 parameters, 6 rules, 8 facts

versions of Tool (parameter v)
  1.0.0      verified
  2.0.0      inferred: by guess

stages (2)
  make   makes files
         task
  later  task, needs make
         only where tp > 1

parameters (4)
  v                             release of the tool
                                version; default 1.0.0
  tp                            ranks of a layer
                                integer (ranks), at least 1; default 1
  size                          text, one of s, l (from 2.0.0 on); required: it has no default
  a_parameter_with_quite_a_long_name
                                boolean; default none, and it may stay without a value
                                Tool before 2.0.0
)");
}

TEST(ListManifest, RulesHaveTheirReasonAndFactsTheirOrigin) {
  const std::string text = list_text(manifest_of(k_toy), {.rules = true, .facts = true});
  EXPECT_NE(text.find("  whole (warns only)\n    {model_heads} heads on {tp}\n"
                      "    requires model_heads % tp = 0\n    where tp > 1\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("  slow (a note)\n"), std::string::npos) << text;
  EXPECT_NE(text.find("attention heads\n"), std::string::npos) << text;
  EXPECT_NE(text.find("integer; 0 if no source states it; from n_head\n"), std::string::npos)
      << text;
  EXPECT_NE(text.find("host_gpus"), std::string::npos) << text;
  EXPECT_EQ(text.find("parameters ("), std::string::npos) << text;
}

TEST(ListManifest, LongTextsAreWrapped) {
  std::string words;
  for (int i = 0; i < 60; ++i) words += "word ";
  const std::string text =
      list_text(manifest_of("runner: toy\nparameters: {p: {type: text, default: a, help: " + words +
                            "}}\nstages: {a: {kind: task, argv: [/x], outputs: [y]}}\n"),
                {.parameters = true});
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100u) << line;
}

TEST(ListManifest, JsonHasEveryMember) {
  const auto json = nlohmann::json::parse(list_json(
      manifest_of(k_toy), {.stages = true, .parameters = true, .rules = true, .facts = true}));
  EXPECT_EQ(json["name"], "toy");
  EXPECT_EQ(json["versions"]["rows"][1]["note"], "by guess");
  EXPECT_EQ(json["parameters"][1], nlohmann::json::parse(R"({"name": "tp", "type": "integer",
    "help": "ranks of a layer", "unit": "ranks", "min": 1.0, "default": 1, "required": false,
    "optional": false, "read_by": ["make"]})"));
  EXPECT_EQ(json["parameters"][2]["required"], true);
  EXPECT_EQ(json["parameters"][2]["bounded_values"],
            nlohmann::json::parse(R"([{"value": "l", "since": "2.0.0"}])"));
  EXPECT_EQ(json["parameters"][3]["versions"], nlohmann::json::parse(R"(["1.0.0"])"));
  EXPECT_EQ(json["parameters"][3]["until"], "2.0.0");
  EXPECT_EQ(json["rules"].size(), 6u);
  EXPECT_EQ(json["rules"].back()["name"], "slow");
  EXPECT_EQ(json["rules"].back()["level"], "note");
  EXPECT_EQ(json["facts"][0]["keys"], nlohmann::json::parse(R"(["n_head"])"));
  EXPECT_EQ(json["stages"][1]["when"], "tp > 1");
  EXPECT_FALSE(
      nlohmann::json::parse(list_json(manifest_of(k_toy), {.rules = true})).contains("parameters"));
}

TEST(ListManifest, ARunnerWithoutVersionsHasNoRange) {
  EXPECT_EQ(version_range(manifest_of(k_toy)), "Tool 1.0.0 to 2.0.0");
  EXPECT_EQ(version_range(
                manifest_of("runner: x\nstages: {a: {kind: task, argv: [/x], outputs: [y]}}\n")),
            "");
}

}  // namespace list_manifest_test
}  // namespace orch::runner
