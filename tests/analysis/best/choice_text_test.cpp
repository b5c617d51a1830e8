// The answer in words and as data.
#include "analysis/best/choice.hpp"
#include "analysis/best/planted.hpp"

namespace orch::best {
namespace choice_text_test {

using testing::HasSubstr;
using testing::Not;

class ChoiceTextTest : public BestTest {
 protected:
  const Asked asked_{.maximize = "output_tps", .subject_to = "ttft_ms_p99 < 50"};
  void have_three() {
    have({{.concurrency = 1, .tps = {100, 102, 99}, .p99 = 20, .p99_low = 18, .p99_high = 24},
          {.concurrency = 4, .tps = {300, 310, 296}, .p99 = 44, .p99_low = 38, .p99_high = {}},
          {.concurrency = 8, .tps = {301, 305, 302}, .p99 = 70, .p99_low = 60, .p99_high = 80}});
  }
};

TEST_F(ChoiceTextTest, IsATableWithMarksAndEndsWithTheCommandThatMakesItAgain) {
  have_three();
  const std::string text =
      told(asked_, {.store_option = " --store 'my store'", .command = "orchestrate best ..."});
  EXPECT_THAT(text, HasSubstr("Highest output_tps (tokens/s), subject to ttft_ms_p99 < 50\n"));
  EXPECT_THAT(text, HasSubstr("best; may break ttft_ms_p99 < 50: 44 (≥ 41)"));
  EXPECT_THAT(text,
              HasSubstr("The best that meets the condition over its entire intervals: tiny_c1-"));
  EXPECT_THAT(text, HasSubstr("1 configuration breaks the condition.\n"));
  EXPECT_THAT(text, HasSubstr("orchestrate best ... --confirm\n"));
  EXPECT_TRUE(text.ends_with("orchestrate reproduce tiny_c4-aaaaaa --store 'my store'\n")) << text;
}

TEST_F(ChoiceTextTest, SaysThatTheBestIsPartlyLuck) {
  have({{.concurrency = 1, .tps = {100}, .half = 10},
        {.concurrency = 4, .tps = {110}, .half = 10},
        {.concurrency = 8, .tps = {105}, .half = 10}});
  const std::string text = told({.maximize = "output_tps"});
  EXPECT_THAT(text,
              HasSubstr("The best of 3 that cannot be told apart is partly the luckiest: 110 was "
                        "measured, 105 is to be expected; how its server varies from start to "
                        "start is unknown"));
  EXPECT_THAT(text, HasSubstr("not separated from the best"));
}

TEST_F(ChoiceTextTest, SaysThatABestWithoutAnIntervalIsNotCorrected) {
  have({{.concurrency = 1, .tps = {100}},
        {.concurrency = 4, .tps = {110}},
        {.concurrency = 8, .tps = {105}},
        {.concurrency = 16, .tps = {120}, .half = 0}});
  EXPECT_THAT(told({.maximize = "output_tps"}),
              HasSubstr("Its figure is not corrected for that: it has no interval, because"));
}

TEST_F(ChoiceTextTest, SaysThatTheBestOfTwoIsNotCorrected) {
  have({{.concurrency = 1, .tps = {100}, .half = 9}, {.concurrency = 4, .tps = {110}, .half = 9}});
  EXPECT_THAT(
      told({.maximize = "output_tps"}),
      HasSubstr("The best of 2 that cannot be told apart is partly the luckiest. Its figure "
                "is not corrected for that: fewer than three of them have an interval"));
}

TEST_F(ChoiceTextTest, SaysWhatAPriceAssumes) {
  have_three();
  Asked asked = asked_;
  asked.per = "cost";
  asked.prices = {.machine_hour = 0.4, .output_token_weight = 4, .currency = "USD"};
  const std::string text = told(asked);
  EXPECT_THAT(text, HasSubstr("USD per 1M output"));
  EXPECT_THAT(text, HasSubstr("Price: 0.4 USD per hour for the machine, under full load all the "
                              "time. An output token is charged as 4 input tokens. There is no "
                              "goodput"));
}

TEST_F(ChoiceTextTest, EscapesTextsOfTheStoreInEveryForm) {
  have({{.concurrency = 1, .tps = {100}}});
  auto asked_for = *question({.maximize = "output_tps"});
  Choice choice = chosen({.maximize = "output_tps"});
  choice.groups[0].rows[0].row.point = "a\x1b[31m|<b>`$(reboot)`\n";
  const std::string text = choice_text(asked_for, choice, {.markdown = true});
  EXPECT_THAT(text, HasSubstr("| a\\\\x1b\\[31m\\|\\<b\\>\\`$\\(reboot\\)\\`\\\\n |"));
  EXPECT_THAT(text, Not(HasSubstr("`\n'"))) << "a line of a name would end the fence";
  EXPECT_TRUE(choice_text(asked_for, choice, {})
                  .ends_with("orchestrate reproduce 'a\\x1b[31m|<b>`$(reboot)`\\n'\n"));
  const auto parsed = nlohmann::json::parse(choice_json(asked_for, choice, {}));
  EXPECT_EQ(parsed["groups"][0]["rows"][0]["point"], "a\x1b[31m|<b>`$(reboot)`\n");
  EXPECT_THAT(choice_csv(asked_for, choice), HasSubstr("\"a\x1b[31m|<b>`$(reboot)`\n\""));
}

TEST_F(ChoiceTextTest, InMarkdownTheConditionIsTextAsWell) {
  have_three();
  Asked asked = asked_;
  asked.subject_to = "ttft_ms_p99 < 50 AND point <> '<img src=x>|![a](http://b)'";
  const Choice choice = chosen(asked);
  const std::string text = choice_text(*question(asked), choice, {.markdown = true});
  EXPECT_THAT(text, HasSubstr("\\<img src=x\\>\\|\\!\\[a\\]"));
  EXPECT_THAT(choice_text(*question(asked), choice, {}), HasSubstr("<img src=x>"));
}

TEST_F(ChoiceTextTest, AsDataHasEveryDigitAndReason) {
  have_three();
  const auto asked_for = *question(asked_);
  const Choice choice = chosen(asked_);
  const auto parsed = nlohmann::json::parse(choice_json(asked_for, choice, {}));
  EXPECT_EQ(parsed["question"]["better"], "higher");
  EXPECT_EQ(parsed["groups"][0]["rows"][0]["figure"]["value"], 302);
  EXPECT_EQ(parsed["groups"][0]["rows"][0]["marks"][0],
            "may break ttft_ms_p99 < 50: 44 (≥ 41); measure 368 or more for an upper limit of p99");
  EXPECT_EQ(parsed["groups"][0]["rows"][1]["against_best"]["separated"], true);
  EXPECT_EQ(parsed["groups"][0]["surely"], "tiny_c1-aaaaaa");
  EXPECT_EQ(parsed["breaking"], 1);
  EXPECT_THAT(choice_csv(asked_for, choice),
              testing::StartsWith("rank,experiment,point,output_tps,output_tps_interval_low,"));
}

TEST_F(ChoiceTextTest, SaysThatNothingQualifies) {
  have_three();
  EXPECT_THAT(told({.maximize = "output_tps", .subject_to = "output_tps > 9999"}),
              HasSubstr("No configuration qualifies.\n\n3 configurations break the condition.\n"));
}

}  // namespace choice_text_test
}  // namespace orch::best
