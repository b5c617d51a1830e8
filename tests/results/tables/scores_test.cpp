// Scores become metrics of their measurement, are in the record of its run, and take the place of
// earlier ones.
#include "results/tables/scores.hpp"

#include "core/base/fields_json.hpp"
#include "results/score/score_targets.hpp"
#include "results/store/rebuild.hpp"
#include "results/store/sample.hpp"

namespace orch {
namespace scores_test {

using namespace sample;

tables::Scored scored(const std::string& token, double mean, const std::string& scorer = "f1") {
  tables::Scored out{.token = token,
                     .ordinal = 0,
                     .scorer = scorer,
                     .version = "1",
                     .digest = "d1",
                     .answers_sha256 = "a1",
                     .references = "/data/qa.jsonl",
                     .references_sha256 = "r1",
                     .without_reference = 2,
                     .without_score = 1,
                     .unanswered = 3,
                     .prompts = 1,
                     .at = 1'700'000'500,
                     .metric = {.name = "score_" + scorer, .mean = mean, .statistics = {}},
                     .scores = {{2, mean}}};
  out.metric.statistics[Statistic::n] = 1;
  out.metric.statistics[Statistic::interval_low] = mean / 2;
  out.metric.statistics[Statistic::interval_high] = 1;
  return out;
}

class Scores : public testing::Test {
 protected:
  Scores() { complete_run(folder_.path(), {.concurrencies = {1}}); }
  std::string token() {
    return rows(folder_.path(), "SELECT token FROM attempt ORDER BY id DESC")[0];
  }
  void write(const tables::Scored& one) {
    store::Store store = open_store(folder_.path());
    const Status written = score::write_scores(store, {one});
    ASSERT_TRUE(written.ok()) << written.error().text();
  }
  Rows ask(const std::string& sql) { return rows(folder_.path(), sql); }

  const TemporaryFolder folder_;
};

Value fact(const std::string& text) { return parse_value(text).value_or(Value()); }

TEST_F(Scores, are_metrics_of_the_row_beside_those_that_were_measured) {
  write(scored(token(), 0.5));
  EXPECT_EQ(
      ask("SELECT ttft_ms, score_f1, score_f1_interval_low, score_f1_interval_high FROM results"),
      Rows{"10.0|0.5|0.25|1.0"});
  EXPECT_EQ(ask("SELECT ttft_ms, score_f1 FROM results_all"), Rows{"10.0|0.5"});
  EXPECT_EQ(ask("SELECT scorer, score, prompts, without_reference, without_score, unanswered, "
                "scorer_version, scorer_digest, references_file, references_sha256, scored_at FROM "
                "scores"),
            Rows{"f1|0.5|1|2|1|3|1|d1|/data/qa.jsonl|r1|2023-11-14T22:21:40Z"});
  EXPECT_EQ(ask("SELECT idx, scorer, score FROM answer_scores"), Rows{"0|f1|0.5"});
}

TEST_F(Scores, of_the_same_name_take_the_place_of_earlier_ones) {
  write(scored(token(), 0.5));
  write(scored(token(), 0.25));
  write(scored(token(), 1, "exact"));
  EXPECT_EQ(ask("SELECT score_f1, score_exact FROM results"), Rows{"0.25|1.0"});
  EXPECT_EQ(ask("SELECT count(*) FROM scores"), Rows{"2"});
}

TEST_F(Scores, against_different_references_are_marked_in_their_row) {
  write(scored(token(), 0.5));
  write(scored(token(), 1, "exact"));
  const Rows before = ask("SELECT warnings FROM results");
  tables::Scored other = scored(token(), 0.25);
  other.references = "/data/answers.jsonl", other.references_sha256 = "r2";
  write(other);
  const std::string mark =
      "scores against different references: score_exact against /data/qa.jsonl (r1), score_f1 "
      "against /data/answers.jsonl (r2)";
  EXPECT_EQ(before[0].find("different references"), std::string::npos);
  EXPECT_NE(ask("SELECT warnings FROM results")[0].find(mark), std::string::npos);
  other.references_sha256 = "";  // a scorer that needs none
  write(other);
  EXPECT_EQ(ask("SELECT warnings FROM results"), before);
}

TEST_F(Scores, are_there_again_when_the_database_is_rebuilt_from_the_records) {
  write(scored(token(), 0.5));
  const Rows before = ask("SELECT * FROM scores");
  const auto rebuilt = store::rebuild(real_host(), folder_.path(), {});
  ASSERT_TRUE(rebuilt.ok()) << rebuilt.error().text();
  EXPECT_EQ(ask("SELECT * FROM scores"), before);
  EXPECT_EQ(ask("SELECT ttft_ms, score_f1 FROM results"), Rows{"10.0|0.5"});
}

TEST_F(Scores, of_a_measurement_that_is_not_here_are_left_out) {
  write(scored("no-such-token", 0.5));
  EXPECT_EQ(ask("SELECT count(*) FROM scores"), Rows{"0"});
}

TEST(ScoreOverRepeats, is_no_narrower_than_one_repeat_because_the_prompts_are_the_same) {
  measure::Repeat one{.session = 1, .mean = 0.5, .statistics = {}};
  one.statistics[Statistic::n] = 100;
  one.statistics[Statistic::interval_low] = 0.4;
  one.statistics[Statistic::interval_high] = 0.6;
  measure::Repeat other = one;
  other.session = 2;
  other.mean = 0.7;
  other.statistics[Statistic::interval_low] = 0.6;
  other.statistics[Statistic::interval_high] = 0.8;
  const measure::Repeat both = tables::score_over_repeats(std::vector{one, other});
  EXPECT_DOUBLE_EQ(*both.mean, 0.6);
  EXPECT_DOUBLE_EQ(*both.statistics[Statistic::interval_low], 0.5);
  EXPECT_DOUBLE_EQ(*both.statistics[Statistic::interval_high], 0.7);
  EXPECT_DOUBLE_EQ(*both.statistics[Statistic::n], 100);
}

TEST(ScoredFact, is_read_as_it_was_written) {
  const tables::Scored one = scored("t", 0.1);
  const auto read = tables::parse_scored(fact(tables::to_fact(one)));
  ASSERT_TRUE(read.ok()) << read.error().text();
  EXPECT_EQ(tables::to_fact(*read), tables::to_fact(one));
}

TEST(ScoredFact, with_a_name_that_is_no_column_is_refused) {
  for (const char* name : {"", "F1", "f1 --", "a\"b"}) {
    tables::Scored one = scored("t", 0.1);
    one.scorer = name;
    one.metric.name = fmt::format("score_{}", name);
    const auto read = tables::parse_scored(fact(tables::to_fact(one)));
    ASSERT_FALSE(read.ok()) << name;
    EXPECT_THAT(read.error().message, testing::HasSubstr("is not a name of a scorer"));
  }
  EXPECT_FALSE(tables::parse_scored(fact("{\"scored\": {}}")).ok());
  tables::Scored one = scored("t", 0.1);
  one.metric.name = "ttft_ms";  // would overwrite a measured metric
  EXPECT_FALSE(tables::parse_scored(fact(tables::to_fact(one))).ok());
}

}  // namespace scores_test
}  // namespace orch
