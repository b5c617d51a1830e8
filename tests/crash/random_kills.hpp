// Sweeps whose processes are killed at random moments, then completed and compared with an
// undisturbed one. The seed is printed; ORCH_CRASH_SEED repeats it.
#pragma once

#include "crash/lanes.hpp"
#include "crash/referee.hpp"
#include "crash/reference.hpp"

#include <csignal>
#include <functional>
#include <random>

#include <gtest/gtest.h>

namespace orch::crash {

using Random = std::mt19937_64;

inline std::uint64_t seed() {
  static const std::uint64_t chosen = [] {
    const char* requested = std::getenv("ORCH_CRASH_SEED");
    const std::uint64_t value =
        requested ? std::strtoull(requested, nullptr, 10) : std::random_device{}();
    fmt::print("[ seed ] ORCH_CRASH_SEED={}\n", value);
    return value;
  }();
  return chosen;
}

struct Victim {
  const char* name;
  // Kills processes of RUN. False: there are none of this kind at the moment.
  std::function<bool(const World& world, const World::Run& run, Random& random)> kill;
  int most_times = 1;  // in a row, each in a run of its own
};

inline bool kill_all(const std::vector<int>& pids) {
  for (const int pid : pids) ::kill(pid, SIGKILL);
  return !pids.empty();
}
inline bool kill_one_of(const std::vector<int>& pids, Random& random) {
  return !pids.empty() && ::kill(pids[random() % pids.size()], SIGKILL) == 0;
}

struct RandomKills {
  std::string title;
  std::vector<Victim> victims;
  Options options{};  // of each world, but for its lane
  std::string axes = k_fixed_axes;
  const Reference* undisturbed = &reference();
  // Whether the store is looked at between a kill and the next run, which takes time.
  bool looks_between = true;
  // What the last run has left elsewhere.
  std::function<std::vector<std::string>(const World&)> left_elsewhere{};

  // COUNT sweeps, whose numbers with the seed begin at FIRST.
  void attempt(int count, std::size_t first) const;

 private:
  struct Trial {
    Verdict verdict;
    int kills = 0;
    double wall_s = 0;
  };
  const Victim& victim(std::size_t number) const { return victims[number % victims.size()]; }
  bool kill_once(World& world, const Victim& victim, Random& random, Verdict& verdict) const;
  Trial attempt_one(std::size_t number, int lane) const;
};

// Starts the sweep and kills VICTIM at some moment. False: nothing was killed.
inline bool RandomKills::kill_once(World& world, const Victim& victim, Random& random,
                                   Verdict& verdict) const {
  World::Run run = world.start(k_paced);
  const double after_s = std::uniform_real_distribution<>(0, undisturbed->wall_s)(random);
  if (run.wait(after_s)) return false;
  bool killed = false;
  while (!run.wait(0) && !(killed = victim.kill(world, run, random))) short_pause();
  const Ended ended = world.finish(run);
  // What dies with a process of another kind is tried again by the same run.
  if (ended.late || (ended.code != 0 && ended.signal != SIGKILL))
    verdict.wrong.push_back(fmt::format("after the kill the run ended with exit status {}: {}",
                                        ended.code, world.last_stderr()));
  return killed;
}

inline RandomKills::Trial RandomKills::attempt_one(std::size_t number, int lane) const {
  Random random(seed() + number);
  Options with = options;
  with.lane = lane;
  World world(with);
  world.write_matrix(axes);
  Referee referee(world, undisturbed->store);
  const auto begun = Clock::now();
  const int times =
      1 + static_cast<int>(random() % static_cast<unsigned>(victim(number).most_times));
  Trial trial;
  Verdict before;
  for (int i = 0; i < times; ++i) {
    trial.kills += kill_once(world, victim(number), random, before);
    if (looks_between) referee.note_record();
  }
  const Ended last = world.run(k_paced);
  trial.verdict = referee.judge(last, world.last_stderr());
  auto& wrong = trial.verdict.wrong;
  wrong.insert(wrong.end(), before.wrong.begin(), before.wrong.end());
  for (const std::string& failure :
       ask_store(world.store(), world.folder(),
                 "SELECT stage || ': ' || class FROM failures WHERE final"))
    wrong.push_back("a final failure: " + failure);
  if (left_elsewhere)
    for (std::string& left : left_elsewhere(world)) trial.verdict.orphaned.push_back(left);
  trial.wall_s = seconds_since(begun);
  return trial;
}

inline void RandomKills::attempt(int count, std::size_t first) const {
  ASSERT_EQ(undisturbed->complaint, "");
  seed();
  std::vector<Trial> trials(static_cast<std::size_t>(count));
  in_lanes(trials.size(),
           [&](std::size_t i, int lane) { trials[i] = attempt_one(first + i, lane); });
  std::map<std::string, Tally> rows;
  int reported = 0, kills = 0;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    const char* name = victim(first + i).name;
    rows[name].add(trials[i].verdict, trials[i].kills > 0, trials[i].wall_s);
    kills += trials[i].kills;
    if (!trials[i].verdict.clean() && reported++ < 20)
      ADD_FAILURE() << "number " << first + i << " of seed " << seed() << ", killed: " << name
                    << "\n"
                    << trials[i].verdict.text();
  }
  fmt::print("{}{} kills\n", table(title, rows), kills);
}

}  // namespace orch::crash
