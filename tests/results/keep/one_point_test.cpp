// The matrix of one point: what it has, and that it expands to that point.
#include "results/keep/reproduce.hpp"
#include "spec/matrix/expand.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace orch::keep {
namespace one_point_test {

using matrix::Type;

matrix::Vocabulary vocabulary() {
  matrix::Vocabulary all;
  all.runner = "toy";
  all.parameters = {
      {.name = "model"},
      {.name = "version", .type = Type::version},
      {.name = "precision"},
      {.name = "isl", .type = Type::integer},
      {.name = "osl", .type = Type::integer, .fallback = matrix::Value{Type::integer, "4"}},
      {.name = "share", .type = Type::real},
      {.name = "flag", .type = Type::boolean},
      {.name = "words", .is_list = true},
      {.name = "cap",
       .type = Type::integer,
       .fallback = matrix::Value{Type::integer, "9"},
       .optional = true}};
  for (const matrix::Parameter& parameter : all.parameters) all.read.push_back(parameter.name);
  return all;
}

constexpr const char* k_matrix = R"yaml(
name: experiment
runner: toy
models:
  tiny: {source: "hf:Qwen/X", revision: main}
  other: {source: "generate:tiny"}
datasets:
  questions: {source: "local:/data/q.jsonl"}
axes:
  model: [tiny, other]
  precision: [f16, "it's \"8\""]
  length: [{isl: 1, osl: 2}, {isl: 3, osl: 4}]
defaults: {version: '0.10', share: 0.5, flag: true, words: [a, "b c"]}
let: {rounds: "2 * isl", cap: "NULL"}
exclude: ["isl = 1 AND precision = 'f16'"]
measure: {warmup: rounds, seed: 7, prompts: questions, goodput: ttft_ms < 5, repeats: {serve: 2}, limits: {wake_lag_ms: 3}, isolation: none, gpu_clock_mhz: 1200}
)yaml";

struct Made {
  matrix::Matrix matrix;
  matrix::Expansion expansion;
  Errors errors;
};

Made expand(const std::string& text) {
  Made made;
  made.matrix = matrix::parse_matrix(text, "m.yaml", made.errors);
  made.expansion = matrix::expand(made.matrix, vocabulary(), {}, made.errors);
  return made;
}

std::string json_of(const matrix::Value& value) {
  return std::visit(
      [](const auto& typed) -> std::string {
        using T = std::decay_t<decltype(typed)>;
        if constexpr (std::is_same_v<T, bool>) return typed ? "true" : "false";
        else if constexpr (!std::is_same_v<T, std::string>) return fmt::format("{}", typed);
        else {
          std::string out = "\"";
          for (const char c : typed)
            out += c == '"' || c == '\\' ? std::string{'\\', c} : std::string(1, c);
          return out + "\"";
        }
      },
      matrix::typed(value));
}

OnePoint recorded(const matrix::Point& point) {
  OnePoint one{.name = point.name, .parameters = {}, .revisions = {}, .remarks = {"a remark"}};
  for (const auto& [name, value] : point.parameters)
    one.parameters.emplace_back(name, json_of(value));
  return one;
}

TEST(OnePointMatrix, expands_to_every_point_of_its_experiment_with_the_same_name_and_values) {
  const Made all = expand(k_matrix);
  ASSERT_TRUE(all.errors.empty()) << all.errors.front().text();
  ASSERT_EQ(all.expansion.points.size(), 6u);
  for (const matrix::Point& point : all.expansion.points) {
    const std::string text = one_point_matrix(all.matrix, vocabulary(), "toy", recorded(point));
    const Made one = expand(text);
    ASSERT_TRUE(one.errors.empty()) << one.errors.front().text() << "\n" << text;
    ASSERT_EQ(one.expansion.points.size(), 1u) << text;
    const matrix::Point& again = one.expansion.points.front();
    EXPECT_EQ(again.name, point.name) << text;
    EXPECT_EQ(again.warmup, point.warmup);
    std::vector<std::string> before, after;
    for (const auto& [name, value] : point.parameters) before.push_back(name + "=" + value.text);
    for (const auto& [name, value] : again.parameters) after.push_back(name + "=" + value.text);
    EXPECT_EQ(after, before) << text;
  }
}

TEST(OnePointMatrix, pins_the_revision_and_keeps_how_it_was_measured) {
  const Made all = expand(k_matrix);
  OnePoint point = recorded(all.expansion.points.front());
  point.revisions["hf:Qwen/X"] = "0123456789012345678901234567890123456789";
  const std::string text = one_point_matrix(all.matrix, vocabulary(), "toy", point);
  EXPECT_THAT(text, testing::StartsWith("# a remark\nname: \"experiment\"\nrunner: \"toy\"\n"));
  EXPECT_THAT(text, testing::HasSubstr("revision: \"0123456789012345678901234567890123456789\"\n"));
  EXPECT_THAT(text, testing::Not(testing::HasSubstr("other"))) << "the point does not name it";
  const Made one = expand(text);
  EXPECT_EQ(one.matrix.measure.seed, 7);
  EXPECT_EQ(one.matrix.measure.serve_repeats, 2);
  EXPECT_EQ(one.matrix.measure.limits.wake_lag_ms, 3);
  EXPECT_EQ(one.matrix.measure.goodput->sql, "ttft_ms < 5");
  EXPECT_EQ(one.matrix.measure.isolation, matrix::Isolation::none);
  EXPECT_EQ(one.matrix.measure.gpu_clock_mhz, 1200);
  EXPECT_EQ(one.matrix.datasets.at("questions").source, "local:/data/q.jsonl");
}

TEST(OnePointMatrix, keeps_what_is_stated_of_the_model_and_of_the_machine) {
  Errors errors;
  const matrix::Matrix all = matrix::parse_matrix(
      "name: a\nrunner: toy\nmodels: {tiny: {source: 'generate:tiny', facts: {heads: 3, kind: "
      "'x'}}}\naxes: {model: [tiny]}\nmachine: {gpus: 8}\n",
      "m.yaml", errors);
  const OnePoint point{
      .name = "p", .parameters = {{"model", "\"tiny\""}}, .revisions = {}, .remarks = {}};
  const std::string text = one_point_matrix(all, vocabulary(), "toy", point);
  EXPECT_THAT(text, testing::HasSubstr("    facts:\n      heads: 3\n      kind: \"x\"\n"));
  EXPECT_THAT(text, testing::HasSubstr("machine:\n  gpus: 8\n"));
}

TEST(OnePointMatrix, a_remark_cannot_leave_its_line) {
  const Made all = expand(k_matrix);
  OnePoint point = recorded(all.expansion.points.front());
  point.remarks = {"one\nrunner: evil"};
  EXPECT_THAT(one_point_matrix(all.matrix, vocabulary(), "toy", point),
              testing::StartsWith("# one\\nrunner: evil\n"));
}

}  // namespace one_point_test
}  // namespace orch::keep
