#include "run/slurm/live_launch.hpp"

#include <csignal>

#include <gtest/gtest.h>

namespace orch::slurm {
namespace live_launch_test {

const std::vector<std::pair<std::string, Phase>> k_phases = {
    {"queued", Queued{}},           {"submitted", Submitted{}},
    {"listed", Listed{}},           {"missing", Missing{{.since_s = 1}}},
    {"over", Over{{.since_s = 2}}}, {"forgotten", Forgotten{{.since_s = 3}}},
    {"beside", Beside{"s"}},        {"deserted", Deserted{{.since_s = 4}, "s"}}};

// "over 2": since when it may be lost.
std::string text_of(const Phase& phase) {
  LiveLaunch live{.phase = phase};
  const Doubt* doubt = live.doubt();
  return k_phases[phase.index()].first + (doubt ? fmt::format(" {}", doubt->since_s) : "");
}

TEST(Phases, MovesAreExactlyThese) {
  constexpr const char* k_news[] = {"submitted", "lives", "over", "missing", "requeued here"};
  static_assert(std::size(k_news) == k_job_news_count);
  std::vector<std::string> moves;
  for (const auto& [name, phase] : k_phases)
    for (std::size_t news = 0; news < k_job_news_count; ++news)
      if (const auto to = phase_after(phase, static_cast<JobNews>(news), 9))
        moves.push_back(fmt::format("{}, {}: {}", name, k_news[news], text_of(*to)));
  EXPECT_EQ(moves, (std::vector<std::string>{"queued, submitted: submitted",
                                             "submitted, lives: listed",
                                             "submitted, over: over 9",
                                             "submitted, missing: missing 9",
                                             "listed, lives: listed",
                                             "listed, over: over 9",
                                             "listed, missing: missing 9",
                                             "missing, lives: listed",
                                             "missing, over: over 9",
                                             "missing, missing: missing 1",
                                             "missing, requeued here: queued",
                                             "over, lives: listed",
                                             "over, over: over 2",
                                             "over, missing: forgotten 2",
                                             "forgotten, lives: listed",
                                             "forgotten, over: over 3",
                                             "forgotten, missing: forgotten 3",
                                             "beside, lives: beside",
                                             "beside, over: deserted 9",
                                             "deserted, lives: beside",
                                             "deserted, over: deserted 4"}));
}

TEST(Phases, AServerIsKnownWhetherItLivesOrNot) {
  for (const auto& [name, phase] : k_phases) {
    const bool is_inside = name == "beside" || name == "deserted";
    EXPECT_EQ((LiveLaunch{.phase = phase}.job_of("own")), is_inside ? "s" : "own") << name;
    EXPECT_EQ((LiveLaunch{.phase = phase}.server() != nullptr), is_inside) << name;
  }
}

TEST(LiveLaunchDeathTest, NewsOfAJobThatWasNeverSubmittedAsserts) {
  LiveLaunch live;
  EXPECT_DEATH(live.hear(JobNews::lives, 0), "next");
}

TEST(LiveLaunch, ASecondStartOfItsJobCountsAsItsEnd) {
  LiveLaunch live{.phase = Submitted{}};
  live.see({.id = "1", .batch = "b", .state = "RUNNING"}, false, 5);
  EXPECT_EQ(text_of(live.phase), "listed");
  EXPECT_EQ(live.said_s, 5);
  live.see({.id = "1", .batch = "b", .state = "PENDING"}, true, 6);
  EXPECT_EQ(text_of(live.phase), "over 6");
  EXPECT_EQ(live.lost("t").job_state, "PREEMPTED");
}

TEST(LiveLaunch, IsKilledOnceItIsAndItsJobIsCancelledNoLaterForIt) {
  LiveLaunch live;
  EXPECT_EQ(live.told(), 0);
  live.tell(SIGTERM, 60);
  EXPECT_EQ(live.told(), SIGTERM);
  live.tell(SIGKILL, 70);
  live.tell(SIGKILL, 80);
  EXPECT_EQ(live.told(), SIGKILL);
  EXPECT_EQ(std::get<Killed>(live.stop).hangs_at_s, 70);
  live.tell(SIGTERM, 90);
  EXPECT_EQ(live.told(), SIGKILL);
  EXPECT_FALSE(live.lost("t").guardian_lost) << "its end was asked for";
}

TEST(Pulse, IsSilentSinceItsLastChange) {
  Pulse pulse;
  EXPECT_EQ(pulse.silent_s("", 10), 0) << "the first look";
  EXPECT_EQ(pulse.silent_s("", 14), 4);
  EXPECT_FALSE(pulse.was_heard());
  EXPECT_EQ(pulse.silent_s("1", 15), 0);
  EXPECT_TRUE(pulse.was_heard());
  pulse.forgive(20);
  EXPECT_EQ(pulse.silent_s("1", 21), 1);
}

}  // namespace live_launch_test
}  // namespace orch::slurm
