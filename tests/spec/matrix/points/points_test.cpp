#include "spec/matrix/points/points.hpp"

#include "spec/matrix/support.hpp"

#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace orch::matrix::points_test {

Points points_of(const std::string& axes) {
  return expanded(k_head + "axes: " + axes + "\n").expansion.points;
}

TEST(Points, ArePutTogetherFromTheirColumns) {
  const Points points = points_of("{tp: [1, 2], isl: [6, 7]}");
  ASSERT_EQ(points.size(), 4u);
  const Point last = points[3];
  EXPECT_EQ(last.name, points.name(3));
  EXPECT_EQ(value_of(last, "isl"), "7");
  EXPECT_EQ(points.parameters(2).at("isl").text, "6");
  EXPECT_EQ(last.model, "m");
  EXPECT_EQ(last.model_source, "generate:nano");
  EXPECT_FALSE(points.is_rejected(1));
  EXPECT_TRUE(points.is_rejected(3));
  EXPECT_EQ(rejections_text(last), "one-rank: toy has one rank, not tp 2 x pp 1");
  EXPECT_THROW(points.at(4), std::out_of_range);
}

TEST(Points, OfSeveralExpansionsAreOneList) {
  Points points;
  EXPECT_TRUE(points.empty());
  points.append(points_of("{isl: [6, 7]}"));
  points.append(points_of("{isl: [8]}"));
  points.append(points);
  std::vector<std::string> lengths;
  for (const Point& point : points) lengths.push_back(value_of(point, "isl"));
  EXPECT_THAT(lengths, testing::ElementsAre("6", "7", "8", "6", "7", "8"));
}

TEST(Points, OutliveTheirMatrix) {
  std::vector<Point> kept;
  kept = points_of("{isl: [6, 7]}").all();
  EXPECT_EQ(value_of(kept[1], "isl"), "7");
}

// The label of a name is cut at 160 characters, and the rest is six digits of a hash: of 12,000
// names with one label about four are alike at that length.
TEST(Points, WithTheSameLabelHaveDifferentNames) {
  std::string lengths = "1";
  for (int i = 2; i <= 12'000; ++i) lengths += ", " + std::to_string(i);
  const Points points = points_of("{note: [" + std::string(160, 'x') + "], isl: [" + lengths +
                                  "]}\nlet: {used: note}");
  ASSERT_EQ(points.size(), 12'000u);
  std::set<std::string> names;
  std::size_t longer = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const std::string name = points.name(i);
    longer += name.size() > 160 + 1 + 6;
    EXPECT_TRUE(names.insert(name).second) << name;
  }
  EXPECT_GT(longer, 0u);
}

}  // namespace orch::matrix::points_test
