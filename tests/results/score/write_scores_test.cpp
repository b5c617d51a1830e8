// Answers as references for other engines; tests/results/tables has what becomes of scores.
#include "results/score/score_targets.hpp"
#include "results/score/support.hpp"

namespace orch::score {
namespace write_scores_test {

class WrittenReferences : public ScoreTest {};

TEST_F(WrittenReferences, are_the_answers_of_the_side_that_wrote_them) {
  measure({{"two?", "zwei"}, {"one?", "eins"}});
  store::Store store = open_store(root());
  const auto targets = find_targets(store.database(), {});
  AnswerReader reader(store.database(), files_, store.layout());
  const auto text = answers_as_references(reader, *targets);
  ASSERT_TRUE(text.ok()) << text.error().text();
  EXPECT_EQ(*text,
            "{\"output\":[\"eins\"],\"text_input\":\"one?\"}\n"
            "{\"output\":[\"zwei\"],\"text_input\":\"two?\"}\n");
}

}  // namespace write_scores_test
}  // namespace orch::score
