// Comparisons of whole matrices are in tests/app/session/several_runners_test.cpp.
#include "plan/graph/comparison.hpp"

#include <gmock/gmock.h>

namespace orch::plan {
namespace comparison_test {

using ::testing::IsEmpty;

matrix::Parameter parameter(const std::string& name, bool compared = false) {
  matrix::Parameter one;
  one.name = name;
  one.is_compared = compared;
  return one;
}

PlannedPoint point(std::size_t runner, const std::string& isl, const std::string& threads,
                   const std::string& weights = "FP16") {
  PlannedPoint planned;
  planned.runner = runner;
  planned.point.parameters = {{"isl", {matrix::Type::text, isl}},
                              {"threads", {matrix::Type::text, threads}},
                              {"weights", {matrix::Type::text, weights}}};
  return planned;
}

// An axis `isl`; both runners have `threads`.
struct Compared {
  Compared() {
    plan.runners = {"a", "b"};
    plan.points = {point(0, "32", "1"), point(1, "32", "2"), point(1, "64", "2")};
    matrix.axes.push_back(
        {.name = "isl", .values = {{.sets = {{"isl", {}}}, .where = {}}}, .where = {}});
  }
  Comparison comparison() const { return compare_runners(plan, matrix, {own, own}); }

  Plan plan;
  matrix::Matrix matrix;
  std::vector<matrix::Parameter> own = {parameter("isl"), parameter("threads"),
                                        parameter("weights", true)};
};

TEST(Comparison, IsOfPointsThatAgreeInWhatTheMatrixVaries) {
  const Comparison found = Compared().comparison();
  EXPECT_EQ(found.groups, 1u);
  EXPECT_EQ(found.by, std::vector<std::string>{"isl"});
  ASSERT_EQ(found.differences.size(), 1u);
  EXPECT_EQ(found.differences[0].parameter, "threads");
  EXPECT_EQ(found.differences[0].values, (std::vector<std::vector<std::string>>{{"1"}, {"2"}}));
  EXPECT_EQ(found.equal, std::vector<std::string>{"weights"});
}

TEST(Comparison, CallsNothingEqualThatIsNotKnown) {
  Compared waiting;
  for (PlannedPoint& one : waiting.plan.points) one.point.unknown = {"weights"};
  EXPECT_THAT(waiting.comparison().equal, IsEmpty());
  EXPECT_EQ(waiting.comparison().unknown, std::vector<std::string>{"weights"});
  Compared unstated;
  for (std::size_t i = 0; i < 2; ++i) unstated.plan.points[i] = point(i, "32", "1", "");
  EXPECT_THAT(unstated.comparison().equal, IsEmpty());
  EXPECT_EQ(unstated.comparison().unknown, std::vector<std::string>{"weights"});
}

TEST(Comparison, LeavesOutRejectedPoints) {
  Compared compared;
  compared.plan.points[1].status = Status::reject;
  EXPECT_EQ(compared.comparison().groups, 0u);
  EXPECT_THAT(compared.comparison().differences, IsEmpty());
}

TEST(Comparison, OfOneRunnerIsEmpty) {
  Compared compared;
  compared.plan.runners = {"a"};
  EXPECT_EQ(compared.comparison().groups, 0u);
}

}  // namespace comparison_test
}  // namespace orch::plan
