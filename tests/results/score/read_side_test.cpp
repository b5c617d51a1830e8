// A side of a comparison as a store has it.
#include "results/score/answer_difference.hpp"
#include "results/score/score_targets.hpp"
#include "results/score/support.hpp"

namespace orch::score {
namespace read_side_test {

using testing::HasSubstr;

class ReadSide : public ScoreTest {};

TEST_F(ReadSide, HasTheStoredScoresOfItsAnswersAndWhatMayMakeItDiffer) {
  measure({{"two?", "2"}, {"one?", "2"}},
          {.load = {{"concurrency", 8}, {"batch", 1}, {"sampling", {{"temperature", 0.7}}}},
           .repeats = 2});
  store::Store store = open_store(root());
  const auto targets = find_targets(store.database(), {});
  const ScoreReport report = score_targets(store.database(), host(), files_, store.layout(),
                                           {.targets = *targets, .scorers = {same()}});
  std::vector<tables::Scored> fresh;
  for (const ScoreLine& line : report.lines) fresh.push_back(line.scored);
  ASSERT_TRUE(write_scores(store, fresh).ok());
  AnswerReader reader(store.database(), files_, store.layout());
  const auto side = read_side(store.database(), reader, *targets);
  ASSERT_TRUE(side.ok()) << side.error().text();
  ASSERT_EQ(side->answers.size(), 4u);
  EXPECT_EQ(side->answers[0].scores.at("same"), 1);
  EXPECT_EQ(side->answers[1].scores.at("same"), 0);
  EXPECT_EQ(side->scorers.at("same").size(), 1u);
  EXPECT_THAT(fmt::format("{}", fmt::join(side->causes, "; ")),
              testing::AllOf(HasSubstr("concurrency 8"), HasSubstr("temperature 0.7"),
                             HasSubstr("without a random_seed")));
  // A side beside itself: 0 differ.
  const AnswerDifference found = answer_difference(*side, *side, 1);
  EXPECT_DOUBLE_EQ(found.between.share, 1);
  EXPECT_DOUBLE_EQ(found.within_a->share, 1);
  EXPECT_EQ(found.scores.at("same").mean, 0);
}

}  // namespace read_side_test
}  // namespace orch::score
