// Kept answers to scores: by the dataset, by another file, by a program alone; what was scored
// before is not scored again, and a fault of one scorer loses nothing of another.
#include "results/score/score_targets.hpp"

#include "results/score/support.hpp"

namespace orch::score {
namespace score_targets_test {

using testing::AllOf;
using testing::HasSubstr;

class Targets : public ScoreTest {
 protected:
  ScoreReport run(std::vector<Scorer> scorers, const std::string& references = "",
                  bool without_references = false) {
    store::Store store = open_store(root());
    const auto targets = find_targets(store.database(), {});
    EXPECT_TRUE(targets.ok());
    ScoreReport report = score_targets(store.database(), host(), files_, store.layout(),
                                       {.targets = *targets,
                                        .scorers = std::move(scorers),
                                        .references = references,
                                        .without_references = without_references});
    std::vector<tables::Scored> fresh;
    for (const ScoreLine& line : report.lines)
      if (line.is_new) fresh.push_back(line.scored);
    EXPECT_TRUE(write_scores(store, fresh).ok());
    return report;
  }
  std::string error(const ScoreReport& report) {
    return report.errors.empty() ? "" : report.errors[0].text();
  }
};

TEST_F(Targets, AreScoredAgainstTheDatasetByPromptNotByOrder) {
  measure({{"two?", "2"}, {"one?", "2"}});
  const ScoreReport report = run({same()});
  ASSERT_EQ(report.lines.size(), 1u) << error(report);
  EXPECT_EQ(report.lines[0].scored.metric.mean, 0.5);
  EXPECT_EQ(rows(root(), "SELECT score_same, score_same_n FROM results"), Rows{"0.5|2"});
  EXPECT_EQ(rows(root(), "SELECT idx, score FROM answer_scores ORDER BY idx"),
            (Rows{"0|1.0", "1|0.0"}));
}

TEST_F(Targets, ThatWereScoredBeforeAreNotScoredAgain) {
  measure({{"one?", "1"}});
  EXPECT_TRUE(run({same()}).lines[0].is_new);
  const Rows before = rows(root(), "SELECT * FROM scores");
  const ScoreReport again = run({same()});
  ASSERT_EQ(again.lines.size(), 1u);
  EXPECT_FALSE(again.lines[0].is_new);
  EXPECT_EQ(again.lines[0].scored.metric.mean, 1);
  EXPECT_EQ(rows(root(), "SELECT * FROM scores"), before);
  // Another version of the scorer, and other references, are scored anew.
  Scorer changed = same();
  changed.digest = "other";
  EXPECT_TRUE(run({changed}).lines[0].is_new);
  write_file(folder_.path() / "other.jsonl", "{\"input\": \"one?\", \"output\": \"eins\"}\n");
  const ScoreReport other = run({changed}, (folder_.path() / "other.jsonl").string());
  EXPECT_TRUE(other.lines[0].is_new);
  EXPECT_EQ(other.lines[0].scored.metric.mean, 0);
}

TEST_F(Targets, CountAnswersWithoutReferenceAndLeaveThemOut) {
  measure({{"one?", "1"}, {"three?", "3"}, {"two?", "", "timeout"}});
  const ScoreReport report = run({same()});
  ASSERT_EQ(report.lines.size(), 1u) << error(report);
  EXPECT_EQ(report.lines[0].scored.metric.mean, 1);
  EXPECT_EQ(report.lines[0].scored.without_reference, 1);
  EXPECT_EQ(report.lines[0].scored.unanswered, 1);
}

// A server that answers nothing would else have the best score of all.
TEST_F(Targets, ScoreAnEmptyAnswerAsWrong) {
  measure({{"one?", "1"}, {"two?", ""}, {"one?", ""}, {"two?", "2"}});
  const ScoreReport report = run({same()});
  ASSERT_EQ(report.lines.size(), 1u) << error(report);
  EXPECT_EQ(report.lines[0].scored.metric.mean, 0.5);
  EXPECT_EQ(report.lines[0].scored.unanswered, 0);
  EXPECT_EQ(text_of(report.lines).find("warning"), std::string::npos);
}

TEST_F(Targets, TellWhichShareHasNoScore) {
  measure({{"one?", "1"}, {"three?", "3"}, {"two?", "", "timeout"}});
  EXPECT_THAT(text_of(run({same()}).lines),
              HasSubstr("tiny_c1-aaaaaa by same leaves out 2 answers: 1 from failed requests or "
                        "not kept, 1 without a reference\n"));
}

TEST_F(Targets, AFaultOfOneScorerLosesNothingOfAnother) {
  measure({{"one?", "1"}});
  const ScoreReport report = run({program("broken", "raise SystemExit('no model')"), same()});
  EXPECT_THAT(error(report), HasSubstr("'broken' ended with status 1: no model"));
  ASSERT_EQ(report.lines.size(), 1u);
  EXPECT_EQ(rows(root(), "SELECT score_same FROM results"), Rows{"1.0"});
}

TEST_F(Targets, TheSameFaultOfManyMeasurementsIsOneError) {
  measure({{"other?", "1"}}, {.repeats = 3});
  const ScoreReport report = run({same()});
  EXPECT_EQ(report.errors.size(), 1u);
  EXPECT_THAT(error(report), AllOf(HasSubstr("of its 1 answer, none has a reference"),
                                   HasSubstr("(and 2 other measurements)")));
}

TEST_F(Targets, AProgramMayJudgeWithoutReferences) {
  measure({{"one?", "yes"}}, {.dataset = "{\"input\": \"one?\"}\n"});
  const Scorer length = program("length",
                                "import json, sys\n"
                                "for line in sys.stdin:\n"
                                "    row = json.loads(line)\n"
                                "    assert row['references'] == []\n"
                                "    print(json.dumps({'id': row['id'], 'score': "
                                "len(row['answer'])}))\n");
  const ScoreReport report = run({length}, "", true);
  ASSERT_EQ(report.lines.size(), 1u) << error(report);
  EXPECT_EQ(report.lines[0].scored.metric.mean, 3);
  EXPECT_EQ(run({length}).lines.size(), 0u);
}

TEST_F(Targets, APromptThatIsAnsweredRepeatedlyCountsOnce) {
  measure({{"one?", "1"}, {"one?", "1"}, {"one?", "1"}, {"two?", "x"}});
  EXPECT_EQ(run({same()}).lines[0].scored.metric.mean, 0.5);
  EXPECT_EQ(rows(root(), "SELECT prompts FROM scores"), Rows{"2"});
}

TEST_F(Targets, LinesAreATextWithoutControlCharactersAndJson) {
  ScoreLine line{.point = "p\x1b[2J", .measurement = 3, .is_new = false, .scored = {}};
  line.scored.scorer = "f1";
  line.scored.metric.mean = 0.5;
  EXPECT_THAT(text_of({line}), AllOf(HasSubstr("p\\x1b[2J"), HasSubstr("was scored before")));
  const json parsed = json::parse(json_of({line}));
  EXPECT_EQ(parsed[0]["mean"], 0.5);
  EXPECT_TRUE(parsed[0]["interval_low"].is_null());
}

}  // namespace score_targets_test
}  // namespace orch::score
