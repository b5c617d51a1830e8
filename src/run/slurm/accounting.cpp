#include "run/slurm/accounting.hpp"

#include <algorithm>

namespace orch::slurm {

std::string Accounting::id_of(const std::string& token, const LiveLaunch& live) {
  if (!live.shown.id.empty()) return live.shown.id;
  if (const auto shown = earlier_.find(token); shown != earlier_.end() && !shown->second.id.empty())
    return shown->second.id;
  const auto started = files_.read_started(token);
  return started ? started->job : "";
}

void Accounting::explain(std::map<std::string, LiveLaunch>& live,
                         const std::vector<std::string>& lost, double now_s) {
  if (!is_there_) return;
  std::map<JobPlace, LiveLaunch*> asked;
  std::vector<std::string> ids;
  for (const std::string& token : lost) {
    LiveLaunch& one = live.at(token);
    if (!one.is_unknown_to_controller() || one.told() != 0 || one.is_dead) continue;
    std::string id = id_of(token, one);
    if (id.empty()) continue;
    ids.push_back(std::move(id));
    asked.emplace(one.place, &one);
  }
  if (ids.empty()) return;
  const auto answer = slurm_.accounted(ids);
  is_there_ = answer.ok();
  if (!answer) return;
  // Jobs are recognised by their places, because a later job may have the same id.
  for (const JobState& job : *answer)
    if (const auto found = asked.find(job.place()); found != asked.end() && job.is_over())
      found->second->see(job, false, now_s);
}

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
