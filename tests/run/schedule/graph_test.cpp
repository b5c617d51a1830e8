#include "run/schedule/stage_queue.hpp"
#include "run/schedule/support.hpp"

namespace orch::schedule {
namespace graph_test {

TEST(Graph, HasTheNeedsOfEachStageAndTheReverse) {
  Sweep sweep;
  sweep.points = one_point();
  const plan::Plan plan = sweep.plan_now();
  const Graph graph(plan);
  const auto find = [&](std::string_view name) {
    for (Index i = 0; i < plan.stages.size(); ++i)
      if (plan.stages[i].spec.name == name) return i;
    throw std::out_of_range(std::string(name));
  };
  EXPECT_EQ(graph.needs[find("build")], std::vector<Index>{find("download")});
  EXPECT_EQ(graph.dependants[find("serve")], std::vector<Index>{find("bench")});
  EXPECT_EQ(graph.needs[find("bench")].size(), 2u);
  EXPECT_EQ(graph.index.at(plan.stages[find("bench")].id), find("bench"));
}

}  // namespace graph_test
}  // namespace orch::schedule
