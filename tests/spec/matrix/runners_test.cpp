#include "spec/matrix/runners.hpp"

#include "spec/matrix/expand.hpp"

#include <gmock/gmock.h>

namespace orch::matrix {
namespace runners_test {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Parameter number(const std::string& name) {
  Parameter parameter;
  parameter.name = name;
  parameter.type = Type::integer;
  parameter.optional = true;
  return parameter;
}

ModelFact fact(const std::string& name) {
  ModelFact fact;
  fact.column = number(name);
  return fact;
}

// Two runners: both have `isl`, one `tape`, the other `reels`.
std::vector<Vocabulary> vocabularies() {
  Vocabulary one{.runner = "one",
                 .parameters = {number("isl"), number("tape")},
                 .rules = {},
                 .read = {"isl", "tape"},
                 .stages = {"make", "pack"},
                 .model_facts = {fact("model_heads")},
                 .questions = {}};
  Vocabulary two{.runner = "two",
                 .parameters = {number("isl"), number("reels")},
                 .rules = {},
                 .read = {"isl", "reels"},
                 .stages = {"make"},
                 .model_facts = {fact("model_layers")},
                 .questions = {}};
  return {one, two};
}

struct Divided {
  Matrix matrix;
  std::vector<Share> shares;
  std::vector<std::string> errors;
};

Divided divide(const std::string& yaml) {
  Divided divided;
  Errors errors;
  divided.matrix = parse_matrix("name: a\nrunner: one\n" + yaml, "m.yaml", errors);
  auto all = vocabularies();
  all.resize(runners_of(divided.matrix).size());
  divided.shares = share_out(divided.matrix, all, errors);
  for (const Error& error : errors) divided.errors.push_back(error.text());
  return divided;
}

std::vector<std::string> names_of(const Matrix& matrix) {
  std::vector<std::string> names;
  for (const NamedRunner& runner : runners_of(matrix))
    names.push_back(fmt::format("{} {}", runner.name, to_string(runner.where)));
  return names;
}

// The names of the points of SHARE, without their digits.
std::vector<std::string> points_of(const Share& share) {
  Errors errors;
  const Expansion expansion = expand(share.matrix, share.vocabulary, {}, errors);
  for (const Error& error : errors) ADD_FAILURE() << error.text();
  std::vector<std::string> names;
  for (const Point& point : expansion.points)
    names.push_back(point.name.substr(0, point.name.rfind('-')));
  return names;
}

TEST(RunnersOf, TheDefaultIsFirstAndEachIsNamedOnce) {
  EXPECT_THAT(
      names_of(divide("axes: {a: [{runner: two, reels: 1}, {runner: two, reels: 2}]}\n").matrix),
      ElementsAre("one m.yaml:2:9", "two m.yaml:3:21"));
  EXPECT_THAT(names_of(divide("include: [{runner: two}]\n").matrix),
              ElementsAre("one m.yaml:2:9", "two m.yaml:3:20"));
}

TEST(ShareOut, AMatrixWithoutOtherRunnersIsOneShareAsItIs) {
  const Divided divided = divide("axes: {isl: [1, 2]}\ndefaults: {one: {tape: 3}}\n");
  EXPECT_THAT(divided.errors, IsEmpty());
  ASSERT_EQ(divided.shares.size(), 1u);
  EXPECT_EQ(divided.shares[0].vocabulary.find("runner"), nullptr);
  ASSERT_EQ(divided.shares[0].matrix.defaults.size(), 1u);
  EXPECT_EQ(divided.shares[0].matrix.defaults[0].first, "tape");
  EXPECT_FALSE(has_runner_axis(divided.matrix));
}

TEST(ShareOut, ARunnerThatNoPointMayHaveHasNoShare) {
  const Divided divided = divide("axes: {runner: [two], isl: [1]}\n");
  ASSERT_EQ(divided.shares.size(), 1u);
  EXPECT_EQ(divided.shares[0].runner, 1u);
  EXPECT_THAT(points_of(divided.shares[0]), ElementsAre("two_isl1"));
}

TEST(ShareOut, AnEntryOfIncludeAloneMayNameARunner) {
  const Divided divided = divide("axes: {isl: [1, 2]}\ninclude: [{runner: two, reels: 5}]\n");
  ASSERT_EQ(divided.shares.size(), 2u);
  EXPECT_THAT(points_of(divided.shares[0]), ElementsAre("isl1", "isl2"));
  EXPECT_THAT(points_of(divided.shares[1]), ElementsAre("isl1_two_reels5", "isl2_two_reels5"));
}

TEST(ShareOut, AnEntryThatReplacesTheAxisOfRunnersIsOfTheDefault) {
  const Divided divided =
      divide("axes: {a: [{tape: 1}, {runner: two, reels: 1}]}\ninclude: [{tape: 9}]\n");
  EXPECT_THAT(divided.errors, IsEmpty());
  EXPECT_THAT(points_of(divided.shares[0]), ElementsAre("tape1", "tape9"));
  EXPECT_THAT(points_of(divided.shares[1]), ElementsAre("two_reels1"));
}

TEST(ShareOut, FactsAndProvidedStagesGoToTheRunnersThatHaveThem) {
  const Divided divided = divide(
      "axes: {runner: [one, two], isl: [1]}\nmodels: {m: {source: 'local:x', facts: {heads: 2, "
      "model_layers: 3, nothing: 4}}}\nprovide: {make: /a, pack: /b, none: /c}\n");
  const auto facts = [&](std::size_t share) {
    std::vector<std::string> names;
    for (const auto& [name, value] : divided.shares[share].matrix.models.at("m").facts)
      names.push_back(name);
    return names;
  };
  EXPECT_THAT(facts(0), ElementsAre("heads", "nothing"));
  EXPECT_THAT(facts(1), ElementsAre("model_layers", "nothing"));
  EXPECT_EQ(divided.shares[0].matrix.provide.size(), 3u);
  ASSERT_EQ(divided.shares[1].matrix.provide.size(), 2u);  // what no runner has is reported later
  EXPECT_EQ(divided.shares[1].matrix.provide[0].stage, "make");
}

TEST(ShareOut, NamesOfOtherRunnersHaveNoValue) {
  const Divided divided = divide(
      "axes: {runner: [one, two], isl: [1, 2]}\nexclude:\n"
      "  - runner = 'two' and isl = 1 and reels is null\n"
      "  - coalesce(model_layers, tape) > 1\n");
  EXPECT_THAT(points_of(divided.shares[0]), ElementsAre("one_isl1", "one_isl2"));
  EXPECT_FALSE(divided.shares[1].vocabulary.find("tape")->fallback);
}

TEST(ShareOut, RefusesAParameterThatTheRunnerOfThePointLacks) {
  EXPECT_THAT(divide("axes: {a: [{runner: two, tape: 1}, {runner: one}]}\n").errors,
              ElementsAre("m.yaml:3:32: axis 'a': runner 'two' of these points has no parameter "
                          "'tape'; runner 'one' has it: write it in a map with runner: one, or "
                          "take it out"));
  EXPECT_THAT(
      divide("axes: {runner: [one, two], reels: [1]}\n").errors,
      ElementsAre("m.yaml:3:36: axis 'reels' sets 'reels' for points of all runners, but only "
                  "runner 'two' has it, not one; write it beside runner: two in a map of an axis, "
                  "or under defaults: {two: {reels: VALUE}}"));
}

}  // namespace runners_test
}  // namespace orch::matrix
