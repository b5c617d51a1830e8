#include "spec/ranks/mpi_ranks.hpp"

#include <gtest/gtest.h>

namespace orch::ranks {
namespace nodes_test {

TEST(NodesFor, TakesTheFewestThatHaveTheGpus) {
  EXPECT_EQ(nodes_for(8, 8, {.count = 4, .gpus = 8}), 1);
  EXPECT_EQ(nodes_for(16, 16, {.count = 4, .gpus = 8}), 2);
  EXPECT_EQ(nodes_for(16, 16, {.count = 2, .gpus = 8}), 2);
  EXPECT_EQ(nodes_for(16, 16, {.count = 1, .gpus = 8}), std::nullopt);
  EXPECT_EQ(nodes_for(40, 40, {.count = 4, .gpus = 8}), std::nullopt);
}

TEST(NodesFor, DividesRanksAndGpusEvenly) {
  EXPECT_EQ(nodes_for(20, 20, {.count = 8, .gpus = 8}), 4) << "three would have 7, 7 and 6";
  EXPECT_EQ(nodes_for(20, 20, {.count = 3, .gpus = 8}), std::nullopt);
  EXPECT_EQ(nodes_for(17, 17, {.count = 8, .gpus = 8}), std::nullopt);
  EXPECT_EQ(nodes_for(3, 16, {.count = 8, .gpus = 8}), std::nullopt);
}

TEST(NodesFor, IsOneWhereTheGpusOfANodeAreNotKnown) {
  EXPECT_EQ(nodes_for(16, 16, {.count = 2, .gpus = 0}), 1);
  EXPECT_EQ(nodes_for(1, 0, {.count = 2, .gpus = 8}), 1);
}

}  // namespace nodes_test
}  // namespace orch::ranks
