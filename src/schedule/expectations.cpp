#include "schedule/expectations.hpp"

namespace orch::schedule {

void Expectations::learn(const std::string& stage, double seconds) {
  Mean& mean = seen_[stage];
  mean.sum += seconds;
  ++mean.count;
}

double Expectations::of(const std::string& stage) const {
  if (const auto seen = seen_.find(stage); seen != seen_.end())
    return seen->second.sum / seen->second.count;
  if (const auto known = known_.find(stage); known != known_.end()) return known->second;
  Mean all;
  for (const auto& [name, mean] : seen_) {
    all.sum += mean.sum;
    all.count += mean.count;
  }
  return all.count ? all.sum / all.count : -1;
}

}  // namespace orch::schedule
