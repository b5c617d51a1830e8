#include "os/system/work/long_work.hpp"

#include <atomic>
#include <csignal>
#include <future>
#include <thread>

#include <gtest/gtest.h>
#include <sys/resource.h>

namespace orch::system {
namespace workers_test {

TEST(RealWorkers, DoJobsOnOtherThreadsAtTheSameTime) {
  RealWorkers workers;
  std::promise<void> first, second;
  std::thread::id by;
  // Each waits for the other.
  const auto one = workers.start([&] {
    by = std::this_thread::get_id();
    first.set_value();
    second.get_future().wait();
  });
  auto two = workers.start([&] {
    first.get_future().wait();
    second.set_value();
  });
  two.reset();
  EXPECT_NE(by, std::this_thread::get_id());
  EXPECT_GE(workers.cores(), 1u);
}

TEST(RealWorkers, AHandleWaitsForTheEndOfItsJob) {
  RealWorkers workers;
  std::promise<void> go;
  std::atomic<bool> over = false;
  auto running = workers.start([&] {
    go.get_future().wait();
    over = true;
  });
  EXPECT_FALSE(over);
  go.set_value();
  running.reset();
  EXPECT_TRUE(over);
}

// A signal that a worker took would not end the wait of the scheduler.
TEST(RealWorkers, TakeNoSignals) {
  RealWorkers workers;
  sigset_t blocked, mine;
  auto running = workers.start([&] { ::pthread_sigmask(SIG_SETMASK, nullptr, &blocked); });
  running.reset();
  ::pthread_sigmask(SIG_SETMASK, nullptr, &mine);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGCHLD}) {
    EXPECT_TRUE(sigismember(&blocked, signal)) << signal;
    EXPECT_FALSE(sigismember(&mine, signal)) << signal;
  }
}

}  // namespace workers_test
}  // namespace orch::system
