// The shape of the schemas. tests/schema/schema_test.py compares them with the parsers.
#include "app/session/site.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace orch::session {
namespace file_schema_test {

using nlohmann::json;

runner::Manifest toy() {
  Errors errors;
  runner::Manifest manifest = runner::parse_manifest(R"(runner: toy
versions: {parameter: v, of: Tool, rows: {1.0.0: verified, 2.0.0: verified}}
parameters:
  model: {type: text}
  v: {type: version, default: 1.0.0}
  tp: {type: integer, min: 1, max: 8, default: 1, help: ranks of a layer}
  level: {type: text, values: [o1, '2', 'true']}
  fast: {type: boolean, default: true, since: 2.0.0}
facts: {from: make, file: c.json, names: {model_heads: {type: integer, keys: [heads]}}}
stages: {make: {kind: task, help: makes files, argv: [/x], outputs: [c.json]}}
)",
                                                     "runner.yaml", errors);
  for (const Error& error : errors) ADD_FAILURE() << error.text();
  return manifest;
}

TEST(FileSchema, IsOfTheDraftThatEditorsRead) {
  for (const std::string& text : {matrix_schema(nullptr), runner_schema(), site_schema()}) {
    const json schema = json::parse(text);
    EXPECT_EQ(schema["$schema"], "http://json-schema.org/draft-07/schema#");
    EXPECT_EQ(schema["additionalProperties"], false);
    for (const auto& [key, value] : schema["properties"].items())
      EXPECT_TRUE(value.contains("description")) << key;
  }
}

TEST(FileSchema, OfAnyRunnerAllowsAnyParameter) {
  const json schema = json::parse(matrix_schema(nullptr));
  EXPECT_FALSE(schema["properties"]["defaults"].contains("properties"));
  EXPECT_FALSE(schema["definitions"].contains("settings"));
}

TEST(FileSchema, KnowsTheParametersOfARunnerWithTheirValuesAndHelp) {
  const runner::Manifest runner = toy();
  const json schema = json::parse(matrix_schema(&runner));
  const json settings = schema["definitions"]["settings"];
  EXPECT_EQ(settings["additionalProperties"], false);
  const json parameters = settings["properties"];
  EXPECT_EQ(parameters.size(), 5u);
  EXPECT_EQ(parameters["tp"], json::parse(R"({"type": ["integer", "null"], "minimum": 1.0,
    "maximum": 8.0,
    "description": "ranks of a layer\n\ninteger, at least 1, at most 8; default 1"})"));
  EXPECT_EQ(parameters["level"]["enum"], json::parse(R"(["o1", 2, "2", true, "true", null])"))
      << "a text in YAML without quotes may be a number to an editor";
  EXPECT_EQ(parameters["fast"]["description"], "boolean; default true; only from 2.0.0 on");
  EXPECT_EQ(schema["properties"]["runner"]["enum"], json::parse(R"(["toy", null])"));
}

TEST(FileSchema, KnowsTheFactsAndStagesOfARunner) {
  const runner::Manifest runner = toy();
  const json schema = json::parse(matrix_schema(&runner));
  const json provide = schema["properties"]["provide"];
  EXPECT_EQ(provide["additionalProperties"], false);
  EXPECT_EQ(provide["properties"]["make"]["description"], "makes files");
  const json facts = schema["definitions"]["model"]["properties"]["facts"];
  EXPECT_TRUE(facts["properties"].contains("heads"));
  EXPECT_TRUE(facts["patternProperties"].contains("^model_(heads)$"));
}

TEST(FileSchema, HasTheLimitsOfTheRows) {
  const json definitions = json::parse(runner_schema())["definitions"];
  EXPECT_EQ(definitions["stage"]["properties"]["ports"]["maxItems"], 16);
  const json range = definitions["resources"]["properties"]["expected_seconds"];
  EXPECT_EQ(range["minItems"], 2);
  EXPECT_EQ(range["maxItems"], 2);
  EXPECT_EQ(definitions["rule"]["properties"]["because"]["minLength"], 1);
  EXPECT_FALSE(definitions["rule"]["properties"]["level"].contains("minLength"));
}

}  // namespace file_schema_test
}  // namespace orch::session
