#include "plan/resources/ledger.hpp"

#include <gtest/gtest.h>

namespace orch::resources {
namespace gpu_group_test {

using Indices = std::vector<int>;

// Eight GPUs on two nodes of four, joined in pairs: 0-1, 2-3 and so on.
std::vector<Gpu> pairs() {
  std::vector<Gpu> gpus;
  for (int i = 0; i < 8; ++i) gpus.push_back({.index = i, .node = i / 4, .linked = {i ^ 1}});
  return gpus;
}

std::vector<Gpu> without(std::vector<Gpu> gpus, const std::set<int>& taken) {
  std::erase_if(gpus, [&](const Gpu& gpu) { return taken.contains(gpu.index); });
  return gpus;
}

TEST(GpuGroup, TakesTheFirstOnesOfEqualGpus) {
  const std::vector<Gpu> gpus = {{.index = 0}, {.index = 1}, {.index = 2}};
  EXPECT_EQ(nearest_gpus(gpus, 2), (Indices{0, 1}));
  EXPECT_EQ(nearest_gpus(gpus, 0), Indices{});
}

TEST(GpuGroup, TakesLinkedPairsBeforeTheFirstOnes) {
  EXPECT_EQ(nearest_gpus(without(pairs(), {0}), 2), (Indices{2, 3}));
}

TEST(GpuGroup, TakesLinkedPairsOnAnotherNodeBeforeUnlinkedOnesOnTheSame) {
  EXPECT_EQ(nearest_gpus(without(pairs(), {0, 2}), 2), (Indices{4, 5}));
}

TEST(GpuGroup, StaysOnOneNodeWhereNothingIsLinked) {
  std::vector<Gpu> gpus = without(pairs(), {0, 1, 2});
  for (Gpu& gpu : gpus) gpu.linked.clear();
  EXPECT_EQ(nearest_gpus(gpus, 3), (Indices{4, 5, 6}));
}

TEST(GpuGroup, LeavesLargeGroupsTogether) {
  EXPECT_EQ(nearest_gpus(without(pairs(), {0}), 1), (Indices{1}));
  EXPECT_EQ(nearest_gpus(without(pairs(), {0, 1}), 2), (Indices{2, 3}));
}

TEST(GpuGroup, SpansNodesWhereItMust) {
  EXPECT_EQ(nearest_gpus(without(pairs(), {0, 1}), 6), (Indices{2, 3, 4, 5, 6, 7}));
}

}  // namespace gpu_group_test
}  // namespace orch::resources
