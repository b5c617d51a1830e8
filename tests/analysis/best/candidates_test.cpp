// Which configurations qualify, and why others are left out.
#include "analysis/best/candidates.hpp"

#include "analysis/best/planted.hpp"

namespace orch::best {
namespace candidates_test {

using testing::HasSubstr;

class CandidatesTest : public BestTest {
 protected:
  Candidates read(const Asked& asked) {
    auto out = read_candidates(database(), *question(asked));
    EXPECT_TRUE(out.ok()) << out.error().text();
    return out ? std::move(*out) : Candidates();
  }
};

TEST_F(CandidatesTest, AreMarkedWhereTheIntervalStraddlesTheCondition) {
  have({{.concurrency = 1, .tps = {100}, .p99 = 20, .p99_low = 18, .p99_high = 24},
        {.concurrency = 4, .tps = {200}, .p99 = 44, .p99_low = 38, .p99_high = 61}});
  const auto found = read({.maximize = "output_tps", .subject_to = "ttft_ms_p99 < 50"});
  ASSERT_EQ(found.rows.size(), 2u);
  EXPECT_TRUE(found.rows[0].marks.empty());
  ASSERT_TRUE(found.rows[1].may_break());
  EXPECT_EQ(found.rows[1].marks[0].text, "may break ttft_ms_p99 < 50: 44 (38 to 61)");
}

TEST_F(CandidatesTest, WithoutAnUpperLimitSayWhetherMoreRequestsWouldGiveOne) {
  have({{.concurrency = 1, .tps = {100, 100}, .p99 = 44, .p99_high = {}, .requests = 367},
        {.concurrency = 4, .tps = {200, 200}, .p99 = 44, .p99_high = {}, .requests = 368}});
  const auto found = read({.maximize = "output_tps", .subject_to = "ttft_ms_p99 < 50"});
  ASSERT_EQ(found.rows.size(), 2u);
  EXPECT_THAT(found.rows[0].marks.at(0).text,
              HasSubstr("; measure 368 or more for an upper limit of p99"));
  EXPECT_THAT(
      found.rows[1].marks.at(0).text,
      HasSubstr("; its 368 requests count as fewer than the 368 independent ones that an upper "
                "limit of p99 needs"));
}

TEST_F(CandidatesTest, ThatBreakTheConditionByTheWholeIntervalAreCounted) {
  have({{.concurrency = 1, .tps = {100}, .p99 = 70, .p99_low = 60, .p99_high = 80},
        {.concurrency = 4, .tps = {200}, .p99 = 52, .p99_low = 45, .p99_high = 61}});
  const auto found = read({.maximize = "output_tps", .subject_to = "ttft_ms_p99 < 50"});
  EXPECT_TRUE(found.rows.empty());
  EXPECT_EQ(found.breaking, 1u);
  ASSERT_EQ(found.left_out.size(), 1u);
  EXPECT_EQ(found.left_out[0].why,
            "breaks the condition by its figures, but not by their intervals");
}

TEST_F(CandidatesTest, WhoseStreamArrivedInBurstsSaySo) {
  have({{.concurrency = 1,
         .tps = {100},
         .warning = "the stream arrived in bursts: 38 of 40 events came together"}});
  const Candidate row = read({.maximize = "output_tps"}).rows.at(0);
  ASSERT_EQ(row.marks.size(), 1u);
  EXPECT_EQ(row.marks[0].text, "the stream arrived in bursts: TTFT and ITL are the gateway's");
  EXPECT_TRUE(row.is_sure());
}

TEST_F(CandidatesTest, WithTooFewRequestsForThePercentileAreLeftOut) {
  have({{.concurrency = 1, .tps = {100}, .unsupported = true}, {.concurrency = 4, .tps = {90}}});
  const auto found = read({.maximize = "output_tps", .subject_to = "ttft_ms_p99 < 50"});
  EXPECT_EQ(found.rows.size(), 1u);
  ASSERT_EQ(found.left_out.size(), 1u);
  EXPECT_EQ(found.left_out[0].why,
            "ttft_ms_p99 has too few requests; measure 368 or more for an upper limit of p99");
  // It decides nothing here.
  EXPECT_EQ(read({.maximize = "output_tps"}).rows.size(), 2u);
  // A part that is no comparison reads it as well.
  EXPECT_EQ(
      read({.maximize = "output_tps", .subject_to = "coalesce(ttft_ms_p99, 0) < 50"}).rows.size(),
      1u);
  // So may the goal.
  EXPECT_EQ(read({.maximize = "1 / ttft_ms_p99"}).rows.size(), 1u);
}

TEST_F(CandidatesTest, WithoutAValidMeasurementAreLeftOutWithTheReason) {
  have({{.concurrency = 1, .tps = {100}}, {.concurrency = 4, .tps = {900}, .valid = false}});
  const auto found = read({.maximize = "output_tps"});
  EXPECT_EQ(found.rows.size(), 1u);
  ASSERT_EQ(found.left_out.size(), 1u);
  EXPECT_THAT(found.left_out[0].why, HasSubstr("the client was saturated"));
}

TEST_F(CandidatesTest, ThatWereDisturbedAreMarked) {
  have({{.concurrency = 1,
         .tps = {100},
         .warning = "other programs used 1.4 cores of this host during the window"}});
  const auto found = read({.maximize = "output_tps"});
  ASSERT_EQ(found.rows.size(), 1u);
  ASSERT_EQ(found.rows[0].marks.size(), 1u);
  EXPECT_EQ(found.rows[0].marks[0].kind, Mark::Kind::disturbed);
}

TEST_F(CandidatesTest, WithoutPowerAreLeftOutPerJoule) {
  have({{.concurrency = 1, .tps = {100}}});
  const auto found = read({.maximize = "output_tps", .per = "joule"});
  EXPECT_TRUE(found.rows.empty());
  ASSERT_EQ(found.left_out.size(), 1u);
  EXPECT_THAT(found.left_out[0].why, HasSubstr("power"));
}

TEST_F(CandidatesTest, CostWhatTheServerCosts) {
  have({{.concurrency = 1, .tps = {100}}});
  const auto found = read({.maximize = "output_tps",
                           .per = "cost",
                           .prices = {.machine_hour = 0.36, .output_token_weight = 3}});
  ASSERT_EQ(found.rows.size(), 1u);
  // 0.0001 per second over 100 + 300 / 3 tokens.
  EXPECT_NEAR(found.rows[0].cost->output, 0.5, 1e-9);
  EXPECT_NEAR(*found.rows[0].cost->input, 0.5 / 3, 1e-9);
}

TEST_F(CandidatesTest, SayWhichPartsOfTheConditionWereNotJudged) {
  have({{.concurrency = 1, .tps = {100}}});
  const auto found = read({.maximize = "output_tps",
                           .subject_to = "ttft_ms < 1000 AND ttft_ms_p99 < 2 * ttft_ms + 99 AND "
                                         "model = 'tiny'"});
  EXPECT_EQ(found.not_judged, std::vector<std::string>{"ttft_ms_p99 < 2 * ttft_ms + 99"});
}

TEST_F(CandidatesTest, AreReadByAConditionThatIsOneExpression) {
  have({{.concurrency = 1, .tps = {100}}});
  const auto injected =
      read_candidates(database(), *question({.where = "1) OR (1", .maximize = "output_tps"}));
  ASSERT_FALSE(injected.ok());
  EXPECT_THAT(injected.error().text(), HasSubstr("--where"));
}

TEST(ConditionOfPoints, QuotesNames) {
  const Candidate rows[] = {{.experiment = "e", .point = "it's"},
                            {.experiment = "e", .point = "b"}};
  EXPECT_EQ(condition_of_points(rows), "(experiment = 'e' AND point IN ('it''s', 'b'))");
  EXPECT_EQ(condition_of_points({}), "0");
}

}  // namespace candidates_test
}  // namespace orch::best
