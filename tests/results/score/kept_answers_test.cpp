// Each kept answer comes with the prompt that it answers, and what cannot be scored says why.
#include "results/score/kept_answers.hpp"

#include "results/score/support.hpp"

namespace orch::score {
namespace kept_answers_test {

using testing::HasSubstr;

class Kept : public ScoreTest {
 protected:
  Result<KeptAnswers> read(bool needs_prompts = true) {
    store::Store store = open_store(root(), store::Mode::read);
    const auto targets = find_targets(store.database(), {});
    if (!targets) return targets.error();
    return AnswerReader(store.database(), files_, store.layout())
        .read(targets->at(0), needs_prompts);
  }
  std::string error() {
    const auto kept = read();
    return kept ? "" : kept.error().text();
  }
  Result<std::vector<Target>> find(const Selection& selection) {
    store::Store store = open_store(root(), store::Mode::read);
    return find_targets(store.database(), selection);
  }
};

TEST_F(Kept, answers_have_the_prompts_of_their_requests_without_the_warm_up) {
  measure({{"two?", "2"}, {"one?", "eins"}});
  const auto kept = read();
  ASSERT_TRUE(kept.ok()) << kept.error().text();
  ASSERT_EQ(kept->answers.size(), 2u);
  EXPECT_EQ(kept->answers[0].text, "two?");
  EXPECT_EQ(kept->answers[0].answer, "2");
  EXPECT_EQ(kept->answers[1].text, "one?");
  EXPECT_EQ(kept->answers[1].answer, "eins");
  EXPECT_EQ(kept->unanswered, 0);
}

TEST_F(Kept, answers_of_failed_requests_are_counted_and_shift_no_other) {
  measure({{"one?", "broken off", "connection lost"}, {"two?", "2"}});
  const auto kept = read();
  ASSERT_TRUE(kept.ok()) << kept.error().text();
  ASSERT_EQ(kept->answers.size(), 1u);
  EXPECT_EQ(kept->answers[0].text, "two?");
  EXPECT_EQ(kept->unanswered, 1);
}

TEST_F(Kept, prompts_that_were_sent_again_are_found_again) {
  measure({{"one?", "1"}, {"two?", "2"}},
          {.load = {{"block", 0}, {"batch", 1}, {"prompts", {{"reuse", true}}}}});
  store::Store store = open_store(root());
  ASSERT_TRUE(
      store.database().execute("UPDATE request SET idx = 2 WHERE idx = 0 AND warmup = 0").ok());
  const auto targets = find_targets(store.database(), {});
  const auto kept =
      AnswerReader(store.database(), files_, store.layout()).read(targets->at(0), true);
  ASSERT_TRUE(kept.ok()) << kept.error().text();
  EXPECT_EQ(kept->answers[1].idx, 2);
  EXPECT_EQ(kept->answers[1].text, "one?");
}

TEST_F(Kept, answers_that_were_not_kept_are_one_error_with_the_remedy) {
  measure({{"one?", "1"}}, {.with_answers = false});
  EXPECT_THAT(error(), testing::AllOf(HasSubstr("no answer of measurement 1 is kept"),
                                      HasSubstr("without --no-answers")));
}

TEST_F(Kept, several_answers_in_a_text_are_not_told_apart) {
  measure({{"one?", "1"}}, {.load = {{"batch", 4}}});
  EXPECT_THAT(error(), HasSubstr("measure with batch 1"));
}

TEST_F(Kept, prompts_that_were_changed_or_are_gone_are_an_error) {
  measure({{"one?", "1"}});
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root() / "artifacts"))
    if (entry.path().filename() == "prompts.jsonl")
      write_file(entry.path(), "{\"text_input\": \"other?\", \"isl\": 1}\n");
  EXPECT_THAT(error(), testing::AllOf(HasSubstr("are no longer in the store"),
                                      HasSubstr("was changed"), HasSubstr("`orchestrate run`")));
}

TEST_F(Kept, measurements_are_those_of_a_run_or_of_a_condition) {
  measure({{"one?", "1"}}, {.repeats = 2});
  EXPECT_EQ(find({.run = 1, .where = {}})->size(), 2u);
  EXPECT_EQ(find({.run = {}, .where = "repeat = 1"})->size(), 1u);
  EXPECT_THAT(find({.run = 7, .where = {}}).error().text(), HasSubstr("the store has no run 7"));
  EXPECT_THAT(find({.run = {}, .where = "nonsense = 1"}).error().text(),
              HasSubstr("is not a condition over results_all"));
  EXPECT_THAT(find({.run = {}, .where = "ttft_ms > 1e9"}).error().text(),
              HasSubstr("no valid measurement"));
}

TEST_F(Kept, invalid_measurements_are_left_out_whatever_the_condition_is) {
  measure({{"one?", "1"}}, {.repeats = 2});
  {
    store::Store store = open_store(root());
    ASSERT_TRUE(store.database().execute("UPDATE measurement SET valid = 0 WHERE id = 1").ok());
  }
  EXPECT_EQ(find({.run = 1, .where = {}})->size(), 1u);
  EXPECT_EQ(find({.run = {}, .where = "1) OR (1"})->size(), 1u);
}

}  // namespace kept_answers_test
}  // namespace orch::score
