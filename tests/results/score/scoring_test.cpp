// What of a measurement is scored, and its digest.
#include "results/score/scoring.hpp"

#include "results/score/support.hpp"

namespace orch::score {
namespace scoring_test {

KeptAnswer kept(std::int64_t idx, const std::string& prompt, const std::string& text) {
  return {.line = idx + 2, .idx = idx, .prompt = "text " + prompt, .text = prompt, .answer = text};
}

ReferenceFile file(const std::string& text) {
  return {.path = "qa.jsonl", .sha256 = "r", .references = *References::read(text, "qa.jsonl")};
}

TEST(Paper, HasTheAnswersThatHaveAReference) {
  const KeptAnswers answers{.answers = {kept(0, "one?", "1"), kept(1, "other?", "2")}};
  const ReferenceFile one = file("{\"input\": \"one?\", \"output\": \"1\"}");
  const Target target{.point = "p7"};
  const Paper paper(target, answers, &one);
  ASSERT_EQ(paper.questions().size(), 1u);
  EXPECT_EQ(paper.questions()[0].id, 2);
  EXPECT_EQ(paper.without_reference(), 1);
  const Paper all(target, answers, nullptr);
  ASSERT_EQ(all.questions().size(), 2u);
  EXPECT_EQ(all.questions()[1].idx, 1);
  EXPECT_EQ(all.questions()[1].point, "p7");
}

TEST(Paper, HasAnotherDigestForAnotherPromptAnswerOrReference) {
  const ReferenceFile one = file("{\"input\": \"one?\", \"output\": \"1\"}");
  const ReferenceFile two = file("{\"input\": \"one?\", \"output\": \"2\"}");
  const Target target;
  const auto digest = [&](const std::string& answer, const ReferenceFile& references) {
    const KeptAnswers answers{.answers = {kept(0, "one?", answer)}};
    return Paper(target, answers, &references).digest();
  };
  EXPECT_EQ(digest("1", one), digest("1", one));
  EXPECT_NE(digest("1", one), digest("2", one));
  EXPECT_NE(digest("1", one), digest("1", two));
}

}  // namespace scoring_test
}  // namespace orch::score
