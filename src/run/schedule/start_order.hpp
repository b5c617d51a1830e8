// The ready tasks and servers of one moment, in the order in which they should start. What cannot
// start is set aside together with all that ask the host for the same.
#pragma once

#include "run/schedule/outputs/needless_outputs.hpp"

#include <optional>
#include <set>

namespace orch::schedule {

class StartOrder {
 public:
  // Without NEEDLESS, no task is held back.
  StartOrder(RunState& run, const NeedlessOutputs* needless) : run_(run), needless_(needless) {}

  // The first one that is not set aside; of servers, one that could be measured at once.
  std::optional<Index> next(bool tasks, bool services) const;
  // Sets aside STAGE alone, or all of its kind that ask for the same.
  void skip(Index stage) { skipped_.insert(stage); }
  void block(Index stage) { blocked_.emplace(run_.kind(stage), run_.demands.class_of(stage)); }
  std::size_t skipped() const { return skipped_.size(); }

 private:
  RunState& run_;
  const NeedlessOutputs* needless_;
  std::set<Index> skipped_;
  std::set<std::pair<runner::Kind, Demands::Class>> blocked_;
};

}  // namespace orch::schedule
