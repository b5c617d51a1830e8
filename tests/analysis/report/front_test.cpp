#include "analysis/report/digits.hpp"

#include <cmath>
#include <random>

#include <gtest/gtest.h>

namespace orch::report {
namespace front_test {

constexpr auto k_low = Direction::lower_is_better, k_high = Direction::higher_is_better;

std::vector<bool> front(const std::vector<Candidate>& candidates,
                        const std::vector<Direction>& directions) {
  return front_of(candidates, directions);
}

TEST(Front, ACandidateThatIsNowhereWorseAndOnceBetterBeats) {
  // Latency, throughput.
  EXPECT_EQ(front({{10, 100}, {10, 90}, {20, 100}, {20, 200}, {30, 150}}, {k_low, k_high}),
            (std::vector<bool>{true, false, false, true, false}));
}

TEST(Front, EachFigureHasItsOwnDirection) {
  EXPECT_EQ(front({{1, 1}, {2, 2}}, {k_low, k_low}), (std::vector<bool>{true, false}));
  EXPECT_EQ(front({{1, 1}, {2, 2}}, {k_high, k_high}), (std::vector<bool>{false, true}));
  EXPECT_EQ(front({{1, 1}, {2, 2}}, {k_low, k_high}), (std::vector<bool>{true, true}));
}

TEST(Front, TiesStay) {
  EXPECT_EQ(front({{1, 2}, {1, 2}, {1, 1}}, {k_low, k_high}),
            (std::vector<bool>{true, true, false}));
}

TEST(Front, AnUnknownFigureIsNotOnTheFrontAndBeatsNothing) {
  EXPECT_EQ(front({{1, {}}, {2, 5}, {NAN, 100}, {}}, {k_low, k_high}),
            (std::vector<bool>{false, true, false, false}));
}

TEST(Front, OneFigureOrNone) {
  EXPECT_EQ(front({{3}, {1}, {1}}, {k_low}), (std::vector<bool>{false, true, true}));
  EXPECT_TRUE(front({}, {k_low}).empty());
}

TEST(Front, AgreesWithTheComparisonOfEveryPairInThreeDimensions) {
  std::mt19937 random(7);
  std::uniform_int_distribution<int> figure(0, 9);  // with many ties
  std::vector<Candidate> candidates;
  for (int i = 0; i < 300; ++i)
    candidates.push_back({figure(random), figure(random), figure(random)});
  const std::vector<Direction> directions{k_low, k_high, k_low};
  const auto beats = [](const Candidate& a, const Candidate& b) {
    const bool nowhere_worse = *a[0] <= *b[0] && *a[1] >= *b[1] && *a[2] <= *b[2];
    return nowhere_worse && a != b;
  };
  const std::vector<bool> flags = front(candidates, directions);
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    bool beaten = false;
    for (const Candidate& other : candidates) beaten = beaten || beats(other, candidates[i]);
    EXPECT_EQ(flags[i], !beaten) << i;
  }
}

}  // namespace front_test
}  // namespace orch::report
