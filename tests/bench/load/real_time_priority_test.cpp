// The scheduling of a thread before, during and after real-time priority.
#include "bench/load/client_cpus.hpp"

#include <thread>

#include <gtest/gtest.h>

namespace orch::load {
namespace real_time_priority_test {

TEST(RealTimePriority, RestoresTheScheduling) {
  std::thread([] {  // a thread of its own starts with ordinary scheduling
    const int before = sched_getscheduler(0);
    {
      const RealTimePriority prompt;
      const int within = sched_getscheduler(0) & ~SCHED_RESET_ON_FORK;
      EXPECT_EQ(within == SCHED_RR, prompt.scheduling() == "real-time")
          << "it reports the policy that the system has";
    }
    EXPECT_EQ(sched_getscheduler(0), before);
  })
      .join();
}

}  // namespace real_time_priority_test
}  // namespace orch::load
