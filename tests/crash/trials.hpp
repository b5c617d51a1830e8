// Kills at kill points, in worlds of a scenario: each killed sweep is completed and compared with
// an undisturbed one.
#pragma once

#include "crash/kill_points.hpp"
#include "crash/lanes.hpp"
#include "crash/referee.hpp"
#include "crash/reference.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace orch::crash {

// A sweep that reaches points which the fixed sweep does not.
struct Scenario {
  Options options{};  // of each world, but for its lane
  std::string axes = k_fixed_axes;
  World::Variables variables = k_paced;
  const Reference* undisturbed = &reference();
};

struct Trial {
  Verdict verdict;
  bool reached = false;  // every kill happened
  Hits resumed;          // reached by the last run
  double wall_s = 0;
};

// A fresh sweep, killed at each of KILLS in turn, then completed.
inline Trial attempt(const Scenario& scenario, const std::vector<Kill>& kills, int lane) {
  Options options = scenario.options;
  options.lane = lane;
  World world(options);
  world.write_matrix(scenario.axes);
  Referee referee(world, scenario.undisturbed->store);
  const auto begun = Clock::now();
  Trial trial{.verdict = {}, .reached = true, .resumed = {}, .wall_s = 0};
  int runs = 0;
  for (const Kill& kill : kills) {
    const Ended ended = world.run(killing(world, scenario.variables, kill, ++runs));
    if (ended.late) trial.verdict.wrong.push_back("the run that was to be killed did not end");
    trial.reached =
        trial.reached && hits_in(world, fmt::format("log{}", runs))[kill.name] >= kill.hit;
    referee.note_record();
  }
  World::Variables variables = scenario.variables;
  variables["ORCHESTRATE_KILL_LOG"] = world.folder() + "/log";
  const Ended last = world.run(variables);
  Verdict verdict = referee.judge(last, world.last_stderr());
  verdict.wrong.insert(verdict.wrong.end(), trial.verdict.wrong.begin(), trial.verdict.wrong.end());
  trial.verdict = std::move(verdict);
  trial.resumed = hits_in(world, "log");
  trial.wall_s = seconds_since(begun);
  return trial;
}

inline std::string words(const std::vector<Kill>& kills) {
  std::string text;
  for (const Kill& kill : kills)
    text += fmt::format("{}{}:{}", text.empty() ? "" : ", then ", kill.name, kill.hit);
  return text;
}

// Tries each list of kills; prints the table by the name of the last one, and reports the first
// errors.
inline std::vector<Trial> attempt_all(const std::string& title, const Scenario& scenario,
                                      const std::vector<std::vector<Kill>>& plans) {
  std::vector<Trial> trials(plans.size());
  in_lanes(plans.size(),
           [&](std::size_t i, int lane) { trials[i] = attempt(scenario, plans[i], lane); });
  std::map<std::string, Tally> rows;
  int reported = 0;
  for (std::size_t i = 0; i < plans.size(); ++i) {
    rows[plans[i].back().name].add(trials[i].verdict, trials[i].reached, trials[i].wall_s);
    if (!trials[i].verdict.clean() && reported++ < 20)
      ADD_FAILURE() << "killed at " << words(plans[i]) << ":\n" << trials[i].verdict.text();
  }
  fmt::print("{}", table(title, rows));
  return trials;
}

// The hits at which NAME is tried: all of them, or the first and the middle one.
inline std::vector<int> chosen(int hits) {
  if (!full()) return hits > 2 ? std::vector<int>{1, (hits + 1) / 2} : std::vector<int>{1};
  std::vector<int> all(static_cast<std::size_t>(hits));
  for (int i = 0; i < hits; ++i) all[static_cast<std::size_t>(i)] = i + 1;
  return all;
}

inline Hits count_mode(const Scenario& scenario) {
  World world(scenario.options);
  world.write_matrix(scenario.axes);
  World::Variables variables = scenario.variables;
  variables["ORCHESTRATE_KILL_LOG"] = world.folder() + "/log";
  EXPECT_EQ(world.run(variables).code, 0) << world.last_stderr();
  return hits_in(world, "log");
}

// Kills, and the trials after them.
using Tried = std::pair<std::vector<std::vector<Kill>>, std::vector<Trial>>;

// Tries every name that SCENARIO reaches and SEEN does not contain; returns the trials, and adds
// the names to SEEN.
inline Tried attempt_new(const std::string& title, const Scenario& scenario,
                         std::set<std::string>& seen) {
  std::vector<std::vector<Kill>> plans;
  for (const auto& [name, hits] : count_mode(scenario)) {
    if (!seen.insert(name).second) continue;
    for (const int hit : chosen(hits)) plans.push_back({{name, hit}});
  }
  return {plans, attempt_all(title, scenario, plans)};
}

// Names that only a resuming run reaches: killed there, after a first kill that leads there.
// Whether it does may depend on timing; then the next first kill is tried.
inline void attempt_resuming(const std::string& title, const Scenario& scenario,
                             const Tried& before, std::set<std::string>& seen) {
  struct Way {
    Kill kill;
    int hits = 0;
  };
  std::map<std::string, std::vector<Way>> ways;
  const auto& [first, trials] = before;
  for (std::size_t i = 0; i < trials.size(); ++i)
    for (const auto& [name, hits] : trials[i].resumed)
      if (!seen.contains(name)) ways[name].push_back({first[i].front(), hits});
  constexpr int k_rounds = 5;
  for (int round = 0; round < k_rounds && !ways.empty(); ++round) {
    std::vector<std::vector<Kill>> plans;
    for (auto& [name, left] : ways) {
      const auto best = std::max_element(
          left.begin(), left.end(), [](const Way& a, const Way& b) { return a.hits < b.hits; });
      for (const int hit : chosen(best->hits)) plans.push_back({best->kill, {name, hit}});
      left.erase(best);
    }
    const auto tried = attempt_all(title, scenario, plans);
    for (std::size_t i = 0; i < plans.size(); ++i)
      if (tried[i].reached) ways.erase(plans[i].back().name), seen.insert(plans[i].back().name);
    std::erase_if(ways, [](const auto& entry) { return entry.second.empty(); });
  }
}

}  // namespace orch::crash
