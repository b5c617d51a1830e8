// Expressions that are evaluated for every point: questions of stages, --where, provide, goodput,
// and the warning about integer divisions.
#include "spec/matrix/support.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace orch::matrix {
namespace ask_test {

using testing::ElementsAre;

Question question(std::string what, std::string sql,
                  Question::Answer answer = Question::Answer::truth) {
  return {.what = std::move(what),
          .sql = std::move(sql),
          .where = Location{"runner.yaml", 30, 11},
          .answer = answer,
          .may_read = {"tp", "note", "host_gpus"}};
}

Vocabulary vocabulary_with(std::vector<Question> questions) {
  Vocabulary toy = toy_vocabulary();
  toy.rules.clear();
  toy.questions = std::move(questions);
  toy.stages = {"download", "build", "serve"};
  return toy;
}

Expanded below_head(const std::string& lines, const Vocabulary& vocabulary = vocabulary_with({}),
                    const std::string& where = {}) {
  return expanded(k_head + lines, vocabulary, {.where = where});
}

std::string errors_below(const std::string& lines,
                         const Vocabulary& vocabulary = vocabulary_with({}),
                         const std::string& where = {}) {
  return text_of(below_head(lines, vocabulary, where).errors);
}

// --- questions

TEST(Question, is_answered_for_every_point_in_order) {
  const Expanded sweep =
      below_head("axes: {tp: [1, 4]}\n",
                 vocabulary_with({question("q", "tp > 1"),
                                  question("n", "tp * 1.5", Question::Answer::number)}));
  ASSERT_EQ(sweep.expansion.points.size(), 2u) << text_of(sweep.errors);
  EXPECT_THAT(sweep.expansion.points[0].answers, ElementsAre(0, 1.5));
  EXPECT_THAT(sweep.expansion.points[1].answers, ElementsAre(1, 6));
}

TEST(Question, may_read_only_declared_parameters) {
  EXPECT_EQ(errors_below("", vocabulary_with({question("'when' of stage 'build'",
                                                       "tp > 1 AND pp * Osl > tpp", {})})),
            "runner.yaml:30:22: 'when' of stage 'build' reads 'pp', which the stage does not "
            "list under 'reads'; add it there\n"
            "runner.yaml:30:27: 'when' of stage 'build' reads 'osl', which the stage does not "
            "list under 'reads'; add it there\n"
            "runner.yaml:30:33: 'when' of stage 'build': unknown name 'tpp'; did you mean 'tp'?\n");
}

TEST(Question, has_an_answer_of_its_type) {
  const auto number = Question::Answer::number;
  EXPECT_EQ(
      errors_below("axes: {tp: [1, 2]}\n",
                   vocabulary_with({question("a", "note = 'x'"), question("b", "note", number),
                                    question("c", "'much'"), question("d", "0 - tp", number),
                                    question("e", "'much'", number)})),
      "runner.yaml:30:11: a: it is NULL, because 'note' has no value; write note IS NOT NULL "
      "AND ... (point tp1 and 1 more)\n"
      "runner.yaml:30:11: b: it is NULL, because 'note' has no value; write coalesce(note, "
      "0) (point tp1 and 1 more)\n"
      "runner.yaml:30:11: c: it gives the text 'much', not true or false; compare it with "
      "something (point tp1 and 1 more)\n"
      "runner.yaml:30:11: d: it gives -1; it must be a number from 0 to 1000000000 (point "
      "tp1 and 1 more)\n"
      "runner.yaml:30:11: e: it gives much; it must be a number from 0 to 1000000000 (point "
      "tp1 and 1 more)\n");
}

// --- --where

TEST(Where, keeps_only_points_where_it_is_true) {
  const Expanded sweep =
      below_head("axes: {tp: [1, 2, 3]}\nexclude: [tp = 1]\ninclude: [{tp: 1, isl: 5}]\n",
                 vocabulary_with({}), "tp <> 2 AND coalesce(note, 1)");
  ASSERT_EQ(sweep.expansion.points.size(), 2u) << text_of(sweep.errors);
  EXPECT_EQ(value_of(sweep.expansion.points[0], "tp"), "3");
  EXPECT_EQ(sweep.expansion.left_out, 1u);
  EXPECT_EQ(sweep.expansion.excluded, 1u);
  const Expansion none = below_head("", vocabulary_with({}), "note = 'a'").expansion;
  EXPECT_EQ(none.points.size(), 0u);
  EXPECT_EQ(none.left_out, 1u);
}

TEST(Where, reports_positions_in_its_own_text) {
  EXPECT_EQ(errors_below("", vocabulary_with({}), "isl = 1 AND preciion = 'f16'"),
            "--where:1:13: --where: unknown name 'preciion'; did you mean 'precision'?\n");
}

TEST(Where, does_not_count_as_reading_an_axis) {
  EXPECT_EQ(errors_below("axes: {note: [a, b]}\n", vocabulary_with({}), "note = 'a'"),
            "m.yaml:5:8: axis 'note': no stage, rule, let or exclude reads note, so its values "
            "would only repeat the same points; take it out\n");
}

// --- provide

TEST(Provide, applies_where_its_when_is_true) {
  const Expanded sweep = below_head(
      "axes: {tp: [1, 2]}\nprovide: {build: [{path: a, when: tp = 1}, {path: b, when: tp = 2}], "
      "serve: c}\n");
  ASSERT_EQ(sweep.expansion.points.size(), 2u) << text_of(sweep.errors);
  EXPECT_THAT(sweep.expansion.points[0].provided, ElementsAre(0, 2));
  EXPECT_THAT(sweep.expansion.points[1].provided, ElementsAre(1, 2));
}

TEST(Provide, refuses_unknown_stages_several_paths_for_a_point_and_null) {
  EXPECT_EQ(
      errors_below("provide: {biuld: x, polish: y}\n"),
      "m.yaml:5:11: provide: runner 'toy' has no stage 'biuld'; did you mean 'build'?\n"
      "m.yaml:5:21: provide: runner 'toy' has no stage 'polish'; it has: download, build, serve\n");
  EXPECT_EQ(errors_below("axes: {tp: [1, 2, 3]}\nprovide: {build: [{path: a, when: tp > 1}, b]}\n"),
            "m.yaml:6:44: provide 'build': the path at m.yaml:6:26 applies to the same points; "
            "give one of them a 'when' that is false there (point tp2 and 1 more)\n");
  EXPECT_EQ(errors_below("provide: {build: {path: a, when: note = 'x'}}\n"),
            "m.yaml:5:34: 'when' of provide 'build': it is NULL, because 'note' has no value; "
            "write note IS NOT NULL AND ... (point x)\n");
}

// --- datasets and goodput

TEST(Dataset, named_by_measure_is_in_every_point) {
  const Expanded sweep =
      below_head("datasets: {d: {source: 'local:a.jsonl'}}\nmeasure: {prompts: d}\n");
  ASSERT_EQ(sweep.expansion.points.size(), 1u) << text_of(sweep.errors);
  EXPECT_EQ(sweep.expansion.points[0].dataset_source, "local:a.jsonl");
}

TEST(Goodput, is_checked_over_the_metrics_of_one_request) {
  EXPECT_THAT(below_head("measure: {goodput: ttft_ms < 500 AND itl_ms < 50}\n").expansion.warnings,
              ElementsAre());
  EXPECT_EQ(errors_below("measure:\n  goodput: >\n    ttft_ms < 500\n    AND ttst_m < isl\n"),
            "m.yaml:8:9: measure.goodput: unknown name 'ttst_m'; did you mean 'ttst_ms'?\n");
}

// --- integer division

TEST(Division, of_integers_that_changes_a_result_warns_with_its_first_point) {
  EXPECT_THAT(
      below_head("axes: {isl: [4, 5, 7]}\nlet:\n  half: isl / 2\n  real: isl / 2.0\n  "
                 "even: 4 / 2\nexclude: [half + real + even > 100]\n")
          .expansion.warnings,
      ElementsAre("m.yaml:7:13: let 'half': an integer division changes the result: it "
                  "gives 2 and not 2.5; write 1.0 * before it for a real division (point isl5)"));
}

}  // namespace ask_test
}  // namespace orch::matrix
