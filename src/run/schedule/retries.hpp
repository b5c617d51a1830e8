// What the failure of an attempt means for its stage: a retry with exponential backoff, or the end
// of the stage and of all that depends on it. Knows no process.
#pragma once

#include "run/schedule/run_state.hpp"

#include <map>
#include <string>

namespace orch::schedule {

class Retries {
 public:
  explicit Retries(RunState& run) : run_(run) {}

  // How often STAGE has failed for the harness's fault. The first call asks the journal, so make it
  // before the journal hears of the next failure.
  int& harness_failures(Index stage);
  // Postpones STAGE while its retry budget lasts and the failure is the harness's; else gives up.
  void failed(Index stage, const AttemptFailure& failure);
  // STAGE has failed for good; its dependants are skipped.
  void give_up(Index stage, const AttemptFailure& failure);
  const std::map<std::string, std::size_t>& failed_by_class() const { return failed_by_class_; }

 private:
  // Gives up the measurements that are known to fail because STAGE ran out of memory.
  void prune(Index stage, const std::string& klass);

  RunState& run_;
  std::map<std::string, std::size_t> failed_by_class_;
};

}  // namespace orch::schedule
