// Which earlier sessions lend their spread.
#include "analysis/compare/planted_sessions.hpp"
#include "analysis/compare/sessions.hpp"

#include <cmath>

namespace orch::compare {
namespace lenders_test {

using namespace planted;

class LentTest : public testing::Test {
 protected:
  // Sessions 1, 2, ... of one measurement each, which has the same number.
  void plant_throughputs(const std::vector<double>& throughputs, planted::Session session = {}) {
    store::Store store = sample::open_store(folder_.path());
    for (const double one : throughputs) {
      session.measured = {tps(one)};
      session.at = at_;
      plant(store, session);
      at_ += 100;
    }
  }
  std::optional<statistics::LentSpread> lent(const std::vector<std::int64_t>& measurements,
                                             double concentration = 1) {
    store::Store store = sample::open_store(folder_.path(), store::Mode::read);
    const std::vector<std::string> metrics = {"output_tps"};
    const auto found = Lenders::read(store.database(), measurements, metrics);
    EXPECT_TRUE(found.ok()) << found.error().text();
    return found ? found->spread(0, concentration) : std::nullopt;
  }

  sample::TemporaryFolder folder_;
  double at_ = 0;
};

// Logarithms 0 and log 1.1 around 100, three of each: variance 6/5 * (log 1.1 / 2)^2.
const double k_spread = std::sqrt(6.0 / 5) * std::log(1.1) / 2;

TEST_F(LentTest, SixEarlierSessionsOfOneConfigurationLendTheirSpread) {
  plant_throughputs({100, 110, 100, 110, 100, 110, 500, 600});
  const auto found = lent({7, 8});
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->sd, k_spread, 1e-12);
  EXPECT_EQ(found->degrees, 5);
}

TEST_F(LentTest, FiveAreTooFew) {
  plant_throughputs({100, 110, 100, 110, 100, 500, 600});
  EXPECT_FALSE(lent({6, 7}));
}

TEST_F(LentTest, DifferencesBetweenConfigurationsAreNoSpread) {
  plant_throughputs({100, 110, 100, 110, 100, 110});
  plant_throughputs({900, 910}, {.image = "newer"});
  plant_throughputs({500, 600});
  const auto found = lent({9, 10});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->degrees, 6);
  EXPECT_LT(found->sd, k_spread);
}

TEST_F(LentTest, SessionsOfAnotherMachineDoNotLend) {
  plant_throughputs({100, 110, 100, 110, 100, 110}, {.machine = {{"host", "elsewhere"}}});
  plant_throughputs({500, 600});
  EXPECT_FALSE(lent({7, 8}));
}

TEST_F(LentTest, AMachineThatWasStartedAgainIsTheSame) {
  plant_throughputs({100, 110, 100, 110, 100, 110}, {.machine = {{"host", "h"}, {"boot_id", "1"}}});
  plant_throughputs({500, 600}, {.machine = {{"host", "h"}, {"boot_id", "2"}}});
  EXPECT_TRUE(lent({7, 8}));
}

TEST_F(LentTest, LaterSessionsLendAsWell) {
  plant_throughputs({500, 600, 100, 110, 100, 110, 100, 110});
  EXPECT_TRUE(lent({1, 2}));
}

TEST_F(LentTest, SidesOnTwoMachinesAreLentNothing) {
  plant_throughputs({100, 110, 100, 110, 100, 110, 500});
  plant_throughputs({600}, {.machine = {{"host", "elsewhere"}}});
  EXPECT_FALSE(lent({7, 8}));
}

// A round of two servers with equally many pairs varies half as much (in variance) as one server.
TEST_F(LentTest, RoundsOfSeveralServersVaryLess) {
  plant_throughputs({100, 110, 100, 110, 100, 110, 500, 600});
  EXPECT_NEAR(lent({7, 8}, 0.5)->sd, k_spread / std::sqrt(2), 1e-12);
}

}  // namespace lenders_test
}  // namespace orch::compare
