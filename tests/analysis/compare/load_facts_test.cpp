// What the load generator did, as provenance.
#include "analysis/compare/planted_sessions.hpp"
#include "analysis/compare/provenance.hpp"

namespace orch::compare {
namespace load_facts_test {

using planted::json;
using planted::plant;
using planted::tps;
using testing::Contains;
using testing::ElementsAre;
using testing::Key;
using testing::Not;

class LoadFactsTest : public testing::Test {
 protected:
  void add(const planted::Session& session) {
    store::Store store = sample::open_store(folder_.path());
    plant(store, session);
  }
  Provenance of(const std::string& where, const std::vector<std::string>& differing = {}) {
    store::Store store = sample::open_store(folder_.path(), store::Mode::read);
    const std::string metric = "output_tps";
    const auto selected = select_measured(store.database(), where, {&metric, 1});
    EXPECT_TRUE(selected.ok()) << selected.error().text();
    const auto found = load_facts_of(store.database(), *selected, differing);
    EXPECT_TRUE(found.ok()) << found.error().text();
    return found ? *found : Provenance{};
  }

  sample::TemporaryFolder folder_;
};

TEST_F(LoadFactsTest, AreSettingsCountingAndFormulas) {
  json measured = tps(100);
  measured["load"]["requests"] = 200;
  measured["load"]["prompts"] = {{"file", "/tmp/x"}};
  add({.measured = {measured}});
  const Provenance found = of("");
  EXPECT_THAT(found.at("load requests"), ElementsAre("200"));
  EXPECT_THAT(found.at("counting osl"), ElementsAre("events (one token each)"));
  EXPECT_THAT(found.at("formulas"), ElementsAre("native 2"));
  EXPECT_THAT(found, Not(Contains(Key("load prompts")))) << "a path says nothing";
  EXPECT_THAT(found, Not(Contains(Key("load concurrency")))) << "a parameter of the point";
}

// The warm-up follows from the concurrency, which is what is compared.
TEST_F(LoadFactsTest, SettingsThatFollowFromWhatIsComparedAreLeftOut) {
  json measured = tps(100);
  measured["load"]["warmup"] = 2;
  add({.measured = {measured}});
  EXPECT_THAT(of("", {"precision"}), Contains(Key("load warmup")));
  EXPECT_THAT(of("", {"concurrency"}), Not(Contains(Key("load warmup"))));
}

TEST_F(LoadFactsTest, TellAnEarlierConfigurationFromThePresentOne) {
  add({.measured = {tps(100)}});
  add({.measured = {tps(150)}, .at = 100, .image = "newer"});
  EXPECT_THAT(of("run = 1").at("configuration"), ElementsAre("an earlier one"));
  EXPECT_THAT(of("run = 2").at("configuration"), ElementsAre("the present one"));
}

TEST_F(LoadFactsTest, TellWhatThrottledAGpu) {
  const auto gpu = [](double share) {
    json measured = tps(100);
    measured["gpus"] = {{{"index", 0}, {"throttled", {{"thermal", share}, {"idle", 0.01}}}}};
    return measured;
  };
  add({.measured = {gpu(0.2)}});
  add({.measured = {gpu(0)}, .at = 100});
  EXPECT_THAT(of("run = 1").at("GPU throttled by"), ElementsAre("thermal"));
  EXPECT_THAT(of("run = 2").at("GPU throttled by"), ElementsAre("nothing"));
}

TEST_F(LoadFactsTest, OfNoMeasurementAreNone) {
  add({.measured = {tps(100)}});
  EXPECT_TRUE(of("0").empty());
}

TEST(ComparedOf, HasTheMeasurementsThatHaveAPartner) {
  Selected side{.parameters = {"isl"}, .metrics = {}, .rows = {}};
  for (const char* isl : {"32", "64"}) side.rows.emplace_back().parameters = {isl};
  Selected other = side;
  other.rows.pop_back();
  const Pairing pairing = pairing_of(side, other);
  ASSERT_EQ(compared_of(side, pairing).rows.size(), 1u);
  EXPECT_EQ(compared_of(side, pairing).rows[0].parameters, side.rows[0].parameters);
}

}  // namespace load_facts_test
}  // namespace orch::compare
