// `orchestrate compare`: what it prints, and its exit status.
#include "analysis/compare/planted.hpp"
#include "app/cli/commands.hpp"
#include "app/cli/run_command.hpp"

#include <filesystem>

namespace orch::cli {
namespace compare_test {

using testing::HasSubstr;
using testing::Not;

class CompareCommand : public compare::PlantedStore {
 protected:
  CommandResult run(std::vector<std::string> words) {
    words.insert(words.begin(), "compare");
    words.insert(words.end(), {"--store", folder_.path().string()});
    return run_command(add_compare, std::move(words));
  }
};

TEST_F(CompareCommand, PrintsWhatChangedHowSureThatIsAndWhatElseDiffers) {
  plant_usual();
  const CommandResult done = run({"quick", "other", "--metric", "output_tps"});
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_EQ(done.out, R"(A: experiment quick (6 measurements)
B: experiment other (6 measurements)
2 points on both sides, paired by concurrency
3 and 3 server sessions
single change: precision f16 → q8_0

metric           A      B  change   interval            detectable  verdict
output_tps  100.00  120.0  +20.0 %  +17.5 % to +22.5 %  2.8 %       better by 20.0 %

Points that differ:
metric      point               A      B  change   interval            detectable  verdict
output_tps  concurrency 1  100.00  120.0  +20.0 %  +17.5 % to +22.5 %  2.8 %       better by 20.0 %
output_tps  concurrency 4  100.00  120.0  +20.0 %  +17.5 % to +22.5 %  2.8 %       better by 20.0 %

B differs from A: output_tps better by 20.0 %
)");
}

TEST_F(CompareCommand, WithoutAGateADifferenceIsNoFailure) {
  plant_usual();
  EXPECT_EQ(run({"other", "quick", "--metric", "output_tps"}).exit_code, 0);
}

TEST_F(CompareCommand, AGateThatIsNotMetExitsWith4AndPrintsTheRows) {
  plant_usual();
  const CommandResult failed =
      run({"other", "quick", "--metric", "output_tps", "--gate", "worst_loss < 3"});
  EXPECT_EQ(failed.exit_code, 4);
  EXPECT_THAT(failed.err, HasSubstr("output_tps over all points: false; worse by"));
  const CommandResult passed =
      run({"quick", "other", "--metric", "output_tps", "--gate", "worst_loss < 3"});
  EXPECT_EQ(passed.exit_code, 0) << passed.err;
  EXPECT_THAT(passed.err, HasSubstr("gate passed"));
}

TEST_F(CompareCommand, ASideWithoutAMeasurementIsAnErrorAndFailsAGate) {
  plant_usual();
  EXPECT_EQ(run({"quick", "precision = 'int4'"}).exit_code, 2);
  EXPECT_EQ(run({"quick", "precision = 'int4'", "--gate", "1"}).exit_code, 4);
}

TEST_F(CompareCommand, AMistakeIsNoFailedGate) {
  plant_usual();
  EXPECT_EQ(run({"quick", "99", "--gate", "1"}).exit_code, 2);
  const CommandResult mistyped = run({"quick", "other", "--gate", "chang > 1"});
  EXPECT_EQ(mistyped.exit_code, 2);
  EXPECT_EQ(mistyped.out, "") << "said before anything else";
  EXPECT_EQ(run({"quick", "other", "--size", "much"}).exit_code, 2);
}

// "$GATE" of a script where it is not set.
TEST_F(CompareCommand, AnEmptyGateOrALevelThatIsNoNumberIsAMistake) {
  plant_usual();
  EXPECT_THROW(run({"quick", "other", "--gate", ""}), CLI::ValidationError);
  testing::internal::GetCapturedStdout(), testing::internal::GetCapturedStderr();
  EXPECT_THROW(run({"quick", "other", "--level", "nan"}), CLI::ValidationError);
  testing::internal::GetCapturedStdout(), testing::internal::GetCapturedStderr();
}

TEST_F(CompareCommand, AFolderThatIsAlsoANameIsAnErrorWithBothMeanings) {
  plant_usual();
  const sample::TemporaryFolder place;
  const std::filesystem::path before = std::filesystem::current_path();
  sample::complete_run(place.path() / "quick");
  std::filesystem::current_path(place.path());
  const CommandResult both = run({"quick", "other"});
  const CommandResult folder = run({"./quick", "other"});
  std::filesystem::current_path(before);
  EXPECT_EQ(both.exit_code, 2);
  EXPECT_THAT(both.err, HasSubstr("'./quick'"));
  EXPECT_THAT(both.err, HasSubstr("experiment = 'quick'"));
  EXPECT_THAT(folder.err, Not(HasSubstr("also a name")));
}

TEST_F(CompareCommand, JsonHasARowForEachMetricAndPoint) {
  plant_usual();
  const CommandResult done = run({"quick", "other", "--metric", "output_tps", "--json"});
  const auto rows = nlohmann::json::parse(done.out);
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0]["point"], "");
  EXPECT_EQ(rows[0]["verdict"], "better");
  EXPECT_EQ(rows[0]["sessions_a"], 3);
}

// A name that would clear the terminal or break a table.
TEST_F(CompareCommand, HostileNamesControlNoTerminal) {
  plant_both({.experiment = "quick", .precision = "f16\x1b[2J", .tps = {100, 101}},
             {.experiment = "other",
              .precision = "q8\n| x |",
              .tps = {120, 121},
              .started_at = 1'700'000'060});
  for (const char* format : {"table", "markdown"}) {
    const std::string out = run({"quick", "other", "--format", format}).out;
    EXPECT_THAT(out, Not(HasSubstr("q8\n"))) << format;
    EXPECT_THAT(out, Not(HasSubstr("\x1b"))) << format;
  }
}

}  // namespace compare_test
}  // namespace orch::cli
