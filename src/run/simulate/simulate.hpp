// Predicts what a run of a plan would do, and when, with the scheduler itself on a simulated host.
// Starts no processes. Uses the durations that the plan expects.
#pragma once

#include "plan/graph/plan.hpp"
#include "plan/resources/ledger.hpp"

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace orch::simulate {

struct Conditions {
  resources::Inventory inventory;
  std::size_t jobs = 1;  // tasks at a time
  // The expected durations of stages without an estimate in the plan, by the stage's name.
  std::map<std::string, double> expected_s;
  double unknown_s = 0;  // for stages about which nothing is known
};

// One attempt of one stage, in seconds from the start of the run.
struct Span {
  std::size_t stage = 0;  // index into Plan::stages
  int attempt = 1;
  double from_s = 0, to_s = 0;
  double ready_s = 0;      // when a server is ready
  std::size_t server = 0;  // of a measurement: its server's index in Timeline::spans
  std::vector<int> gpus, cpus;
};

struct Timeline {
  std::vector<Span> spans;  // sorted by start
  double seconds = 0;       // until the last end
  double gpu_hours = 0;     // over all attempts that held GPUs
  std::size_t unknown = 0;  // stages that got Conditions::unknown_s
};

// Never fails: stages that the inventory can never hold, or that would wait forever, are missing
// from the timeline.
Timeline simulate(const plan::Plan& plan, const Conditions& conditions);

// A lower bound, over all orders, on the time that PLAN takes under its isolation: the larger of
// - area: GPU-seconds of all stages / GPUs, where a server holds its GPUs for its start and for
//   each of its measurements. Under `strict`, the seconds of measurements and starts, which exclude
//   each other, + the GPU-seconds of tasks / GPUs
// - critical path: the longest chain of stages that need each other. Measurements of one server may
//   be divided among several servers, so a server adds its start and its longest measurement
struct Bound {
  double area_s = 0, path_s = 0;
  double seconds() const { return area_s > path_s ? area_s : path_s; }
};
Bound lower_bound(const plan::Plan& plan, const Conditions& conditions);

// The duration of STAGE that simulate() uses, in seconds.
double seconds_of(const plan::Stage& stage, const Conditions& conditions);

}  // namespace orch::simulate
