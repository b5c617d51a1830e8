// Arrival schedules: rate, spread and dependence on the seed.
#include "bench/load/request_supply.hpp"

#include <cmath>

#include <gtest/gtest.h>

namespace orch::load {
namespace arrivals_test {

record::Load open(double rate, record::Arrival arrival, double burstiness = 1) {
  return {.kind = record::Load::Kind::open,
          .concurrency = 0,
          .request_rate = rate,
          .arrival = arrival,
          .burstiness = burstiness};
}

struct Gaps {
  double mean = 0;
  double variation = 0;  // sd / mean
};

Gaps gaps_of(const std::vector<std::int64_t>& due) {
  double sum = 0, squares = 0;
  std::int64_t before = 0;
  for (const std::int64_t at : due) {
    const auto gap = static_cast<double>(at - before);
    sum += gap;
    squares += gap * gap;
    before = at;
  }
  const auto n = static_cast<double>(due.size());
  return {.mean = sum / n / 1e9,
          .variation = std::sqrt(squares / n - sum / n * sum / n) / (sum / n)};
}

constexpr std::size_t k_samples = 200'000;

TEST(Arrivals, OfAConstantRateAreEvenlySpaced) {
  EXPECT_EQ(draw_arrivals(open(4, record::Arrival::constant), 1, 4),
            (std::vector<std::int64_t>{0, 250'000'000, 500'000'000, 750'000'000}));
  // A third of a second is not a whole number of nanoseconds; its rounding must not accumulate.
  EXPECT_EQ(draw_arrivals(open(3, record::Arrival::constant), 1, 3001).back(), 1'000'000'000'000);
}

TEST(Arrivals, OfAPoissonProcessHaveEqualMeanGapAndDeviation) {
  const Gaps gaps = gaps_of(draw_arrivals(open(500, record::Arrival::poisson), 7, k_samples));
  EXPECT_NEAR(gaps.mean, 1.0 / 500, 0.01 / 500);
  EXPECT_NEAR(gaps.variation, 1, 0.01);
}

TEST(Arrivals, OfAGammaProcessSpreadWithTheBurstiness) {
  for (const double burstiness : {0.25, 0.9, 1.0, 4.0}) {
    const Gaps gaps =
        gaps_of(draw_arrivals(open(10, record::Arrival::gamma, burstiness), 7, k_samples));
    EXPECT_NEAR(gaps.mean, 0.1, 0.002) << burstiness;
    EXPECT_NEAR(gaps.variation, 1 / std::sqrt(burstiness), 0.02 / std::sqrt(burstiness))
        << burstiness;
  }
}

TEST(Arrivals, DependOnTheSeed) {
  const record::Load load = open(10, record::Arrival::poisson);
  const auto first_ten = draw_arrivals(load, 3, 10), first_twenty = draw_arrivals(load, 3, 20);
  EXPECT_TRUE(std::equal(first_ten.begin(), first_ten.end(), first_twenty.begin()));
  EXPECT_NE(first_ten, draw_arrivals(load, 4, 10));
  // A fixed value: another compiler or machine must draw the same schedule.
  EXPECT_EQ(first_ten[0], 58202452);
}

TEST(Arrivals, AreParsedAndPrintedByName) {
  EXPECT_EQ(*record::parse_arrival("gamma"), record::Arrival::gamma);
  EXPECT_EQ(record::parse_arrival("poison").error().message,
            "unknown --arrival 'poison'; did you mean 'poisson'?; known: constant, poisson, "
            "gamma, trace");
  EXPECT_EQ(open(2.5, record::Arrival::gamma, 0.5).text(), "2.5 requests/s (gamma 0.5)");
  EXPECT_EQ((record::Load{.kind = record::Load::Kind::closed, .concurrency = 8}).text(),
            "concurrency 8");
}

}  // namespace arrivals_test
}  // namespace orch::load
