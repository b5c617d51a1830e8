// The timer of the timed loop, in an epoll set of its own.
#include "bench/load/loop_parts.hpp"
#include "bench/wire/exchange.hpp"

#include <gtest/gtest.h>
#include <sys/epoll.h>

namespace orch::load {
namespace epoll_timer_test {

constexpr std::uint32_t k_tag = 7;
constexpr int k_patience_ms = 10'000;

class EpollTimerTest : public testing::Test {
 protected:
  // The tag of the event that arrives within TIMEOUT_MS; empty without an event.
  std::optional<std::uint32_t> wait(int timeout_ms) {
    epoll_event event{};
    if (::epoll_wait(epoll_.get(), &event, 1, timeout_ms) != 1) return {};
    return std::uint32_t{event.data.u32};
  }

  system::Descriptor epoll_{::epoll_create1(EPOLL_CLOEXEC)};
  std::unique_ptr<EpollTimer> timer_ = *EpollTimer::make(epoll_.get(), k_tag);
};

TEST_F(EpollTimerTest, ADeadlineInThePastFiresAtOnceWithItsTag) {
  ASSERT_TRUE(timer_->arm(1).ok());
  EXPECT_EQ(wait(k_patience_ms), k_tag);
  EXPECT_EQ(timer_->expired(), 1u);
  EXPECT_EQ(timer_->expired(), 0u) << "each deadline is counted once";
}

TEST_F(EpollTimerTest, APeriodCountsEveryDeadlineThatPassed) {
  ASSERT_TRUE(timer_->arm(wire::monotonic_ns() - 10'500'000, 1'000'000).ok());
  EXPECT_EQ(wait(k_patience_ms), k_tag);
  EXPECT_GE(timer_->expired(), 11u);
}

TEST_F(EpollTimerTest, ADeadlineOfZeroDisarms) {
  ASSERT_TRUE(timer_->arm(1).ok());
  ASSERT_TRUE(timer_->arm(0).ok());
  EXPECT_EQ(wait(0), std::nullopt);
}

TEST_F(EpollTimerTest, AnInvalidEpollSetIsAnError) {
  EXPECT_FALSE(EpollTimer::make(-1, k_tag).ok());
}

}  // namespace epoll_timer_test
}  // namespace orch::load
