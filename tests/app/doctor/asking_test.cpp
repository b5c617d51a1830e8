#include "app/doctor/finding.hpp"

#include <future>

#include <gtest/gtest.h>

namespace orch::doctor {
namespace asking_test {

TEST(Within, GivesTheAnswerOfACallThatReturns) {
  EXPECT_EQ(within<int>(60, [] { return 7; }), 7);
}

TEST(Within, GivesUpACallThatDoesNotReturn) {
  std::promise<void> never;
  const std::shared_future<void> waits = never.get_future().share();
  EXPECT_EQ(within<int>(0.001,
                        [waits] {
                          waits.wait();
                          return 7;
                        }),
            std::nullopt);
  never.set_value();
}

}  // namespace asking_test
}  // namespace orch::doctor
