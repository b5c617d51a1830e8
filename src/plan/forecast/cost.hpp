// The cost of a plan, and of a loop over its points, from the estimates of its stages. Pure
// arithmetic.
#pragma once

#include "plan/graph/plan.hpp"
#include "spec/runner/manifest.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace orch::forecast {

// An amount that is expected between two limits. Where earlier attempts or the user state it, both
// are equal to `usual`.
struct Expected {
  double least = 0;  // a bound: it is never less; 0: no bound is known
  double from = 0, usual = 0, to = 0;

  bool is_range() const { return from < to; }
  void add(const Expected& other, double times = 1);
};

// The time of an attempt of STAGE. All 0 where it is unknown.
Expected seconds_of(const plan::Stage& stage);

// Sums over stages; those without an estimate are counted, not guessed.
struct Cost {
  std::size_t stages = 0;
  std::size_t without_seconds = 0;  // stages whose time is unknown
  std::size_t without_bytes = 0;
  Expected seconds;         // one after the other; a service counts its start
  std::uint64_t bytes = 0;  // of outputs that will be written
  Expected gpu_hours;       // a service holds its GPUs until its last measurement ends
};

Cost cost_of_run(const plan::Plan& plan);  // stages with status run
// Every stage again for every point, as a bash loop does it.
Cost cost_of_loop(const plan::Plan& plan);

// What of Cost::bytes a disk must hold, by `keep` of the matrix.
struct Disk {
  std::uint64_t remaining = 0;  // without the outputs that go
  // What remains, and the outputs that go of the measurement that needs most of them: less room
  // does not do.
  std::uint64_t at_once = 0;
};

Disk disk_of_run(const plan::Plan& plan);

// Per stage of the manifest, in its order.
struct StageCount {
  std::string stage;
  std::size_t all = 0, run = 0, reuse = 0, idle = 0, reject = 0, undecided = 0, failed = 0;
  std::size_t in_a_loop = 0;  // attempts if nothing was shared
  Cost run_cost;
};
std::vector<StageCount> count_stages(const plan::Plan& plan);

// Stages that are expected to be ended before they are done: by their own time limit, or as servers
// by that of their job.

struct Overrun {
  const plan::Stage* stage = nullptr;
  double limit_s = 0;
  Expected seconds;
};

// Tasks and measurements to run that may take longer than their timeout; the longest first.
std::vector<Overrun> overruns(const plan::Plan& plan);

// Servers to run that may take longer than LIMIT_S with all measurements that need them; the
// longest first. Stages without an estimate count as nothing.
std::vector<Overrun> server_overruns(const plan::Plan& plan, double limit_s);

// Stages that could be one if some of their parameters were as large as the largest of them:
// engines for several lengths, say. Knows no parameter: manifests say which of them a larger value
// covers.

struct Widening {
  std::vector<std::pair<std::string, std::string>> set;  // parameter -> the largest value; by name
  std::size_t stages = 0;                                // that remain
  std::uint64_t bytes = 0;                               // of outputs that are not written
};

struct WiderStages {
  std::string stage;       // in the manifest
  std::size_t stages = 0;  // that are to run
  // With all parameters that matter, then with all but one of them, as far as that saves a stage.
  std::vector<Widening> ways;
};

// MANIFESTS: those of the plan's runners. Considers the stages to run of each kind whose manifest
// says for provided outputs that a larger value is enough (runner::Agree::at_least).
std::vector<WiderStages> wider_stages(const plan::Plan& plan,
                                      std::span<const runner::Manifest* const> manifests);

}  // namespace orch::forecast
