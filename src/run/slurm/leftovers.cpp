#include "run/slurm/leftovers.hpp"

#include <algorithm>

namespace orch::slurm {

void Leftovers::remove(const std::map<std::string, LiveLaunch>& live) {
  std::set<std::string> wanted = kept_;
  for (const auto& [token, launch] : live) wanted.insert(token);
  for (const std::string& token : ended_)
    if (!wanted.contains(token) && !records_.contains(token)) files_.forget_ended(token);
  std::set<std::string> stale;
  for (const std::string& batch : batches_) {
    const std::vector<std::string> tokens = files_.tokens_of(batch);
    if (std::ranges::none_of(tokens,
                             [&](const std::string& token) { return wanted.contains(token); }))
      stale.insert(batch);
  }
  std::vector<std::string> ids;
  for (const JobState& job : jobs_.all())
    if (!job.is_over() && stale.contains(job.batch)) ids.push_back(job.id);
  if (!ids.empty() && !slurm_.cancel(ids)) return;
  for (const std::string& batch : stale) files_.forget_batch(batch);
  are_removed_ = true;
}

}  // namespace orch::slurm
