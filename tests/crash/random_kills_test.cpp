// Kills at random moments: of the orchestrator, of a guardian, of all at once, repeatedly. The seed
// is printed; ORCH_CRASH_SEED repeats it.
#include "crash/lanes.hpp"
#include "crash/reference.hpp"
#include "crash/referee.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <random>

namespace orch::crash {
namespace random_kills_test {

enum class Victim { orchestrator, guardian, both, again };
constexpr std::pair<Victim, const char*> k_victims[] = {
    {Victim::orchestrator, "the orchestrator"},
    {Victim::guardian, "one guardian"},
    {Victim::both, "orchestrator and all guardians"},
    {Victim::again, "the orchestrator, up to 3 times in a row"}};

std::uint64_t seed() {
  static const std::uint64_t chosen = [] {
    const char* requested = std::getenv("ORCH_CRASH_SEED");
    const std::uint64_t value =
        requested ? std::strtoull(requested, nullptr, 10) : std::random_device{}();
    fmt::print("[ seed ] ORCH_CRASH_SEED={}\n", value);
    return value;
  }();
  return chosen;
}

using Random = std::mt19937_64;

double up_to(Random& random, double most) {
  return std::uniform_real_distribution<>(0, most)(random);
}

// Starts the sweep and kills VICTIM after AFTER_S. False: the sweep had already ended.
bool kill_one(World& world, Victim victim, double after_s, Random& random, Verdict& verdict) {
  World::Run run = world.start(k_paced);
  if (run.wait(after_s)) return false;
  std::vector<int> guardians = victim == Victim::orchestrator || victim == Victim::again
                                   ? std::vector<int>{}
                                   : guardians_of(world, run.pid);
  if (victim == Victim::guardian) {
    if (guardians.empty()) return world.finish(run), false;
    ::kill(guardians[random() % guardians.size()], SIGKILL);
    const Ended ended = world.finish(run);
    // The same run retries a stage that died with its guardian.
    if (ended.late || ended.code != 0)
      verdict.wrong.push_back(
          fmt::format("after its guardian was killed the run ended with exit status {}: {}",
                      ended.code, world.last_stderr()));
    return true;
  }
  run.kill();
  for (const int guardian : guardians) ::kill(guardian, SIGKILL);
  world.finish(run);
  return true;
}

struct Trial {
  Verdict verdict;
  Victim victim = Victim::orchestrator;
  bool reached = false;
  double wall_s = 0;
};

Trial attempt(std::size_t number, int lane, bool look_between) {
  Random random(seed() + number);
  Trial trial{.verdict = {},
              .victim = k_victims[number % std::size(k_victims)].first,
              .reached = false,
              .wall_s = 0};
  World world({.lane = lane});
  Referee referee(world, reference().store);
  const auto begun = Clock::now();
  const int times = trial.victim == Victim::again ? 1 + static_cast<int>(random() % 3) : 1;
  Verdict before;
  for (int i = 0; i < times; ++i) {
    trial.reached =
        kill_one(world, trial.victim, up_to(random, reference().wall_s), random, before) ||
        trial.reached;
    if (look_between) referee.note_record();
  }
  const Ended last = world.run(k_paced);
  trial.verdict = referee.judge(last, world.last_stderr());
  trial.verdict.wrong.insert(trial.verdict.wrong.end(), before.wrong.begin(), before.wrong.end());
  trial.wall_s = seconds_since(begun);
  return trial;
}

void attempt_many(const std::string& title, int count, std::size_t first, bool look_between) {
  ASSERT_EQ(reference().complaint, "");
  seed();
  std::vector<Trial> trials(static_cast<std::size_t>(count));
  in_lanes(trials.size(),
           [&](std::size_t i, int lane) { trials[i] = attempt(first + i, lane, look_between); });
  std::map<std::string, Tally> rows;
  int reported = 0;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    rows[k_victims[static_cast<std::size_t>(trials[i].victim)].second].add(
        trials[i].verdict, trials[i].reached, trials[i].wall_s);
    if (!trials[i].verdict.clean() && reported++ < 20)
      ADD_FAILURE() << "number " << first + i << " of seed " << seed()
                    << ", killed: " << k_victims[static_cast<std::size_t>(trials[i].victim)].second
                    << "\n"
                    << trials[i].verdict.text();
  }
  fmt::print("{}", table(title, rows));
}

TEST(RandomKills, NeitherLoseNorDuplicateNorOverlapNorLeaveAnything) {
  attempt_many("killed at random moments", count_of(50, 1000), 0, true);
}

// The store is not inspected between the kill and the next run, so that no time passes.
TEST(RandomKills, AnImmediateRestartRunsNoStageTwiceAtOnce) {
  attempt_many("killed and at once restarted", count_of(20, 500), 1'000'000, false);
}

}  // namespace random_kills_test
}  // namespace orch::crash
