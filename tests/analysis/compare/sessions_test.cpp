// Which measurements a condition selects from a store, and what is known of each.
#include "analysis/compare/sessions.hpp"

#include "analysis/compare/planted_sessions.hpp"

namespace orch::compare {
namespace sessions_test {

using namespace planted;
using testing::ElementsAre;
using testing::HasSubstr;

class ObservationsTest : public testing::Test {
 protected:
  void plant_all(const std::vector<planted::Session>& sessions) {
    store::Store store = sample::open_store(folder_.path());
    double at = 0;
    for (planted::Session session : sessions) {
      if (session.at == 0) session.at = at;
      plant(store, session);
      at = session.at + 100;
    }
  }
  Selected select(const std::string& where,
                  const std::vector<std::string>& metrics = {"output_tps"}) {
    store::Store store = sample::open_store(folder_.path(), store::Mode::read);
    auto found = select_measured(store.database(), where, metrics);
    EXPECT_TRUE(found.ok()) << found.error().text();
    return found ? std::move(*found) : Selected{};
  }
  static Observations observe(const Selected& selected, const ObserveOptions& options = {},
                              std::size_t metric = 0) {
    return observations_of(
        selected, metric, [](const Measured& row) { return std::optional(row.point); }, options);
  }

  sample::TemporaryFolder folder_;
};

std::vector<double> values(const ObservedSession& session) {
  std::vector<double> out;
  for (const statistics::Observation& one : session.observations) out.push_back(one.value);
  return out;
}

TEST_F(ObservationsTest, TheValuesOfASessionAreTogether) {
  plant_all({{.measured = {tps(100), tps(200)}}, {.measured = {tps(110), tps(220)}}});
  const Observations found = observe(select("experiment = 'a'"));
  ASSERT_EQ(found.sessions.size(), 2u);
  EXPECT_THAT(values(found.sessions[0]), ElementsAre(100, 200));
  EXPECT_THAT(values(found.sessions[1]), ElementsAre(110, 220));
  EXPECT_EQ(found.sessions[0].observations[1].pair, "tiny_c2-aaaaaa");
  EXPECT_EQ(found.counts.used, 4u);
}

TEST_F(ObservationsTest, ASessionLastsFromTheStartOfItsServerToItsLastWindow) {
  plant_all({{.measured = {tps(100), tps(200)}}});
  const Observations found = observe(select(""));
  EXPECT_EQ(found.sessions[0].begun_at, 1'700'000'001);
  EXPECT_EQ(found.sessions[0].busy_s, 20);
}

TEST_F(ObservationsTest, WithoutASessionOfOursARunIsOne) {
  plant_all({{.measured = {tps(100), tps(200)}, .has_session = false},
             {.measured = {tps(110), tps(220)}, .has_session = false}});
  const Observations found = observe(select(""));
  ASSERT_EQ(found.sessions.size(), 2u);
  EXPECT_THAT(values(found.sessions[1]), ElementsAre(110, 220));
  EXPECT_TRUE(found.sessions[0].sessions.empty());
}

TEST_F(ObservationsTest, InvalidMeasurementsAreCountedAndNotUsed) {
  plant_all({{.measured = {tps(100), sample::invalid_measurement({"the client was saturated"})}}});
  const Selected selected = select("");
  const Observations found = observe(selected);
  EXPECT_THAT(values(found.sessions[0]), ElementsAre(100));
  EXPECT_EQ(found.counts, (Counts{.used = 1, .invalid = 1}));
  EXPECT_EQ(selected.rows[1].reasons, "the client was saturated");
}

TEST_F(ObservationsTest, AnInvalidMeasurementThatWasRepeatedIsNoLoss) {
  plant_all({{.measured = {sample::invalid_measurement({"lost"})}}, {.measured = {tps(100)}}});
  const Selected selected = select("");
  EXPECT_TRUE(selected.rows[0].retried);
  EXPECT_EQ(observe(selected).counts, (Counts{.used = 1}));
}

TEST_F(ObservationsTest, AnUnsupportedPercentileIsCountedAndNotUsed) {
  json few = tps(100);
  few["unsupported"] = {"ttft_ms_p99"};
  plant_all({{.measured = {few, tps(200)}}});
  const Selected selected = select("", {"ttft_ms_p99", "ttft_ms"});
  EXPECT_EQ(observe(selected).counts, (Counts{.used = 1, .unsupported = 1}));
  EXPECT_EQ(observe(selected, {}, 1).counts, (Counts{.used = 2})) << "the mean needs no hundred";
}

TEST_F(ObservationsTest, AMetricThatAMeasurementOrTheStoreLacksIsCounted) {
  json without = tps(100);
  without["metrics"].erase("output_tps");
  plant_all({{.measured = {without, tps(200)}}});
  const Selected selected = select("", {"output_tps", "of_no_measurement"});
  EXPECT_EQ(observe(selected).counts, (Counts{.used = 1, .lacking = 1}));
  EXPECT_EQ(observe(selected, {}, 1).counts, (Counts{.lacking = 2}));
}

TEST_F(ObservationsTest, DisturbedMeasurementsAreUsedAndCountedOrLeftOut) {
  plant_all({{.measured = {disturbed(tps(100)), tps(200)}}});
  const Selected selected = select("");
  EXPECT_EQ(observe(selected).counts, (Counts{.used = 2, .disturbed = 1}));
  const Observations left_out = observe(selected, {.disturbed_too = false});
  EXPECT_EQ(left_out.counts, (Counts{.used = 1, .disturbed = 1}));
  EXPECT_THAT(values(left_out.sessions[0]), ElementsAre(200));
}

TEST_F(ObservationsTest, MeasurementsOfAnEarlierConfigurationAreTold) {
  plant_all({{.measured = {tps(100)}}, {.measured = {tps(150)}, .image = "newer"}});
  const Selected selected = select("");
  ASSERT_EQ(selected.rows.size(), 2u);
  EXPECT_FALSE(selected.rows[0].current);
  EXPECT_TRUE(selected.rows[1].current);
  EXPECT_EQ(observe(selected, {.older_too = false}).counts, (Counts{.used = 1, .older = 1}));
  EXPECT_EQ(observe(selected).counts, (Counts{.used = 2}));
}

// Of a server that ran already, each run measures the same stage.
TEST_F(ObservationsTest, AStageThatWasMeasuredAgainIsOfThePresentConfiguration) {
  plant_all({{.measured = {tps(100)}}, {.measured = {tps(110)}}});
  const Selected selected = select("");
  ASSERT_EQ(selected.rows.size(), 2u);
  for (const Measured& row : selected.rows) EXPECT_TRUE(row.current) << row.measurement;
  EXPECT_FALSE(selected.rows[0].shown) << "`results` has the newest";
  EXPECT_EQ(observe(selected, {.older_too = false}).counts, (Counts{.used = 1, .older = 1}));
}

TEST_F(ObservationsTest, AConditionSelectsAndParametersAreTexts) {
  plant_all({{.measured = {tps(100), tps(200)}, .more = {{"precision", sample::text("it's")}}}});
  const Selected selected = select("concurrency = 2 AND precision = 'it''s' -- and a comment");
  ASSERT_EQ(selected.rows.size(), 1u);
  const auto at = std::find(selected.parameters.begin(), selected.parameters.end(), "precision");
  ASSERT_NE(at, selected.parameters.end());
  EXPECT_EQ(selected.rows[0].parameters[static_cast<std::size_t>(at - selected.parameters.begin())],
            "it's");
}

TEST_F(ObservationsTest, AConditionThatIsMoreThanOneExpressionIsAnError) {
  plant_all({{.measured = {tps(100)}}});
  store::Store store = sample::open_store(folder_.path(), store::Mode::read);
  const std::string metric = "output_tps";
  for (const char* where : {"1) UNION SELECT 1 --", "1; DROP TABLE run", "1)", "concurency = 1"})
    EXPECT_FALSE(select_measured(store.database(), where, {&metric, 1}).ok()) << where;
  EXPECT_THAT(select_measured(store.database(), "concurency = 1", {&metric, 1}).error().text(),
              HasSubstr("concurrency"));
}

}  // namespace sessions_test
}  // namespace orch::compare
