#include "plan/resources/ledger.hpp"

#include <gtest/gtest.h>

namespace orch::resources {
namespace request_test {

TEST(Request, ThatAsksForNothingIsToldFromOneThatAsksForAnything) {
  EXPECT_TRUE(Request{}.asks_nothing());
  EXPECT_FALSE(Request{.gpus = 1}.asks_nothing());
  EXPECT_FALSE(Request{.which = Request::Cores::shared}.asks_nothing());
  EXPECT_FALSE(Request{.memory_gib = 1}.asks_nothing());
  EXPECT_FALSE(Request{.disk_bytes = 1}.asks_nothing());
  EXPECT_FALSE((Request{.tokens = {{"licence", 1}}}.asks_nothing()));
}

}  // namespace request_test
}  // namespace orch::resources
