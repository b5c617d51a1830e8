// What else differs between two sides.
#include "compare/provenance.hpp"

#include "compare/selections.hpp"
#include "compare/planted.hpp"

namespace orch::compare {
namespace {

using planted::plant;
using planted::tps;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

Comparison alternated() {
  return compare(side_of("f16", 1, {100, 101}), side_of("q8", 2, {110, 111}), {});
}

Differences between(const Provenance& a, const Provenance& b) {
  return differences_of(alternated(), a, b);
}

TEST(DifferencesOf, EqualProvenanceLeavesASingleChange) {
  const Provenance same = {{"machine kernel", {"6.1"}}};
  const Differences found = between(same, same);
  EXPECT_THAT(found.confounders, IsEmpty());
  EXPECT_THAT(found.compared, ElementsAre("precision f16 → q8"));
  EXPECT_EQ(summary_of(found), "single change: precision f16 → q8");
}

TEST(DifferencesOf, ADriverThatChangedConfounds) {
  const Differences found = between({{"machine driver", {"550"}}}, {{"machine driver", {"560"}}});
  EXPECT_THAT(found.confounders, ElementsAre("machine driver 550 → 560"));
  EXPECT_THAT(summary_of(found), HasSubstr("confounded by machine driver 550 → 560"));
  EXPECT_THAT(summary_of(found), Not(HasSubstr("single")));
}

TEST(DifferencesOf, AFactOfOneSideIsUnknownOnTheOther) {
  EXPECT_THAT(between({{"machine driver", {"550"}}}, {}).confounders,
              ElementsAre("machine driver 550 → unknown"));
}

TEST(DifferencesOf, SidesThatRanOneAfterTheOtherAreConfoundedByTime) {
  const Comparison late =
      compare(side_of("f16", 1, {100, 101}), side_of("q8", 100, {110, 111}), {});
  EXPECT_THAT(differences_of(late, {}, {}).confounders, ElementsAre(HasSubstr("time: ")));
}

TEST(DifferencesOf, DisturbancesOfOneSideConfound) {
  Selected b = side_of("q8", 2, {110, 111});
  b.rows[0].disturbed = b.rows[1].disturbed = true;
  const Comparison found = compare(side_of("f16", 1, {100, 101}), b, {});
  EXPECT_THAT(differences_of(found, {}, {}).confounders, ElementsAre(HasSubstr("disturbed 0 → 2")));
}

class ProvenanceTest : public testing::Test {
 protected:
  Provenance of(const std::string& where) {
    store::Store store = sample::open_store(folder_.path(), store::Mode::read);
    const std::string metric = "output_tps";
    const auto selected = select_measured(store.database(), where, {&metric, 1});
    EXPECT_TRUE(selected.ok()) << selected.error().text();
    const auto found = provenance_of(store.database(), *selected);
    EXPECT_TRUE(found.ok()) << found.error().text();
    return found ? *found : Provenance{};
  }
  void add(const planted::Session& session) {
    store::Store store = sample::open_store(folder_.path());
    plant(store, session);
  }

  sample::TemporaryFolder folder_;
};

TEST_F(ProvenanceTest, HasTheFactsOfTheMachineAndTheVersions) {
  add({.measured = {tps(100)}, .machine = {{"driver", "550"}, {"host", "h"}}, .version = "0.1.0"});
  add({.measured = {tps(100)},
       .machine = {{"driver", "560"}, {"host", "h"}},
       .version = "0.2.0",
       .at = 100});
  const Provenance a = of("run = 1"), b = of("run = 2");
  EXPECT_THAT(a.at("machine driver"), ElementsAre("550"));
  EXPECT_THAT(b.at("machine driver"), ElementsAre("560"));
  EXPECT_THAT(b.at("orchestrate"), ElementsAre("0.2.0"));
  EXPECT_THAT(a.at("client scheduling"), ElementsAre("real-time"));
  EXPECT_EQ(a.at("machine host"), b.at("machine host"));
}

TEST_F(ProvenanceTest, AFactThatSomeMeasurementsLackIsPartlyUnknown) {
  add({.measured = {tps(100)}, .machine = {{"driver", "550"}}});
  add({.measured = {tps(100)}, .machine = {{"host", "h"}}, .at = 100});
  EXPECT_THAT(of("").at("machine driver"), ElementsAre("550", "unknown"));
}

TEST_F(ProvenanceTest, ABootIsNoFactOfTheMachine) {
  add({.measured = {tps(100)}, .machine = {{"host", "h"}, {"boot_id", "1"}}});
  EXPECT_FALSE(of("").contains("machine boot_id"));
}

}  // namespace
}  // namespace orch::compare
