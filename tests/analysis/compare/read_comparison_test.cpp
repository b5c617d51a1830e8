// Comparisons read from stores: what is compared, what is refused, and where a spread is lent from.
#include "analysis/compare/read_comparison.hpp"

#include "analysis/compare/planted.hpp"
#include "analysis/compare/planted_sessions.hpp"

namespace orch::compare {
namespace read_comparison_test {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class ReadComparison : public PlantedStore {
 protected:
  Answer answer(const Question& question) {
    auto found = read_comparison(database(), database(), question);
    EXPECT_TRUE(found.ok()) << (found.ok() ? "" : found.error().message);
    return found.ok() ? *found : Answer{};
  }
  std::string refusal(const Question& question) {
    const auto found = read_comparison(database(), database(), question);
    return found.ok() ? "" : found.error().message;
  }
};

TEST_F(ReadComparison, is_of_the_measurements_of_both_sides_in_the_usual_metrics) {
  plant_usual();
  const Answer found = answer({.a = "quick", .b = "other"});
  EXPECT_EQ(found.a.measurements, 6u);
  const Comparison& comparison = found.comparison;
  EXPECT_THAT(comparison.pairing.paired_by, ElementsAre("concurrency"));
  EXPECT_EQ(comparison.sessions_a, 3u);
  EXPECT_TRUE(comparison.alternates);
  ASSERT_FALSE(comparison.overall.empty());
  EXPECT_EQ(comparison.overall[0].metric, "output_tps");
  EXPECT_NEAR(*comparison.overall[0].result.difference, 20, 0.1);
  EXPECT_EQ(summary_of(found.differences), "single change: precision f16 → q8_0");
  EXPECT_THAT(verdict_of(found), HasSubstr("output_tps better by 20.0 %"));
}

TEST_F(ReadComparison, says_what_else_differs) {
  plant_both({.experiment = "quick", .precision = "f16", .tps = {100, 101}},
             {.experiment = "other",
              .precision = "q8_0",
              .tps = {120, 121},
              .machine = {{"cpu_model", "Sample CPU"}, {"kernel", "6.2"}, {"gpu_driver", "560"}},
              .version = "0.2.0",
              .started_at = 1'700'100'000});
  const Differences found = answer({.a = "quick", .b = "other"}).differences;
  EXPECT_THAT(found.compared, ElementsAre("precision f16 → q8_0"));
  EXPECT_THAT(found.confounders,
              ElementsAre("machine gpu_driver unknown → 560", "machine kernel 6.1 → 6.2",
                          "orchestrate 0.1.0 → 0.2.0",
                          HasSubstr("time: all sessions of one side came before")));
  EXPECT_THAT(summary_of(found), HasSubstr("change: precision f16 → q8_0; confounded by machine"));
}

TEST_F(ReadComparison, of_one_session_each_borrows_from_six_earlier_ones) {
  plant_both(
      {.experiment = "quick", .precision = "f16", .tps = {100}},
      {.experiment = "other", .precision = "q8_0", .tps = {130}, .started_at = 1'700'000'060});
  EXPECT_EQ(answer({.a = "quick", .b = "other"}).comparison.overall[0].result.no_claim,
            statistics::NoClaim::one_session);
  store_.reset();
  {
    store::Store store = sample::open_store(folder_.path());
    plant(store, {.experiment = "before", .precision = "f16", .tps = {50, 51, 49, 50, 51, 49}});
  }
  const Row row = answer({.a = "quick", .b = "other"}).comparison.overall[0];
  ASSERT_TRUE(row.result.inference);
  EXPECT_EQ(row.result.inference->spread, statistics::SpreadSource::lent);
  EXPECT_EQ(word_of(row), "better");
}

TEST_F(ReadComparison, borrows_nothing_from_another_machine) {
  plant_both({.experiment = "quick", .precision = "f16", .tps = {100}},
             {.experiment = "other", .precision = "q8_0", .tps = {130}});
  {
    store::Store store = sample::open_store(folder_.path());
    plant(store, {.experiment = "before",
                  .precision = "f16",
                  .tps = {50, 51, 49, 50, 51, 49},
                  .machine = {{"cpu_model", "Another CPU"}}});
  }
  EXPECT_FALSE(answer({.a = "quick", .b = "other"}).comparison.overall[0].result.inference);
}

TEST_F(ReadComparison, refuses_a_side_that_means_nothing) {
  plant_usual();
  EXPECT_THAT(refusal({.a = "quick", .b = "precison = 'f16'"}),
              HasSubstr("side B (precison = 'f16'): SQLite: no such column: precison; did you mean "
                        "'precision'?"));
  EXPECT_THAT(refusal({.a = "qiuck", .b = "other"}),
              HasSubstr("side A (qiuck): no experiment, point, tool or folder of a store has this "
                        "name; did you mean 'quick'? As SQL: SQLite: no such column: qiuck"));
  EXPECT_THAT(refusal({.a = "quick", .b = "precison = 'f16'"}), Not(HasSubstr("this name")));
  EXPECT_THAT(refusal({.a = "q8_0", .b = "quick"}),
              HasSubstr("this name; did you mean \"precision = 'q8_0'\"? As SQL: "));
  EXPECT_THAT(refusal({.a = "precision = 'f32'", .b = "quick"}),
              HasSubstr("side A (precision = 'f32') has no measurement"));
  EXPECT_THAT(refusal({.a = "quick", .b = "other", .metrics = {"output_tsp"}}),
              HasSubstr("'output_tsp' is not a column of results; did you mean 'output_tps'?"));
}

TEST_F(ReadComparison, refuses_sides_that_overlap) {
  plant_usual();
  EXPECT_THAT(refusal({.a = "quick", .b = "precision <> ''"}),
              HasSubstr("6 measurements are on both sides"));
}

// A copy of a store has the same measurements under other numbers.
TEST_F(ReadComparison, refuses_a_copy_of_the_same_measurements) {
  plant_usual();
  const sample::TemporaryFolder folder;
  std::filesystem::copy(
      folder_.path(), folder.path(),
      std::filesystem::copy_options::recursive | std::filesystem::copy_options::overwrite_existing);
  store::Store copy = sample::open_store(folder.path(), store::Mode::read);
  const auto found = read_comparison(database(), copy.database(), {.a = "quick", .b = "quick"});
  ASSERT_FALSE(found.ok());
  EXPECT_THAT(found.error().message,
              HasSubstr("6 measurements are on both sides; a measurement cannot be compared with "
                        "itself or a copy of itself"));
}

TEST_F(ReadComparison, takes_a_side_from_another_store) {
  plant_usual();
  const sample::TemporaryFolder folder;
  store::Store other = sample::open_store(folder.path());
  plant(other, {.experiment = "quick", .precision = "f16", .tps = {80, 81, 79}});
  const auto found = read_comparison(database(), other.database(), {.a = "quick", .b = "quick"});
  ASSERT_TRUE(found.ok()) << found.error().message;
  EXPECT_NEAR(*found->comparison.overall[0].result.difference, -20, 0.1);
  EXPECT_TRUE(found->differences.compared.empty());
}

TEST_F(ReadComparison, of_an_experiment_leaves_out_earlier_configurations_and_of_a_run_does_not) {
  {
    store::Store store = sample::open_store(folder_.path());
    planted::plant(store, {.experiment = "a", .measured = {planted::tps(100)}});
    planted::plant(store,
                   {.experiment = "a", .measured = {planted::tps(150)}, .at = 100, .image = "new"});
    planted::plant(store, {.experiment = "b",
                           .measured = {planted::tps(300)},
                           .more = {{"precision", sample::text("q8_0")}},
                           .at = 200,
                           .image = "other"});
  }
  const Answer named = answer({.a = "a", .b = "run = 3", .metrics = {"output_tps"}});
  EXPECT_EQ(named.a.measurements, 1u);
  EXPECT_EQ(named.a.older, 1u);
  EXPECT_NEAR(*named.comparison.overall[0].result.difference, 100, 1e-9);
  const Answer run = answer({.a = "1", .b = "run = 3", .metrics = {"output_tps"}});
  EXPECT_EQ(run.a.older, 0u);
  EXPECT_NEAR(*run.comparison.overall[0].result.difference, 200, 1e-9);
  EXPECT_THAT(run.differences.confounders,
              testing::Contains("configuration an earlier one → the present one"));
  EXPECT_THAT(verdict_of(run), HasSubstr("Nothing can be claimed: output_tps, no claim"));
}

}  // namespace read_comparison_test
}  // namespace orch::compare
