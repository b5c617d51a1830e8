// The cost of a plan, and of a loop over its points, estimated from its stages. Pure arithmetic.
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

// An amount expected between two limits. If it is known from earlier attempts or stated by the
// user, both limits equal `usual`.
struct Expected {
  double least = 0;  // lower bound; 0: unknown
  double from = 0, usual = 0, to = 0;

  bool is_range() const { return from < to; }
  void add(const Expected& other, double times = 1);
};

// The time of an attempt of STAGE; all 0 if unknown.
Expected seconds_of(const plan::Stage& stage);

// Sums over stages; stages without an estimate are counted, not guessed.
struct Cost {
  std::size_t stages = 0;
  std::size_t without_seconds = 0;  // stages of unknown time
  std::size_t without_bytes = 0;
  Expected seconds;         // one after the other; a service counts its start
  std::uint64_t bytes = 0;  // of outputs that will be written
  Expected gpu_hours;       // a service holds its GPUs until its last measurement ends
};

Cost cost_of_run(const plan::Plan& plan);  // stages with status run
// The cost of making every stage again for every point, as a bash loop does.
Cost cost_of_loop(const plan::Plan& plan);

// How much of Cost::bytes a disk must hold, given `keep` of the matrix.
struct Disk {
  std::uint64_t remaining = 0;  // without outputs that are removed during the run
  // The minimum room: the remaining outputs, and the removable ones of the measurement that needs
  // most of them.
  std::uint64_t at_once = 0;
};

Disk disk_of_run(const plan::Plan& plan);

// The stages of one name, counted by status. count_stages() has the names in the order in which
// points have their stages.
struct StageCount {
  std::string stage;
  std::size_t all = 0, run = 0, reuse = 0, idle = 0, reject = 0, undecided = 0, failed = 0;
  std::size_t in_a_loop = 0;  // attempts if nothing were shared
  Cost run_cost = {};
};
std::vector<StageCount> count_stages(const plan::Plan& plan);

// Stages that are expected to be ended before they are done: by their own time limit or, for
// servers, by that of their job.

struct Overrun {
  const plan::Stage* stage = nullptr;
  double limit_s = 0;
  Expected seconds;
};

// Tasks and measurements to run that may exceed their timeout, longest first.
std::vector<Overrun> overruns(const plan::Plan& plan);

// Servers to run that may exceed LIMIT_S with all measurements that need them, longest first.
// Stages without an estimate count as zero.
std::vector<Overrun> server_overruns(const plan::Plan& plan, double limit_s);

// Stages that could be merged by raising some of their parameters to the largest value among them:
// engines for several lengths, say. Manifests state for which parameters a larger value covers a
// smaller one.

struct Widening {
  // Parameters with the largest value of each, by name.
  std::vector<std::pair<std::string, std::string>> set = {};
  std::size_t stages = 0;   // that remain
  std::uint64_t bytes = 0;  // of outputs that need not be written
};

struct WiderStages {
  std::string stage;       // in the manifest
  std::size_t stages = 0;  // that are to run
  // Raising all parameters that matter, then all but one of them, as long as that saves a stage.
  std::vector<Widening> ways;
};

// MANIFESTS: those of the plan's runners. Considers the stages to run of each kind for which the
// manifest says that provided outputs may have a larger value (runner::Agree::at_least).
std::vector<WiderStages> wider_stages(const plan::Plan& plan,
                                      std::span<const runner::Manifest* const> manifests);

}  // namespace orch::forecast
