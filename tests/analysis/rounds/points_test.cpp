// The points of each side of a question and their pairs.
#include "analysis/rounds/question.hpp"

#include <gmock/gmock.h>

namespace orch::rounds {
namespace points_test {

using testing::ElementsAre;
using testing::Pair;

matrix::Matrix matrix_of() {
  Errors errors;
  matrix::Matrix matrix = matrix::parse_matrix(
      "name: x\nrunner: toy\naxes: {precision: [f16, q8_0], tp: [1, 2], isl: [128]}\n", "m.yaml",
      errors);
  EXPECT_TRUE(errors.empty());
  return matrix;
}

// All four points of the matrix; those of the side have the precision or tp CHOSEN.
std::vector<matrix::Point> expanded(const std::string& chosen, const std::string& rejected = "") {
  std::vector<matrix::Point> points;
  for (const char* precision : {"f16", "q8_0"})
    for (const char* tp : {"1", "2"}) {
      matrix::Point point;
      point.name = std::string(precision) + "-" + tp;
      point.parameters = {{"precision", {matrix::Type::text, precision}},
                          {"tp", {matrix::Type::integer, tp}},
                          {"isl", {matrix::Type::integer, "128"}}};
      point.again = chosen == precision || chosen == tp || chosen == "all";
      if (point.name == rejected) point.rejections.push_back({"rule", "why"});
      points.push_back(std::move(point));
    }
  return points;
}

Question question_between(const std::string& a, const std::string& b) {
  return {.metric = "output_tps", .size = 0.03, .most = 10, .sides = {{a, a}, {b, b}}};
}

Result<Points> points_between(const std::string& a, const std::string& b,
                              const std::string& rejected = "") {
  const std::vector<std::vector<matrix::Point>> expansions = {expanded(a, rejected),
                                                              expanded(b, rejected)};
  return points_of(question_between(a, b), matrix_of(), expansions);
}

TEST(Points, ArePairedByWhatDoesNotDifferBetweenTheSides) {
  const auto points = points_between("f16", "q8_0");
  ASSERT_TRUE(points.ok());
  EXPECT_THAT(points->paired_by, ElementsAre("tp", "isl"));
  EXPECT_THAT(points->sides[0],
              ElementsAre(Pair("f16-1", "tp=1 isl=128"), Pair("f16-2", "tp=2 isl=128")));
  EXPECT_THAT(points->sides[1],
              ElementsAre(Pair("q8_0-1", "tp=1 isl=128"), Pair("q8_0-2", "tp=2 isl=128")));
}

TEST(Points, ThatAreRejectedAreOfNoSide) {
  const auto points = points_between("1", "2", "f16-2");
  ASSERT_TRUE(points.ok());
  EXPECT_THAT(points->sides[1], ElementsAre(Pair("q8_0-2", "precision=q8_0 isl=128")));
}

TEST(Points, OfASideMustExist) {
  const auto points = points_between("f16", "q4_0");
  ASSERT_FALSE(points.ok());
  EXPECT_EQ(points.error().message,
            "no runnable point of the matrix matches 'q4_0'; `orchestrate plan` lists the points");
}

TEST(Points, OfTwoSidesAreRefused) {
  const auto points = points_between("f16", "all");
  ASSERT_FALSE(points.ok());
  EXPECT_EQ(points.error().message,
            "point f16-1 belongs to 'f16' as well as 'all'; sides may not share a point");
}

}  // namespace points_test
}  // namespace orch::rounds
