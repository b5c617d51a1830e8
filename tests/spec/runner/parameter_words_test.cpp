#include "spec/runner/list_manifest.hpp"
#include "spec/runner/support.hpp"

namespace orch::runner {
namespace parameter_words_test {

const Manifest& toy() {
  static const Manifest k_toy = manifest_of(R"(runner: toy
versions: {parameter: v, of: Tool, rows: {1.0.0: verified, 1.1.0: verified, 2.0.0: verified}}
parameters:
  v: {type: version, default: 1.0.0}
  isl: {type: integer, min: 1, max: 9, unit: tokens, default: 4}
  weights: {type: path, optional: true}
  precision: {type: text, values: [fp16, {value: nvfp4, since: 2.0.0}]}
  text: {type: text, default: ''}
  num: {type: integer, sql: 2 * isl}
  cache: {type: text, default: on, since: 1.1.0, until: 2.0.0}
  new: {type: integer, since: 2.0.0}
stages:
  make: {kind: task, reads: [isl, precision], argv: [/x], outputs: [a]}
)");
  return k_toy;
}

const matrix::Parameter& parameter(std::string_view name) {
  for (const matrix::Parameter& one : toy().parameters)
    if (one.name == name) return one;
  ADD_FAILURE() << name;
  return toy().parameters.front();
}

TEST(ParameterWords, TypesNameLimitsUnitsAndValuesThatNotEveryVersionHas) {
  EXPECT_EQ(type_words(parameter("isl")), "integer (tokens), at least 1, at most 9");
  EXPECT_EQ(type_words(parameter("weights")), "path");
  EXPECT_EQ(type_words(parameter("precision")), "text, one of fp16, nvfp4 (from 2.0.0 on)");
}

TEST(ParameterWords, DefaultsAreThoseOfTheManifest) {
  EXPECT_EQ(default_words(parameter("isl")), "4");
  EXPECT_EQ(default_words(parameter("text")), "''");
  EXPECT_EQ(default_words(parameter("num")), "SQL: 2 * isl");
  EXPECT_EQ(default_words(parameter("precision")), "none");
  EXPECT_EQ(default_words(parameter("weights")), "none, and it may stay without a value");
  EXPECT_EQ(default_words(parameter("cache")), "on") << "not the SQL that `since` makes of it";
}

TEST(ParameterWords, ReleasesAreNamedAndCounted) {
  EXPECT_EQ(release_words(parameter("cache").declared.releases), "from 1.1.0 on, before 2.0.0");
  EXPECT_EQ(release_words(parameter("isl").declared.releases), "");
  EXPECT_EQ(versions_within(parameter("cache").declared.releases, *toy().versions),
            (std::vector<std::string>{"1.1.0"}));
  EXPECT_EQ(versions_within({}, *toy().versions).size(), 3u);
}

TEST(ParameterWords, AParameterIsRequiredIfAStageReadsItAndItHasNoDefault) {
  EXPECT_TRUE(is_required(toy(), parameter("precision")));
  for (const char* name : {"isl", "weights", "num", "new"})
    EXPECT_FALSE(is_required(toy(), parameter(name))) << name;
  EXPECT_EQ(stages_reading(toy(), "isl"), (std::vector<std::string>{"make"}));
  EXPECT_TRUE(stages_reading(toy(), "num").empty());
}

TEST(ParameterWords, AUnitIsForNumbers) {
  EXPECT_EQ(
      errors_of("runner: x\nparameters: {p: {type: text, unit: tokens}}\nstages: {a: {kind: "
                "task, argv: [/x], outputs: [y]}}\n"),
      "runner.yaml:2:36: 'unit' is for numbers, but 'p' is of type text; write it into 'help'\n");
}

}  // namespace parameter_words_test
}  // namespace orch::runner
