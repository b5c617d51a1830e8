// Answers of two sides beside each other, and how they are told.
#include "results/score/answer_difference.hpp"

#include "results/score/support.hpp"

namespace orch::score {
namespace answer_difference_test {

using testing::HasSubstr;
using testing::Not;

SideAnswer answer(const std::string& prompt, const std::string& text,
                  const std::string& point = "p") {
  return {.point = point, .prompt = prompt, .text = prompt, .answer = text, .scores = {}};
}

TEST(Parting, IsAtTheFirstWordAndCharacterThatDiffer) {
  EXPECT_FALSE(parting("same", "same"));
  const auto at = [](const char* a, const char* b) {
    const auto found = parting(a, b);
    return found ? fmt::format("{} {}", found->word, found->character) : "";
  };
  EXPECT_EQ(at("a b c", "a b d"), "3 5");
  EXPECT_EQ(at("house", "horse"), "1 3");
  EXPECT_EQ(at("a house", "a horse b"), "2 5");
  EXPECT_EQ(at("", "a"), "1 1");
  EXPECT_EQ(at("a b", "a b c"), "3 4");
  EXPECT_EQ(at("a b", "a bc"), "2 4");
  EXPECT_EQ(at("\xc3\xa9t\xc3\xa9", "\xc3\xa8t\xc3\xa9"), "1 1");  // within the first character
  EXPECT_EQ(at("x\xc3\xa9y", "x\xc3\xa9z"), "1 3");
}

TEST(AnswerDifference, CountsPromptsOfBothSidesOnly) {
  const Side a{.answers = {answer("1", "x"), answer("2", "y"), answer("3", "z")}};
  const Side b{.answers = {answer("2", "y"), answer("3", "other"), answer("4", "z")}};
  const AnswerDifference found = answer_difference(a, b, 5);
  EXPECT_EQ(found.between.prompts, 2u);
  EXPECT_DOUBLE_EQ(found.between.share, 0.5);
  EXPECT_EQ(found.only_a, 1u);
  EXPECT_EQ(found.only_b, 1u);
  ASSERT_EQ(found.examples.size(), 1u);
  EXPECT_EQ(found.examples[0].b, "other");
  EXPECT_FALSE(found.within_a);
}

TEST(AnswerDifference, PutsWhatASideDiffersFromItselfBesideIt) {
  const Side a{.answers = {answer("1", "x"), answer("1", "x"), answer("2", "y"), answer("2", "z")},
               .causes = {"batching (concurrency 8)"}};
  const Side b{.answers = {answer("1", "x"), answer("2", "y")}};
  const AnswerDifference found = answer_difference(a, b, 0);
  EXPECT_DOUBLE_EQ(found.between.share, 0.75);
  ASSERT_TRUE(found.within_a);
  EXPECT_DOUBLE_EQ(found.within_a->share, 0.5);
  const std::string text = answer_text(found, a, b);
  EXPECT_THAT(text, HasSubstr("A against itself: its repeats are equal for 50 %"));
  EXPECT_THAT(text, HasSubstr("batching (concurrency 8)"));
  EXPECT_THAT(text, HasSubstr("B answered each prompt once"));
}

TEST(AnswerDifference, AnswersOfOtherPointsAreNoRepeats) {
  const Side a{.answers = {answer("1", "x", "p"), answer("1", "y", "q")}};
  EXPECT_FALSE(answer_difference(a, a, 0).within_a);
}

TEST(AnswerDifference, ComparesScoresOfTheSameScorerAndReferencesAlone) {
  Side a{.answers = {answer("1", "x"), answer("2", "y")}}, b = a;
  a.answers[0].scores = {{"f1", 1}, {"old", 1}};
  a.answers[1].scores = {{"f1", 1}};
  b.answers[0].scores = {{"f1", 0.5}, {"old", 1}};
  b.answers[1].scores = {{"f1", 1}};
  a.scorers = {{"f1", {"d"}}, {"old", {"d1"}}, {"mine", {"d"}}};
  b.scorers = {{"f1", {"d"}}, {"old", {"d2"}}};
  const AnswerDifference found = answer_difference(a, b, 0);
  EXPECT_DOUBLE_EQ(found.scores.at("f1").mean, -0.25);
  EXPECT_EQ(found.scores.at("f1").differing, 1u);
  EXPECT_THAT(found.not_compared.at("old"), HasSubstr("different versions"));
  EXPECT_THAT(found.not_compared.at("mine"), HasSubstr("side B has no such scores"));
}

}  // namespace answer_difference_test
}  // namespace orch::score
