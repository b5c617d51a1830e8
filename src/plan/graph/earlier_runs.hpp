// What the outputs and failures of earlier runs mean for the stages of a plan.
#pragma once

#include "plan/graph/plan.hpp"
#include "plan/graph/stage_index.hpp"

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace orch::plan {

// The outputs in the store, and why some of them are made again nevertheless. Borrows all
// arguments.
class EarlierOutputs {
 public:
  EarlierOutputs(const Plan& plan, const Done& done, const Options& options)
      : plan_(plan), done_(done), options_(options), adds_sessions_(adds_sessions(plan)) {}

  // The output of STAGE that is reused; null if it has to be made.
  const Made* usable(const Stage& stage) const;
  // Differences of provenance that do not make a measurement stale but may have affected it:
  // "kernel changed 6.1 -> 6.2".
  std::vector<std::string> drift(const Stage& stage, const Made& made) const;
  // Why STAGE, a measurement without a usable output, is made.
  std::string missing_why(const Stage& stage) const;

 private:
  bool is_refreshed(const Stage& stage, const Made& made) const;
  bool is_measured_anew(const Stage& stage, const Made& made) const;

  const Plan& plan_;
  const Done& done_;
  const Options& options_;
  const bool adds_sessions_;
};

// Which idle stages of a plan cannot be made, because of earlier failures. Borrows all arguments.
class EarlierFailures {
 public:
  EarlierFailures(const Plan& plan, const StageIndex& index, const Inputs& inputs);

  // The failed stage because of which STAGE cannot be made, possibly STAGE itself; null if none.
  const Stage* root_of(const Stage& stage) const { return roots_[index_.at(stage.id)]; }
  // Whether STAGE is a measurement that is not tried because that of a smaller point ran out of
  // memory.
  bool is_pruned(const Stage& stage) const { return pruned_.contains(index_.at(stage.id)); }
  // Why STAGE, which has a root, cannot be made.
  std::string why(const Stage& stage) const;
  // "failed in run 3 (cuda_oom): out of memory; --retry-failed tries it again"
  std::string failed_why(const Stage& root) const;

 private:
  void find_failed();
  bool failed_for_good(const Stage& stage) const;
  // Finds measurements of points that need more memory than one that ran out of it.
  void find_pruned();
  bool has_served(const Stage& server) const;
  void prune(const PlannedPoint& point, const Stage& root, const std::string& why);

  const Plan& plan_;
  const StageIndex& index_;
  const Done& done_;
  std::vector<const Stage*> roots_;            // by stage
  std::map<std::size_t, std::string> pruned_;  // measurements, and why they are not tried
};

}  // namespace orch::plan
