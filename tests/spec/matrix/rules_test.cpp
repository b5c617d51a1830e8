// Rules: every broken one rejects a point, or warns and leaves it in the plan.
#include "spec/matrix/support.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace orch::matrix {
namespace rules_test {

using testing::ElementsAre;
using testing::IsEmpty;

Rule rule(std::string name, std::string require, std::string because,
          Rule::Level level = Rule::Level::warn) {
  return {.name = std::move(name),
          .require = std::move(require),
          .because = std::move(because),
          .where = Location{"runner.yaml", 20, 5},
          .level = level};
}

Vocabulary toy_with(std::vector<Rule> rules) {
  Vocabulary toy = toy_vocabulary();
  toy.rules = std::move(rules);
  toy.model_facts = {
      {.column = {.name = "model_heads", .type = Type::integer}, .keys = {"n_head"}}};
  return toy;
}

std::string warnings(const Point& point) {
  std::string text;
  for (const Point::Broken& broken : point.warnings)
    text += fmt::format("{}: {}\n", broken.rule, broken.why);
  return text;
}

TEST(Warnings, explain_the_broken_rule_and_reject_no_point) {
  const Vocabulary toy = toy_with(
      {rule("waiting", "concurrency <= batch_size", "{concurrency} requests for {batch_size}"),
       rule("odd", "isl % 2 = 0", "isl {isl}")});
  const Expanded sweep = expanded(k_head + "axes: {batch_size: [1, 2], isl: [4, 5]}\n", toy);
  ASSERT_EQ(sweep.expansion.points.size(), 4u) << text_of(sweep.errors);
  for (const Point& point : sweep.expansion.points) EXPECT_FALSE(point.is_rejected());
  EXPECT_EQ(warnings(sweep.expansion.points[0]), "waiting: 2 requests for 1\n");
  EXPECT_EQ(warnings(sweep.expansion.points[1]), "waiting: 2 requests for 1\nodd: isl 5\n");
  EXPECT_EQ(warnings(sweep.expansion.points[2]), "");
}

TEST(Warnings, are_one_line_per_rule_with_the_message_of_its_first_point) {
  const Vocabulary toy = toy_with(
      {rule("odd", "isl % 2 = 0", "isl {isl}"),
       rule("waiting", "concurrency <= batch_size", "{concurrency} requests for {batch_size}")});
  const Expanded sweep = expanded(
      k_head +
          "axes: {batch_size: [1, 2], isl: [4, 6, 7]}\nexclude: [batch_size = 2 AND isl = 7]\n",
      toy);
  ASSERT_EQ(sweep.expansion.points.size(), 5u) << text_of(sweep.errors);
  EXPECT_THAT(
      sweep.expansion.warnings,
      ElementsAre("odd: 1 point: isl 7 (" + sweep.expansion.points[2].name + ")",
                  "waiting: 3 points: 2 requests for 1 (" + sweep.expansion.points[0].name + ")"));
}

TEST(Rules, that_do_not_hold_all_reject_a_point) {
  Vocabulary toy = toy_with({rule("odd", "isl % 2 = 0", "isl {isl}"),
                             rule("waiting", "concurrency <= batch_size", "{concurrency}"),
                             rule("small", "isl < 100", "isl {isl}")});
  for (Rule& each : toy.rules) each.level = Rule::Level::reject;
  const Expanded sweep = expanded(k_head + "axes: {batch_size: [1], isl: [5]}\n", toy);
  ASSERT_EQ(sweep.expansion.points.size(), 1u) << text_of(sweep.errors);
  EXPECT_EQ(rejections_text(sweep.expansion.points[0]), "odd: isl 5; waiting: 2");
}

TEST(Rules, without_a_value_on_a_rejected_point_are_no_mistake) {
  Vocabulary toy =
      toy_with({rule("other", "isl <> 5", "five"), rule("share", "osl / (isl - 5) > 1", "share")});
  for (Rule& each : toy.rules) each.level = Rule::Level::reject;
  const Expanded sweep = expanded(k_head + "axes: {isl: [5]}\n", toy);
  EXPECT_EQ(text_of(sweep.errors), "");
  EXPECT_EQ(rejections_text(sweep.expansion.points.at(0)), "other: five");
}

TEST(Notes, are_no_warnings_and_each_text_is_one_line) {
  const Vocabulary toy = toy_with({rule("brings", "isl < 5", "isl {isl}", Rule::Level::note)});
  const Expanded sweep = expanded(k_head + "axes: {batch_size: [1, 2], isl: [4, 5, 6]}\n", toy);
  EXPECT_THAT(sweep.expansion.warnings, IsEmpty());
  EXPECT_THAT(sweep.expansion.notes, ElementsAre("isl 5 (2 points)", "isl 6 (2 points)"));
  for (const Point& point : sweep.expansion.points) EXPECT_FALSE(point.is_rejected());
}

TEST(Warnings, are_not_reported_for_a_rejected_point) {
  const Expanded sweep = expanded(
      k_head,
      toy_with({rule("odd", "isl % 2 = 1", "isl {isl}"),
                rule("never", "isl = 1", "", Rule::Level::reject), rule("even", "isl = 2", "")}));
  ASSERT_EQ(sweep.expansion.points.size(), 1u) << text_of(sweep.errors);
  EXPECT_EQ(sweep.expansion.points[0].rejections.front().rule, "never");
  EXPECT_EQ(warnings(sweep.expansion.points[0]), "");
  EXPECT_THAT(sweep.expansion.warnings, IsEmpty());
}

TEST(Warnings, appear_once_their_fact_is_known_and_never_make_a_point_wait) {
  Rule waiting_rule = rule("gpus", "host_gpus > 1", "{host_gpus} GPUs");
  waiting_rule.when = "model_heads > 4";
  waiting_rule.when_where = Location{"runner.yaml", 21, 5};
  const Vocabulary toy =
      toy_with({rule("heads", "model_heads < 4", "{model_heads} heads"), waiting_rule});
  const Expanded open = expanded(k_head, toy);
  ASSERT_EQ(open.expansion.points.size(), 1u) << text_of(open.errors);
  EXPECT_THAT(open.expansion.points[0].waiting, IsEmpty());
  EXPECT_EQ(warnings(open.expansion.points[0]), "");
  KnownFacts facts;
  facts.models["m"] = {.values = {{"model_heads", {Type::integer, "8"}}}, .complete = true};
  facts.host["host_gpus"] = {Type::integer, "1"};
  const Expanded known = expanded(k_head, toy, {}, facts);
  ASSERT_EQ(known.expansion.points.size(), 1u) << text_of(known.errors);
  EXPECT_EQ(warnings(known.expansion.points[0]), "heads: 8 heads\ngpus: 1 GPUs\n");
}

TEST(Warnings, must_not_be_null) {
  EXPECT_EQ(text_of(expanded(k_head, toy_with({rule("note", "note = 'a'", "")})).errors),
            "runner.yaml:20:5: rule 'note': it is NULL, because 'note' has no value; give it when: "
            "note IS NOT NULL (point x)\n");
}

}  // namespace rules_test
}  // namespace orch::matrix
