// Whether the best is told apart from others: sessions are the evidence.
#include "analysis/best/choice.hpp"
#include "analysis/best/planted.hpp"

namespace orch::best {
namespace rivals_test {

class RivalsTest : public BestTest {
 protected:
  // Of the second row against the first.
  Rivalry rivalry(const Asked& asked = {.maximize = "output_tps"}) {
    const Choice choice = chosen(asked);
    if (choice.groups.empty() || choice.groups[0].rows.size() < 2) return {};
    return choice.groups[0].rows[1].rivalry.value_or(Rivalry());
  }
};

TEST_F(RivalsTest, AreComparedWithinSessionsThatMeasuredBoth) {
  // The sessions differ by 20 %, the points within each by 10 %.
  have({{.concurrency = 1, .tps = {100, 120, 80}}, {.concurrency = 4, .tps = {110, 131, 89}}});
  const Rivalry found = rivalry();
  EXPECT_EQ(found.ground, Ground::shared);
  EXPECT_TRUE(found.is_separated);
  EXPECT_NEAR(*found.percent, -9.2, 0.8);
}

TEST_F(RivalsTest, AreNotSeparatedIfTheSessionsDisagree) {
  have({{.concurrency = 1, .tps = {100, 120, 100}}, {.concurrency = 4, .tps = {110, 100, 120}}});
  const Rivalry found = rivalry();
  EXPECT_FALSE(found.is_separated);
  EXPECT_GT(found.sessions_needed.value_or(0), 3);
  EXPECT_LT(*found.low, 0);
  EXPECT_GT(*found.high, 0);
}

TEST_F(RivalsTest, OfOneSessionAreToldApartByTheirOwnIntervals) {
  have({{.concurrency = 1, .tps = {100}, .half = 2}, {.concurrency = 4, .tps = {110}, .half = 2}});
  EXPECT_EQ(rivalry().ground, Ground::one);
  EXPECT_TRUE(rivalry().is_separated);
}

TEST_F(RivalsTest, OfOneSessionAreNotToldApartByWideIntervals) {
  have({{.concurrency = 1, .tps = {100}, .half = 9}, {.concurrency = 4, .tps = {110}, .half = 9}});
  EXPECT_EQ(rivalry().ground, Ground::one);
  EXPECT_FALSE(rivalry().is_separated);
}

TEST_F(RivalsTest, OfOneSessionEachAllowNoClaim) {
  // Measured by one server each: the second run starts another one.
  have({{.concurrency = 1, .tps = {100}, .half = 1}});
  have({{.concurrency = 4, .tps = {150}, .half = 1}});
  EXPECT_EQ(rivalry().ground, Ground::none);
  EXPECT_FALSE(rivalry().is_separated);
  EXPECT_NEAR(*rivalry().percent, -33.3, 0.1);
  EXPECT_FALSE(rivalry().far_larger);
}

TEST_F(RivalsTest, OfOneSessionEachThatDifferByFarMoreThanSessionsDoAreTold) {
  have({{.concurrency = 1, .tps = {33}, .half = 1}});
  have({{.concurrency = 4, .tps = {150}, .half = 1}});
  EXPECT_TRUE(rivalry().far_larger);
  EXPECT_FALSE(rivalry().is_separated) << "a remark, no verdict";
  EXPECT_THAT(
      told({.maximize = "output_tps"}, {.command = "orchestrate best --maximize output_tps"}),
      testing::AllOf(
          testing::HasSubstr("far larger than sessions ever differed"),
          testing::HasSubstr("One session of a configuration is not enough to decide. To "
                             "measure the first two again")));
}

TEST_F(RivalsTest, AreJudgedTogether) {
  // One rival is separated; that p value alone would do, but not among twelve.
  std::vector<PlantedPoint> points = {{.concurrency = 1, .tps = {110, 131, 89}},
                                      {.concurrency = 2, .tps = {105, 121, 80}}};
  have(points);
  const Choice two = chosen({.maximize = "output_tps"});
  const double alone = two.groups[0].rows[1].rivalry->p;
  const auto asked = *question({.maximize = "output_tps"});
  std::vector<Candidate> others(12, two.groups[0].rows[1].row);
  std::vector<Candidate> all = {two.groups[0].rows[0].row, others[0]};
  const auto both = Evidence::read(database(), asked, all);
  const auto together = both->rivals_of(database(), all[0], others);
  ASSERT_TRUE(together.ok());
  EXPECT_NEAR((*together)[0].p, std::min(1.0, 12 * alone), 1e-9);
}

}  // namespace rivals_test
}  // namespace orch::best
