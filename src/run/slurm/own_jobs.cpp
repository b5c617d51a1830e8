#include "run/slurm/own_jobs.hpp"

namespace orch::slurm {

bool OwnJobs::ask() {
  auto answer = slurm_.jobs();
  if (!answer) return false;
  jobs_ = std::move(*answer);
  by_place_.clear();
  std::vector<std::string> ids;
  std::set<JobPlace> living;
  for (std::size_t i = 0; i < jobs_.size(); ++i) {
    const JobState& job = jobs_[i];
    const JobPlace place = place_of(job);
    const auto known = by_place_.try_emplace(place, i).first;
    if (job.is_over()) continue;
    known->second = i;
    living.insert(place);
    if (to_cancel_.contains(place) || (job.waits() && ended_.contains(place)))
      ids.push_back(job.id);
  }
  std::erase_if(to_cancel_, [&](const JobPlace& place) { return !living.contains(place); });
  if (!ids.empty()) (void)slurm_.cancel(ids).ok();
  return true;
}

const JobState* OwnJobs::find(const JobPlace& place) const {
  const auto found = by_place_.find(place);
  return found == by_place_.end() ? nullptr : &jobs_[found->second];
}

std::vector<JobPlace> OwnJobs::left() const {
  std::vector<JobPlace> left;
  for (const JobPlace& place : ended_)
    if (const JobState* job = find(place); job && !job->is_over()) left.push_back(place);
  return left;
}

}  // namespace orch::slurm
