#include "run/schedule/expectations.hpp"

namespace orch::schedule {

void Expectations::learn(const std::string& stage, double seconds, double estimate) {
  Mean& mean = seen_[stage];
  mean.sum += seconds;
  ++mean.count;
  if (estimate <= 0) return;
  mean.of_estimated += seconds;
  mean.estimates += estimate;
}

double Expectations::corrected(const std::string& stage, double estimate) const {
  const auto seen = seen_.find(stage);
  if (seen != seen_.end()) {
    const Mean& mean = seen->second;
    if (estimate >= 0 && mean.estimates > 0) return estimate * mean.of_estimated / mean.estimates;
    if (estimate < 0) return mean.sum / mean.count;
  }
  if (estimate >= 0) return estimate;
  const auto known = known_.find(stage);
  return known == known_.end() ? -1 : known->second;
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
