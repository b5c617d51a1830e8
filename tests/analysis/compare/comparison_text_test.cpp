// A comparison as text for people.
#include "analysis/compare/comparison_text.hpp"

#include "analysis/compare/planted.hpp"
#include "analysis/compare/selections.hpp"

namespace orch::compare {
namespace comparison_text_test {

using testing::HasSubstr;
using testing::Not;

class AnswerText : public PlantedStore {
 protected:
  std::string text(const std::string& a, const std::string& b, report::Format shape,
                   bool every_point = false) {
    const auto answer =
        read_comparison(database(), database(), {.a = a, .b = b, .metrics = {"output_tps"}});
    EXPECT_TRUE(answer.ok()) << answer.error().text();
    return answer ? answer_text(*answer, shape, every_point) : "";
  }
};

TEST_F(AnswerText, NamesThePointsOfOneSide) {
  plant_usual();
  const std::string out =
      text("quick", "experiment = 'other' AND concurrency = 4", report::Format::table);
  EXPECT_THAT(out, HasSubstr("1 point on both sides"));
  EXPECT_THAT(out, HasSubstr("; 1 only in A: concurrency 1"));
}

TEST_F(AnswerText, SaysHowManyPointsTheOverallDifferenceIsOf) {
  plant_usual();
  EXPECT_THAT(text("quick", "other", report::Format::table),
              HasSubstr("\n3 and 3 server sessions\n"));
  const std::string not_the_last = "experiment = 'quick' AND measurement < 6";
  EXPECT_THAT(text(not_the_last, "other", report::Format::table),
              HasSubstr("\n3 and 3 server sessions; over all points: 1 of 2 (the others have fewer "
                        "sessions)\n"));
}

TEST_F(AnswerText, NamesMetricsWithoutAValue) {
  plant_usual();
  const auto answer =
      read_comparison(database(), database(),
                      {.a = "quick", .b = "other", .metrics = {"output_tps", "runner_version"}});
  ASSERT_TRUE(answer.ok()) << answer.error().text();
  EXPECT_THAT(answer_text(*answer, report::Format::table, false),
              HasSubstr("\nno common point has a value of runner_version\n"));
}

TEST_F(AnswerText, SaysThatTheIntervalOfAScoreIsNotOverQuestions) {
  Selected a = side_of("f16", 1, {1, 1, 1}), b = side_of("q8_0", 2, {1, 1, 1});
  a.metrics[0] = b.metrics[0] = "score_f1";
  Answer answer;
  answer.comparison = compare(a, b, {});
  EXPECT_THAT(answer_text(answer, report::Format::table, false),
              HasSubstr("\nscore_f1: the interval is over server sessions and says nothing about "
                        "questions that were not asked; `--answers` has one over questions\n"));
  plant_usual();
  EXPECT_THAT(text("quick", "other", report::Format::table), Not(HasSubstr("--answers")));
}

TEST_F(AnswerText, HasEveryPointIfAsked) {
  plant_both({.experiment = "quick", .precision = "f16", .tps = {100, 104}},
             {.experiment = "other", .precision = "q8", .tps = {101, 103}});
  EXPECT_THAT(text("quick", "other", report::Format::table), Not(HasSubstr("point  ")));
  EXPECT_THAT(text("quick", "other", report::Format::table, true), HasSubstr("At each point:"));
}

TEST_F(AnswerText, OfMarkdownIsAListAndTables) {
  plant_usual();
  const std::string out = text("quick", "other", report::Format::markdown);
  EXPECT_THAT(out, HasSubstr("- A\\: experiment quick"));
  EXPECT_THAT(out, HasSubstr("| metric |"));
}

TEST_F(AnswerText, FillsTheSectionOfAReport) {
  plant_usual();
  const auto answer = read_comparison(database(), database(), {.a = "quick", .b = "other"});
  ASSERT_TRUE(answer.ok());
  const page::ComparisonSection section = section_of(*answer);
  EXPECT_EQ(section.title, "experiment quick against experiment other");
  ASSERT_FALSE(section.rows.empty());
  EXPECT_EQ(section.rows[0].label, "output_tps over all points");
  EXPECT_EQ(section.rows[0].difference, "+20.0 %");
  EXPECT_EQ(section.rows[0].verdict, "better by 20.0 %");
  EXPECT_THAT(section.rows[0].a, HasSubstr("100"));
  EXPECT_THAT(section.facts, testing::Contains("single change: precision f16 → q8_0"));
}

TEST_F(AnswerText, TakesNamesForTexts) {
  plant_both({.experiment = "quick", .precision = "f16\x1b[2J", .tps = {100, 101}},
             {.experiment = "other",
              .precision = "<img src=x onerror=alert(1)>\n# q8 | x |",
              .tps = {120, 121}});
  for (const auto shape : {report::Format::table, report::Format::markdown}) {
    // Over the precision as what is compared, and as what makes the pair.
    for (const std::string& out :
         {text("quick", "other", shape), text("concurrency = 1", "concurrency = 4", shape, true)}) {
      EXPECT_THAT(out, Not(HasSubstr("\x1b")));
      EXPECT_THAT(out, Not(HasSubstr("\n# q8")));
      if (shape == report::Format::markdown) {
        EXPECT_THAT(out, Not(testing::ContainsRegex("[^\\\\]<img")));
      }
    }
  }
}

}  // namespace comparison_text_test
}  // namespace orch::compare
