// What the loop does in one turn, seen by the system calls that it makes.
#include <dlfcn.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>

#include "load/loop_ground.hpp"
#include "wire/http_get.hpp"

namespace {

thread_local int timers_set = 0;
thread_local bool always_busy = false;

}  // namespace

// They stand before the C library's.
extern "C" int timerfd_settime(int fd, int flags, const itimerspec* when, itimerspec* before) noexcept {
  static const auto real = reinterpret_cast<int (*)(int, int, const itimerspec*, itimerspec*)>(::dlsym(RTLD_NEXT, "timerfd_settime"));
  ++timers_set;
  return real(fd, flags, when, before);
}

extern "C" int epoll_wait(int fd, epoll_event* events, int most, int timeout_ms) {
  static const auto real = reinterpret_cast<int (*)(int, epoll_event*, int, int)>(::dlsym(RTLD_NEXT, "epoll_wait"));
  return real(fd, events, most, always_busy ? -1 : timeout_ms);
}

namespace orch::load {
namespace {

TEST(LoopTurns, TheTimerOfTheScheduleIsSetOncePerDeadlineHoweverManyAnswersEnd) {
  truth::Answer together = truth::stream();
  together.after_requests = 40;
  LoopGround ground(truth::always(together));
  std::vector<std::int64_t> due(40, 0);
  due.push_back(200 * k_ms);
  ASSERT_TRUE(ground.loop->open(48).ok());
  timers_set = 0;
  const auto phase = ground.loop->run({.requests = ground.first(41), .concurrency = 0, .due_ns = due});
  ASSERT_TRUE(phase.ok());
  EXPECT_EQ(phase->records.size(), 41u);
  EXPECT_EQ(timers_set, 3) << "the probe on and off, and the one deadline";
}

TEST(LoopTurns, AnswersAreReadThoughSocketsAreNeverQuietAndBodiesEmpty) {
  LoopGround ground(truth::always({.pieces = {{.bytes = "HTTP/1.1 200 X\r\nContent-Length: 0\r\n\r\n"}}}));
  constexpr std::size_t k_most = 20'000;
  always_busy = true;  // the loop is never told that nothing waits
  const auto phase = ground.run(4, {.requests = ground.first(64), .concurrency = 4, .most = k_most, .enough = [](const auto&) { return true; }});
  always_busy = false;
  EXPECT_LT(phase.records.size(), k_most / 2) << "nobody can say that it is enough before answers were read";
}

TEST(LoopTurns, GivesUpConnectionsOnWhichBytesCameBetweenPhases) {
  truth::Answer twice = truth::stream();
  twice.pieces.push_back(truth::at_once(truth::stream({.tokens = 3})).pieces.front());
  LoopGround ground(truth::except(2, twice, truth::stream()));
  static_cast<void>(ground.run(1, {.requests = ground.first(3)}));
  // Once the server answers somebody else, it has sent the second answer, too.
  ASSERT_TRUE(wire::http_get(*wire::parse_url(ground.server.url() + "/"), 5'000).ok());
  const LoadLoop::Phase phase = ground.run(1, {.requests = ground.first(1)});
  EXPECT_EQ(phase.records.at(0).event_ns.size(), 4u);
}

}  // namespace
}  // namespace orch::load
