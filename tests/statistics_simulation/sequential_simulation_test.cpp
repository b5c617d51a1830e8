// The level, power and length of a comparison that stops early, over simulated sweeps.
// ORCH_SWEEPS=2000 runs as many as docs/statistics.md states: three times this number, because
// powers and rounds are compared to a point and to a tenth.
#include "core/statistics/sequential.hpp"
#include "sweeps.hpp"

#include <cmath>

#include <fmt/core.h>
#include <gtest/gtest.h>

namespace orch::statistics {
namespace sequential_simulation_test {

constexpr int k_most = 10;
constexpr double k_size = 3;  // percent

struct Outcome {
  double found = 0;        // percent of the sweeps
  double fixed_found = 0;  // by one look at the last session
  double covers = 0;       // of the intervals at the end
  double rounds = 0;       // mean
};

struct Stopped {
  bool found = false;
  bool covers = false;
  int rounds = 0;
};

Stopped follow(const std::vector<Look>& plan, const Sessions& a, const Sessions& b, double truth) {
  for (const Look& look : plan) {
    const auto first = [&](const Sessions& all) {
      return Sessions(all.begin(), all.begin() + look.sessions);
    };
    const SessionDifference difference =
        session_difference(first(a), first(b), {.level = 1 - look.alpha});
    const Step next = step(difference, k_size, look.sessions == plan.back().sessions);
    if (next == Step::go_on) continue;
    return {.found = next == Step::differs,
            .covers = difference.inference->low <= truth && truth <= difference.inference->high,
            .rounds = look.sessions};
  }
  return {};
}

// The sessions with one pair each, the mean over their points: the same differences, sooner.
Sessions reduced(const std::vector<SimulatedSession>& sessions) {
  Sessions out;
  for (const SimulatedSession& session : sessions) {
    double sum = 0;
    for (const Observation& one : session.mean_latency) sum += std::log(one.value);
    const double points = static_cast<double>(session.mean_latency.size());
    out.push_back({{"all", std::exp(sum / points)}});
  }
  return out;
}

std::vector<Outcome> run(const SweepModel& model, const std::vector<double>& effects, int sweeps) {
  Random random(20261129);
  const std::vector<Look> plan = looks(k_most);
  std::vector<Outcome> out(effects.size());
  for (int i = 0; i < sweeps; ++i) {
    const SimulatedSweep sweep = simulate_sweep(model, k_most, 0, random);
    const Sessions a = reduced(sweep.a);
    const Sessions b = reduced(sweep.b);
    for (std::size_t e = 0; e < effects.size(); ++e) {
      const Sessions moved = scaled(b, 1 + effects[e]);
      const Stopped stopped = follow(plan, a, moved, 100 * effects[e]);
      const double each = 100.0 / sweeps;
      out[e].found += stopped.found * each;
      out[e].covers += stopped.covers * each;
      out[e].rounds += stopped.rounds * each / 100;
      out[e].fixed_found += (session_difference(a, moved).inference->p < 0.05) * each;
    }
  }
  return out;
}

TEST(SequentialSimulation, KeepsItsLevelAndSavesAQuarterOfTheSessions) {
  const int sweeps = 3 * sweeps_to_run(600);
  const std::vector<double> effects = {0, 0.03, 0.05};
  const std::vector<Outcome> seen = run({}, effects, sweeps);
  fmt::print("{} sweeps, looks at 3 to {} sessions a side\n", sweeps, k_most);
  for (std::size_t e = 0; e < effects.size(); ++e)
    fmt::print(
        "difference {:.0f} %: found {:5.1f} %, by one look at the end {:5.1f} %, rounds "
        "{:.2f}, interval covers {:.1f} %\n",
        100 * effects[e], seen[e].found, seen[e].fixed_found, seen[e].rounds, seen[e].covers);
  EXPECT_LE(seen[0].found, 5.5);
  EXPECT_GE(seen[1].found, seen[1].fixed_found - 6);
  EXPECT_LE(seen[1].rounds, 0.75 * k_most);
  for (const Outcome& one : seen) EXPECT_GE(one.covers, 93);
}

// The level is a little higher where no session is far off.
TEST(SequentialSimulation, NearlyKeepsItsLevelForNormalSessions) {
  const int sweeps = 3 * sweeps_to_run(600);
  const std::vector<Outcome> seen = run({.normal_sessions = true}, {0}, sweeps);
  fmt::print(
      "{} sweeps with normal sessions: {:.1f} % false alarms, by one look at the end {:.1f} %\n",
      sweeps, seen[0].found, seen[0].fixed_found);
  EXPECT_LE(seen[0].found, 6 + chance(6, sweeps));
}

}  // namespace sequential_simulation_test
}  // namespace orch::statistics
