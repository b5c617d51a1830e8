// Simulated sweeps of a server whose true values are known: sessions with metrics at 16 points. The
// model and its numbers are those of docs/statistics.md. Tests no method.
#pragma once

#include "core/base/random.hpp"
#include "core/statistics/session_difference.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace orch::statistics {

struct SweepModel {
  int points = 16;
  int requests = 100;              // of each point
  double session_sd = 0.02;        // of the logarithm
  bool normal_sessions = false;    // otherwise Student's t with 4 degrees of freedom
  double session_point_sd = 0.01;  // of the logarithm, for each point of a session
  double request_cv = 0.2;
  double correlation = 0.7;  // of successive requests
  double outliers = 0.01;    // their share; they take three times as long
};

// One session: a value of each metric at each point.
struct SimulatedSession {
  Session mean_latency;
  Session p99_latency;
  Session throughput;
};

SimulatedSession simulate_session(const SweepModel& model, Random& random);

// A whole comparison: sessions of two equal sides, and earlier ones.
struct SimulatedSweep {
  std::vector<SimulatedSession> a, b, earlier;
};

SimulatedSweep simulate_sweep(const SweepModel& model, int sessions, int earlier, Random& random);

// The first COUNT sessions of one metric.
Sessions first_sessions(const std::vector<SimulatedSession>& sessions,
                        Session SimulatedSession::*metric, int count);
// SESSIONS with all values FACTOR times as large.
Sessions scaled(Sessions sessions, double factor);

// ORCH_SWEEPS, or a number for the ordinary suite.
int sweeps_to_run(int ordinarily);

// Of COUNT sweeps a share of TRUTH percent is seen to be at most this far away, in all but one of a
// thousand seeds.
double chance(double truth_percent, int count);

}  // namespace orch::statistics
