// The turns of the loop, observed through its system calls.
#include "bench/load/loop_fixture.hpp"
#include "bench/wire/http_get.hpp"

#include <dlfcn.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>

namespace orch::load {
namespace load_loop_turns_test {

thread_local int timers_set = 0;
thread_local bool always_busy = false;
// Blocks the loop once for LASTS_NS, after AT_TIMERS timers were set.
struct Stall {
  int at_timers = 0;
  std::int64_t lasts_ns = 0;
  std::int64_t begin_ns = 0, end_ns = 0;  // set by the stall

  void maybe() {
    if (lasts_ns == 0 || end_ns > 0 || timers_set < at_timers) return;
    begin_ns = truth::now_ns();
    while ((end_ns = truth::now_ns()) < begin_ns + lasts_ns) {
    }
  }
};
thread_local Stall stall;

// The linker takes these definitions instead of the C library's.
extern "C" int timerfd_settime(int fd, int flags, const itimerspec* when,
                               itimerspec* before) noexcept {
  static const auto real = reinterpret_cast<int (*)(int, int, const itimerspec*, itimerspec*)>(
      ::dlsym(RTLD_NEXT, "timerfd_settime"));
  ++timers_set;
  return real(fd, flags, when, before);
}

extern "C" int epoll_wait(int fd, epoll_event* events, int most, int timeout_ms) {
  static const auto real =
      reinterpret_cast<int (*)(int, epoll_event*, int, int)>(::dlsym(RTLD_NEXT, "epoll_wait"));
  stall.maybe();
  return real(fd, events, most, always_busy ? -1 : timeout_ms);
}

TEST(LoopTurns, TheScheduleTimerIsSetOncePerDeadline) {
  truth::Answer together = truth::stream();
  together.after_requests = 40;
  TimedLoop fixture(truth::always(together));
  std::vector<std::int64_t> due(40, 0);
  due.push_back(200 * k_ms);
  ASSERT_TRUE(fixture.loop->open(48).ok());
  timers_set = 0;
  const auto phase =
      fixture.loop->run({.requests = fixture.first(41), .concurrency = 0, .due_ns = due});
  ASSERT_TRUE(phase.ok());
  EXPECT_EQ(phase->records.size(), 41u);
  EXPECT_EQ(timers_set, 3) << "the probe on, the probe off and one deadline";
}

TEST(LoopTurns, AStallDoesNotShiftTheSchedule) {
  TimedLoop fixture(truth::always(truth::stream()));
  std::vector<std::int64_t> due;
  for (int i = 0; i < 60; ++i) due.push_back(i * 5 * k_ms);
  ASSERT_TRUE(fixture.loop->open(16).ok());
  timers_set = 0;
  stall = {.at_timers = 10, .lasts_ns = 60 * k_ms};
  const auto phase =
      fixture.loop->run({.requests = fixture.first(60), .concurrency = 0, .due_ns = due});
  const Stall past = std::exchange(stall, {});
  ASSERT_TRUE(phase.ok());
  ASSERT_EQ(phase->records.size(), 60u) << "nothing is dropped";
  const std::int64_t begin_ns = *phase->records[0].due_ns;
  int during = 0;
  std::int64_t least_lag_ns = INT64_MAX;
  for (std::size_t i = 0; i < 60; ++i) {
    const measure::RequestRecord& record = phase->records[i];
    EXPECT_EQ(record.error, "");
    EXPECT_EQ(*record.due_ns, begin_ns + due[i]) << "the schedule keeps its start";
    if (*record.due_ns > past.begin_ns && *record.due_ns <= past.end_ns) {
      ++during;
      EXPECT_GE(record.sent_ns, past.end_ns);
    }
    if (*record.due_ns > past.end_ns)
      least_lag_ns = std::min(least_lag_ns, record.sent_ns - *record.due_ns);
  }
  EXPECT_GT(during, 0) << "some requests came due during the stall";
  EXPECT_LT(least_lag_ns, past.lasts_ns / 2)
      << "requests due after the stall are not delayed by it";
}

TEST(LoopTurns, EmptyAnswersAreReadEvenIfSocketsStayBusy) {
  TimedLoop fixture(truth::always(
      truth::Answer{.pieces = {{.bytes = "HTTP/1.1 200 X\r\nContent-Length: 0\r\n\r\n"}}}));
  constexpr std::size_t k_most = 20'000;
  always_busy = true;  // epoll_wait never reports that no event is pending
  const auto phase = fixture.run(4, {.requests = fixture.first(64),
                                     .concurrency = 4,
                                     .max_requests = k_most,
                                     .should_stop = [](const auto&) { return true; }});
  always_busy = false;
  EXPECT_LT(phase.records.size(), k_most / 2)
      << "should_stop is consulted only after answers were read";
}

TEST(LoopTurns, ReopensConnectionsThatReceivedBytesBetweenPhases) {
  truth::Answer twice = truth::stream();
  twice.pieces.push_back(truth::at_once(truth::stream({.tokens = 3})).pieces.front());
  TimedLoop fixture(truth::except(2, twice, truth::stream()));
  static_cast<void>(fixture.run(1, {.requests = fixture.first(3)}));
  // When the server answers another client, it has also sent the second answer.
  ASSERT_TRUE(wire::http_get(*wire::parse_url(fixture.server.url() + "/"), 5'000).ok());
  const LoadLoop::Phase phase = fixture.run(1, {.requests = fixture.first(1)});
  EXPECT_EQ(phase.records.at(0).event_ns.size(), 4u);
}

}  // namespace load_loop_turns_test
}  // namespace orch::load
