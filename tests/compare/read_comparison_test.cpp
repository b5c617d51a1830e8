// Comparisons that are read from stores.
#include "compare/read_comparison.hpp"

#include "compare/comparison_table.hpp"
#include "compare/planted.hpp"

namespace orch::compare {
namespace {

using planted::plant;
using planted::tps;
using testing::Each;
using testing::HasSubstr;
using testing::Not;

class ReadComparisonTest : public testing::Test {
 protected:
  // The sessions of both experiments, "a" and "b", in turns: a b b a a b.
  void plant_turns(const std::vector<double>& a, const std::vector<double>& b) {
    store::Store store = sample::open_store(folder_.path());
    const auto add = [&](const std::string& name, double value) {
      plant(store, {.experiment = name,
                    .measured = {tps(value), tps(2 * value)},
                    .more = {{"precision", sample::text(name == "a" ? "f16" : "q8")}},
                    .at = at_});
      at_ += 100;
    };
    for (std::size_t i = 0; i < a.size(); ++i) {
      if (i % 2 == 0) add("a", a[i]);
      add("b", b[i]);
      if (i % 2 == 1) add("a", a[i]);
    }
  }
  Result<Answer> read(const Question& question) {
    store::Store store = sample::open_store(folder_.path(), store::Mode::read);
    return read_comparison(store.database(), store.database(), question);
  }
  std::string error(const Question& question) {
    const auto answer = read(question);
    return answer ? "no error" : answer.error().text();
  }

  sample::TemporaryFolder folder_;
  double at_ = 0;
};

TEST_F(ReadComparisonTest, TwoExperimentsAreComparedByTheirSessions) {
  plant_turns({100, 101, 99}, {110, 111, 109});
  const auto answer = read({.a = "a", .b = "b", .metrics = {"output_tps"}, .size = 3});
  ASSERT_TRUE(answer.ok()) << answer.error().text();
  EXPECT_EQ(answer->measurements_a, 6u);
  EXPECT_EQ(answer->comparison.sessions_a, 3u);
  ASSERT_EQ(answer->comparison.overall.size(), 1u);
  EXPECT_EQ(word_of(answer->comparison.overall[0]), "better");
  EXPECT_EQ(summary_of(answer->differences), "single change: precision f16 → q8");
  EXPECT_THAT(verdict_of(*answer), HasSubstr("output_tps better by 10.0 %"));
}

TEST_F(ReadComparisonTest, TwoRunsHaveOneSessionEachAndNoClaim) {
  plant_turns({100}, {110});
  const auto answer = read({.a = "1", .b = "run 2", .metrics = {"output_tps"}});
  ASSERT_TRUE(answer.ok()) << answer.error().text();
  EXPECT_EQ(word_of(answer->comparison.overall[0]), "no claim");
  EXPECT_THAT(verdict_of(answer->comparison.overall[0], answer->comparison),
              HasSubstr("one session"));
}

TEST_F(ReadComparisonTest, ASideWithoutAMeasurementIsAnError) {
  plant_turns({100}, {110});
  EXPECT_THAT(error({.a = "a", .b = "precision = 'int4'"}), HasSubstr("side B"));
  EXPECT_THAT(error({.a = "a", .b = "precision = 'int4'"}), HasSubstr("no measurement"));
}

TEST_F(ReadComparisonTest, ATextThatMeansNothingIsAnErrorOfItsSide) {
  plant_turns({100}, {110});
  EXPECT_THAT(error({.a = "nightli", .b = "b"}), HasSubstr("side A (nightli)"));
  EXPECT_THAT(error({.a = "precison = 'f16'", .b = "b"}), HasSubstr("precision"));
}

TEST_F(ReadComparisonTest, AnUnknownMetricIsAnErrorWithTheClosest) {
  plant_turns({100}, {110});
  EXPECT_THAT(error({.a = "a", .b = "b", .metrics = {"output_tpss"}}), HasSubstr("'output_tps'"));
}

TEST_F(ReadComparisonTest, TheUsualMetricsAreThoseThatTheStoreHas) {
  plant_turns({100, 101}, {110, 111});
  const auto answer = read({.a = "a", .b = "b"});
  ASSERT_TRUE(answer.ok()) << answer.error().text();
  std::vector<std::string> names;
  for (const Row& row : answer->comparison.overall) names.push_back(row.metric);
  EXPECT_THAT(names, testing::Contains("output_tps"));
  EXPECT_THAT(names, testing::Contains("ttft_ms"));
  EXPECT_THAT(names, Not(testing::Contains("energy_j_per_token")));
}

TEST_F(ReadComparisonTest, TheSectionOfAReportHasEveryMetricAndWhatElseDiffers) {
  plant_turns({100, 101, 99}, {110, 111, 109});
  const auto answer = read({.a = "a", .b = "b", .metrics = {"output_tps"}});
  ASSERT_TRUE(answer.ok());
  const page::ComparisonSection section = section_of(*answer);
  EXPECT_EQ(section.title, "experiment a against experiment b");
  ASSERT_FALSE(section.rows.empty());
  EXPECT_EQ(section.rows[0].label, "output_tps over all points");
  EXPECT_EQ(section.rows[0].verdict, "better by 10.0 %");
}

TEST_F(ReadComparisonTest, AnotherStoreIsASideAndItsMachineIsTold) {
  plant_turns({100, 101, 99}, {110, 111, 109});
  const sample::TemporaryFolder other;
  {
    store::Store store = sample::open_store(other.path());
    for (int i = 0; i < 3; ++i)
      plant(store, {.experiment = "a",
                    .measured = {tps(120 + i), tps(240 + i)},
                    .more = {{"precision", sample::text("f16")}},
                    .machine = {{"host", "elsewhere"}, {"cpu_model", "Sample CPU"}},
                    .at = 50.0 + 200 * i});
  }
  store::Store here = sample::open_store(folder_.path(), store::Mode::read);
  store::Store there = sample::open_store(other.path(), store::Mode::read);
  const auto answer = read_comparison(here.database(), there.database(),
                                      {.a = "a", .b = "a", .metrics = {"output_tps"}});
  ASSERT_TRUE(answer.ok()) << answer.error().text();
  EXPECT_EQ(word_of(answer->comparison.overall[0]), "better");
  EXPECT_THAT(answer->differences.confounders,
              testing::Contains(HasSubstr("machine host here → elsewhere")));
}

}  // namespace
}  // namespace orch::compare
