// Repeated reads until a page is settled.
#include "bench/observe/model_statistics.hpp"

#include <gtest/gtest.h>

namespace orch::observe {
namespace settled_read_test {

TEST(SettledRead, ReadsUntilThePageIsSettled) {
  int reads = 0;
  const auto page = read_settled(
      [&] { return std::optional(++reads); },
      [](const std::optional<int>& previous, int now) { return previous && now >= 3; });
  EXPECT_EQ(page, 3);
}

TEST(SettledRead, ReturnsTheLastPageAtTheTimeout) {
  int reads = 0;
  const auto page = read_settled([&] { return std::optional(++reads); },
                                 [](const std::optional<int>&, int) { return false; });
  EXPECT_EQ(page, reads);
}

TEST(SettledRead, ReturnsNothingWithoutAPage) {
  const auto page = read_settled([] { return std::optional<int>(); },
                                 [](const std::optional<int>&, int) { return true; });
  EXPECT_EQ(page, std::nullopt);
}

}  // namespace settled_read_test
}  // namespace orch::observe
