// A thread that calls a function periodically.
#include "bench/observe/metrics_page.hpp"

#include <atomic>
#include <future>

#include <gtest/gtest.h>

namespace orch::observe {
namespace periodic_test {

TEST(Periodic, CallsUntilTheStepReturnsFalse) {
  std::atomic<int> calls = 0;
  std::promise<void> done;
  Periodic periodic(0.001, [&] {
    if (++calls < 3) return true;
    done.set_value();
    return false;
  });
  done.get_future().wait();
  periodic.stop();
  EXPECT_EQ(calls, 3);
}

TEST(Periodic, APeriodOfZeroNeverCalls) {
  int calls = 0;
  Periodic periodic(0, [&] { return ++calls > 0; });
  periodic.stop();
  EXPECT_EQ(calls, 0);
  EXPECT_EQ(periodic.cpu_ns(), 0);
}

}  // namespace periodic_test
}  // namespace orch::observe
