// Which run measures the best again, how the same question finds it after an interruption, and what
// its new sessions say.
#include "analysis/best/confirm.hpp"

#include "analysis/best/planted.hpp"

namespace orch::best {
namespace confirm_test {

using testing::ElementsAre;
using testing::HasSubstr;

const Asked k_asked{.maximize = "output_tps"};

class ConfirmTest : public BestTest {
 protected:
  void have_four() {
    have({{.concurrency = 1, .tps = {100}},
          {.concurrency = 2, .tps = {200}},
          {.concurrency = 4, .tps = {400}},
          {.concurrency = 8, .tps = {800}}});
  }
  Result<Confirmation> planned() {
    return new_confirmation(database(), chosen(k_asked).groups.at(0), label_of(k_asked));
  }
  store::RunInfo info_of(const Confirmation& confirmation) {
    store::RunInfo info = sample::run_info();
    info.command = {"orchestrate", "run"};
    info.command.insert(info.command.end(), confirmation.words.begin(), confirmation.words.end());
    return info;
  }
};

TEST(Label, IsThatOfTheQuestion) {
  EXPECT_EQ(label_of(k_asked), label_of({.maximize = "output_tps"}));
  EXPECT_NE(label_of(k_asked), label_of({.minimize = "output_tps"}));
  EXPECT_NE(label_of(k_asked), label_of({.maximize = "output_tps", .subject_to = "tp = 1"}));
}

TEST_F(ConfirmTest, MeasuresTheFirstThreeByTheCommandOfTheirRun) {
  have_four();
  const auto confirmation = planned();
  ASSERT_TRUE(confirmation.ok()) << confirmation.error().text();
  EXPECT_EQ(confirmation->folder, "/home/someone/project");
  EXPECT_THAT(confirmation->words,
              ElementsAre("quick.yaml", "--where",
                          "(\"concurrency\" IS 8) OR (\"concurrency\" IS 4) OR (\"concurrency\" IS "
                          "2)",
                          "--again", sql::quote_text(label_of(k_asked)) + " IS NOT NULL",
                          "--sessions", "3"));
  EXPECT_EQ(confirmation->first_run, 2);
}

TEST_F(ConfirmTest, ReportsNewSessionsOnly) {
  have_four();
  const auto confirmation = planned();
  // The former best was lucky.
  plant(*store_,
        {{.concurrency = 4, .tps = {410, 420, 400}}, {.concurrency = 8, .tps = {300, 310, 305}}},
        info_of(*confirmation));
  const auto choice = confirmed_choice(database(), *question(k_asked), *confirmation);
  ASSERT_TRUE(choice.ok()) << choice.error().text();
  ASSERT_EQ(choice->groups.size(), 1u);
  EXPECT_EQ(order_of(choice->groups[0]), "c4 c8");
  EXPECT_EQ(choice->groups[0].rows[0].row.objective->value, 410);
  EXPECT_EQ(choice->groups[0].rows[0].row.sessions, 3);
  EXPECT_FALSE(choice->groups[0].rows[0].corrected);
  ASSERT_EQ(choice->left_out.size(), 1u);
  EXPECT_EQ(choice->left_out[0].why, "no new measurement is valid");
}

// The session that a point was chosen by counts no more in any later answer.
TEST_F(ConfirmTest, IsWhatALaterAnswerRestsOn) {
  have_four();
  const auto confirmation = planned();
  plant(*store_,
        {{.concurrency = 4, .tps = {410, 420, 400}}, {.concurrency = 8, .tps = {300, 310, 305}}},
        info_of(*confirmation));
  const Group group = chosen(k_asked).groups[0];
  EXPECT_EQ(group.rows[0].row.objective->value, 410);
  EXPECT_EQ(group.rows[0].row.sessions, 3);
  EXPECT_TRUE(group.rows[0].row.confirmed);
  EXPECT_THAT(told(k_asked), HasSubstr("by the sessions of --confirm"));
  EXPECT_EQ(group.rows.back().row.sessions, 1) << "not among those that were measured again";
}

TEST_F(ConfirmTest, LeavesOutWhatBreaksTheConditionInTheNewSessions) {
  have_four();
  const Asked asked{.maximize = "output_tps", .subject_to = "ttft_ms_p99 < 50"};
  const auto confirmation =
      new_confirmation(database(), chosen(asked).groups.at(0), label_of(asked));
  plant(*store_, {{.concurrency = 8, .tps = {800, 810, 805}, .p99 = 57}}, info_of(*confirmation));
  const auto choice = confirmed_choice(database(), *question(asked), *confirmation);
  ASSERT_TRUE(choice.ok());
  EXPECT_TRUE(choice->groups.empty());
  EXPECT_THAT(choice->left_out[0].why,
              HasSubstr("breaks ttft_ms_p99 < 50 in the new sessions: 57"));
}

TEST_F(ConfirmTest, IsContinuedByTheSameQuestionUntilItHasEnded) {
  have_four();
  const auto confirmation = planned();
  const auto unfinished = [&](const Asked& asked) {
    const auto found = unfinished_confirmation(database(), label_of(asked));
    return found.ok() ? *found : std::nullopt;
  };
  EXPECT_FALSE(unfinished(k_asked));
  sample::Driver interrupted(*store_, sample::make_plan({.concurrencies = {4, 8}, .repeats = 3}),
                             info_of(*confirmation));
  interrupted.commit();
  interrupted.finish(store::Outcome::interrupted);
  ASSERT_TRUE(unfinished(k_asked));
  EXPECT_TRUE(unfinished(k_asked)->continued);
  EXPECT_EQ(unfinished(k_asked)->words, confirmation->words);
  EXPECT_EQ(unfinished(k_asked)->first_run, 2);
  ASSERT_EQ(unfinished(k_asked)->rows.size(), 2u);
  EXPECT_EQ(unfinished(k_asked)->rows[0].point, "tiny_c4-aaaaaa");
  EXPECT_FALSE(unfinished({.minimize = "ttft_ms"})) << "another question";
  sample::Driver resumed(*store_, sample::make_plan({.concurrencies = {4, 8}, .repeats = 3}),
                         info_of(*confirmation));
  resumed.commit();
  resumed.finish(store::Outcome::done);
  EXPECT_FALSE(unfinished(k_asked));
}

TEST_F(ConfirmTest, NeedsARunOfThisProgram) {
  database();
  store::RunInfo info = sample::run_info();
  info.command = {"orchestrate", "import", "old.json"};
  plant(*store_, {{.concurrency = 1, .tps = {100}}}, info);
  const auto confirmation = planned();
  ASSERT_FALSE(confirmation.ok());
  EXPECT_THAT(confirmation.error().text(), HasSubstr("did not come from `orchestrate run`"));
}

}  // namespace confirm_test
}  // namespace orch::best
