#include "plan/resources/ledger.hpp"

#include <gtest/gtest.h>

namespace orch::resources {
namespace host_resources_test {

TEST(Inventory, OfNumbersAloneHasEverythingNearEachOther) {
  const Inventory inventory = plain_inventory(3, 2);
  ASSERT_EQ(inventory.cores.size(), 3u);
  EXPECT_EQ(inventory.cores[2].cpus, std::vector<int>{2});
  ASSERT_EQ(inventory.gpus.size(), 2u);
  EXPECT_EQ(inventory.gpus[1].linked, std::set<int>{0});
  EXPECT_EQ(inventory.gpus[0].node, inventory.gpus[1].node);
}

}  // namespace host_resources_test
}  // namespace orch::resources
