#include "os/system/machine.hpp"

#include <ctime>

#include <gtest/gtest.h>

namespace orch::system {
namespace host_use_test {

constexpr const char* k_stat =
    "cpu  1000 200 300 90000 4000 10 20 500 700 30\n"
    "cpu0 500 100 150 45000 2000 5 10 250 350 15\n"
    "cpu1 500 100 150 45000 2000 5 10 250 350 15\n"
    "intr 123 0 1\n"
    "ctxt 99\n";

TEST(HostTimes, BusyExcludesIdleAndStolenTimeAndCountsGuestsOnce) {
  const auto times = parse_host_times(k_stat, 100);
  ASSERT_TRUE(times);
  EXPECT_EQ(times->cpus, 2);
  EXPECT_DOUBLE_EQ(times->busy_s, 15.3);
  EXPECT_DOUBLE_EQ(times->steal_s, 5);
}

TEST(HostTimes, TextOfAnotherFormIsRejected) {
  for (const char* text :
       {"", "intr 1 2\n", "cpu  1 2 3\ncpu0 1 2 3\n", "cpu  1 2 3 4 5 6 7 x\ncpu0 1\n",
        "cpu  1 2 3 4 5 6 7 8\nintr 1\n", "cpu0 1 2 3 4 5 6 7 8\n"})
    EXPECT_FALSE(parse_host_times(text, 100)) << text;
}

HostLook look(double at_s, double own_s, double busy_s, double steal_s = 0) {
  return {.at_s = at_s,
          .own_s = own_s,
          .times = HostTimes{.cpus = 4, .busy_s = busy_s, .steal_s = steal_s}};
}

TEST(HostUse, UseByOthersExcludesThisProcessAndTheServers) {
  const auto use = host_use(look(10, 1, 100, 7), look(12, 1.5, 106, 7.5), 3);
  ASSERT_TRUE(use);
  EXPECT_DOUBLE_EQ(use->wall_s, 2);
  EXPECT_DOUBLE_EQ(use->busy_s, 6);
  EXPECT_DOUBLE_EQ(use->steal_s, 0.5);
  EXPECT_DOUBLE_EQ(use->others_s.value(), 2.5);
  EXPECT_DOUBLE_EQ(use->share(use->busy_s), 0.75) << "of four CPUs for two seconds";
}

TEST(HostUse, UseByOthersIsNeverNegativeAndIsUnknownWithoutTheServers) {
  EXPECT_DOUBLE_EQ(host_use(look(0, 0, 0), look(1, 0.5, 2), 1.52)->others_s.value(), 0);
  EXPECT_FALSE(host_use(look(0, 0, 0), look(1, 0.5, 2), std::nullopt)->others_s);
}

TEST(HostUse, IsUnknownWithoutTwoLooksOrOverATooShortTime) {
  EXPECT_FALSE(host_use(look(0, 0, 0), look(0.01, 0, 0), 0));
  HostLook blind = look(1, 0, 0);
  blind.times.reset();
  EXPECT_FALSE(host_use(look(0, 0, 0), blind, 0));
  EXPECT_FALSE(host_use(blind, look(2, 0, 0), 0));
}

TEST(HostUse, IncludesTheTimeOfThisProcess) {
  const HostLook before = look_at_host();
  const std::clock_t until = std::clock() + CLOCKS_PER_SEC / 2;
  while (std::clock() < until) {
  }
  const HostLook after = look_at_host();
  ASSERT_TRUE(before.times && after.times);
  EXPECT_GE(after.times->cpus, 1);
  EXPECT_GE(after.own_s - before.own_s, 0.49);
  const auto use = host_use(before, after, 0);
  ASSERT_TRUE(use);
  EXPECT_GT(use->busy_s, 0.3) << "it may miss no more than the resolution of CPU time";
  EXPECT_LE(use->busy_s, use->wall_s * use->cpus + 0.1);
}

}  // namespace host_use_test
}  // namespace orch::system
