#include "run/slurm/job_board.hpp"

#include "core/base/fields_json.hpp"
#include "core/base/text.hpp"

#include <algorithm>

namespace orch::slurm {

namespace {

constexpr std::uint64_t k_most_board_bytes = 64 << 20;

}  // namespace

bool ShownJob::is_held() const {
  return JobState{.id = id, .state = state, .reason = reason}.is_held();
}

bool ShownJob::is_waiting() const { return state.empty() || state == "PENDING"; }

std::string ShownJob::text() const {
  if (id.empty()) return "job without an id: Slurm has not confirmed its submission";
  if (is_waiting())
    return fmt::format("job {} {}{}", id, is_held() ? "held" : "pending",
                       reason.empty() ? "" : ": " + reason);
  return fmt::format("job {} {}{}", id, lower(state), node.empty() ? "" : " on " + node);
}

void JobBoard::show(ShownJobs jobs) {
  if (jobs == shown_) return;
  if (files_.replace(path_, json_text(value_of(jobs)) + "\n")) shown_ = std::move(jobs);
}

ShownJobs JobBoard::read() {
  const auto text = files_.read_own(path_, k_most_board_bytes);
  const auto all = parse_value(text ? *text : "");
  ShownJobs jobs;
  if (all) static_cast<void>(assign(jobs, *all));
  return jobs;
}

bool OwnJobs::ask() {
  auto answer = slurm_.jobs();
  if (!answer) return false;
  jobs_ = std::move(*answer);
  by_place_.clear();
  std::vector<std::string> ids;
  std::set<JobPlace> living;
  for (std::size_t i = 0; i < jobs_.size(); ++i) {
    const JobState& job = jobs_[i];
    const JobPlace place = job.place();
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
