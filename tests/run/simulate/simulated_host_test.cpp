#include "run/simulate/simulated_host.hpp"

#include <gtest/gtest.h>

namespace orch::simulate {
namespace simulated_host_test {

struct Host {
  SimulatedClock clock;
  SimulatedReadiness readiness{clock};
  SimulatedExecutor executor{clock, readiness};

  void start(const std::string& token, double seconds, bool server = false) {
    executor.takes(token, seconds, server);
    execute::Launch launch;
    launch.token = token;
    ASSERT_TRUE(executor.start(launch).ok());
    if (server) readiness.watch(token, {});
  }
};

TEST(SimulatedHost, JumpsToTheNextEnd) {
  Host host;
  host.start("a", 100);
  host.start("b", 30);
  const auto first = host.executor.poll(0.01);
  ASSERT_EQ(first.size(), 1u);
  EXPECT_EQ(first[0].token, "b");
  EXPECT_EQ(first[0].wall_s, 30);
  EXPECT_EQ(host.clock.now_s(), 30);
}

TEST(SimulatedHost, AServerIsReadyAfterItsStartAndEndsWhenItIsTold) {
  Host host;
  host.start("s", 20, true);
  EXPECT_EQ(host.readiness.report("s").health, attempt::Health::pending);
  EXPECT_TRUE(host.executor.poll(0.01).empty());
  EXPECT_EQ(host.clock.now_s(), 20);
  EXPECT_EQ(host.readiness.report("s").health, attempt::Health::ready);
  host.readiness.forget("s");
  EXPECT_TRUE(host.executor.poll(7).empty());
  EXPECT_EQ(host.clock.now_s(), 27) << "nothing happens until it is told";
  host.executor.terminate("s");
  EXPECT_EQ(host.executor.poll(1).size(), 1u);
}

}  // namespace simulated_host_test
}  // namespace orch::simulate
