#include "plan/graph/stage_index.hpp"

#include "plan/graph/toy.hpp"

namespace orch::plan {
namespace stage_index_test {

TEST(StageIndex, FindsStagesAndWhatTheyNeed) {
  const Plan plan = toy::toy_builder().plan();
  const StageIndex index(plan);
  const Stage& build = toy::stage_named(plan, "build", 1);
  EXPECT_EQ(&plan.stages[index.at(build.id)], &build);
  std::vector<std::string> needs;
  for (const std::size_t need : index.needs(build)) needs.push_back(plan.stages[need].spec.name);
  EXPECT_EQ(needs, (std::vector<std::string>{"download", "environment"}));
}

}  // namespace stage_index_test
}  // namespace orch::plan
