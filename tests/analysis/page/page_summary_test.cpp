#include "analysis/page/labels.hpp"
#include "analysis/page/page.hpp"
#include "analysis/page/sample.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace orch::page {
namespace page_summary_test {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

// One group; a row for each throughput.
Report with(const std::vector<Figure>& figures) {
  Report report;
  report.metrics = {{"output_tps", "output throughput", "", "tokens/s", Better::higher, true}};
  report.y = 0;
  report.groups = {{"isl 32", {}}};
  for (const Figure& figure : figures) {
    report.groups[0].rows.push_back(report.rows.size());
    Row& row = report.rows.emplace_back();
    row.figures = {figure};
  }
  return report;
}

TEST(Summary, TheBestHasTheHighestFigureAndTellsWhoseIntervalReachesIt) {
  const auto groups = best_of_groups(with({{100, 95, 105}, {90, 85, 96}, {80, 78, 82}}));
  ASSERT_EQ(groups.size(), 1u);
  ASSERT_EQ(groups[0].best.size(), 1u);
  EXPECT_EQ(groups[0].best[0].row, 0u);
  EXPECT_EQ(groups[0].best[0].not_separated, 1u);
}

TEST(Summary, SaysHowSureALeadIsAndHowManyPointsHaveNoValue) {
  Report report = with({{100, 95, 105}, {90, 85, 96}, {80, 78, 82}});
  report.rows[2].figures[0].reset();
  const auto said = [&] {
    const GroupSummary group = best_of_groups(report)[0];
    return standing_in_words(report, group, group.best[0]);
  };
  EXPECT_THAT(said(), ElementsAre("not separated from 1 other point: the intervals overlap",
                                  "1 of 3 points has no output throughput"));
  EXPECT_THAT(markdown(report), HasSubstr("the intervals overlap; 1 of 3 points has no output"));
  EXPECT_THAT(html(report), HasSubstr("<small>1 of 3 points has no output throughput</small>"));
  report.rows[0].figures[0] = Figure{100, {}, {}};
  EXPECT_EQ(said()[0], "no interval: its lead is unknown");
}

TEST(Summary, AnUnboundedIntervalReachesEverything) {
  Report report = with({{100, 95, 105}, {90, 85, {}}});
  report.metrics[0].better = Better::lower;
  const auto groups = best_of_groups(report);
  EXPECT_EQ(groups[0].best[0].row, 1u);
  EXPECT_EQ(groups[0].best[0].not_separated, 0u) << "its bad end is its value, for want of another";
}

TEST(Summary, InvalidAndUnsupportedFiguresAreNoBest) {
  Report report = with({{100, 95, 105}, {90, 85, 96}, {80, 78, 82}});
  report.rows[0].state = State::invalid;
  report.rows[1].figures[0]->supported = false;
  EXPECT_EQ(best_of_groups(report)[0].best[0].row, 2u);
}

TEST(Summary, SaysWhatIsMarkedAndWhy) {
  const std::vector<std::string> words = marks_in_words(sample::report());
  EXPECT_THAT(words, Contains(HasSubstr("1 point is invalid")));
  EXPECT_THAT(words, Contains(HasSubstr("1 point is disturbed")));
  EXPECT_THAT(words,
              Contains(HasSubstr("8 figures in the table are a percentile of too few requests")));
  EXPECT_THAT(words, Contains(HasSubstr("measured in one server session")));
  EXPECT_THAT(words, Contains(HasSubstr("1 stage failed")));
  EXPECT_THAT(words,
              Not(Contains(HasSubstr("No point is invalid or disturbed, and none has a warning"))));
}

TEST(Summary, SaysThatNothingIsMarked) {
  EXPECT_THAT(marks_in_words(with({{100, 95, 105}})),
              ElementsAre(HasSubstr("No point is invalid or disturbed, and none has a warning")));
}

TEST(Summary, WarningsThatDifferInNumbersAreOfOneKind) {
  Report report = with({{1, {}, {}}, {2, {}, {}}, {3, {}, {}}});
  report.rows[0].warnings = {"3 of 100 failed", "other"};
  report.rows[1].warnings = {"17 of 100 failed", "2.5 of 100 failed"};
  EXPECT_THAT(kinds_of_warnings(report),
              ElementsAre(std::pair<std::string, std::size_t>("N of N failed", 2),
                          std::pair<std::string, std::size_t>("other", 1)));
}

}  // namespace page_summary_test
}  // namespace orch::page
