#include "bench/load/epoll_timer.hpp"

#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <cerrno>

namespace orch::load {

Result<std::unique_ptr<EpollTimer>> EpollTimer::make(int epoll, std::uint32_t tag) {
  auto timer = std::make_unique<EpollTimer>();
  timer->fd_ = system::Descriptor(::timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC));
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u32 = tag;
  if (!timer->fd_ || ::epoll_ctl(epoll, EPOLL_CTL_ADD, timer->fd_.get(), &event) != 0)
    return io_error("create", "a timer", errno);
  return timer;
}

Status EpollTimer::arm(std::int64_t at_ns, std::int64_t period_ns) {
  if (period_ns == 0 && at_ns == at_ns_) return {};
  at_ns_ = period_ns == 0 ? at_ns : k_unknown;
  itimerspec when{};
  when.it_value = {.tv_sec = at_ns / 1'000'000'000, .tv_nsec = at_ns % 1'000'000'000};
  when.it_interval = {.tv_sec = period_ns / 1'000'000'000, .tv_nsec = period_ns % 1'000'000'000};
  if (::timerfd_settime(fd_.get(), TFD_TIMER_ABSTIME, &when, nullptr) != 0)
    return io_error("start", "a timer", errno);
  return {};
}

std::uint64_t EpollTimer::expired() {
  std::uint64_t count = 0;
  if (at_ns_ != k_unknown) at_ns_ = 0;
  return ::read(fd_.get(), &count, sizeof count) == sizeof count ? count : 0;
}

}  // namespace orch::load
