#include "run/slurm/notices.hpp"

#include "os/system/topology/cpus.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace orch::slurm {

namespace {

constexpr double k_silence_s = 20;

std::string array_of(const JobState& job) { return job.id.substr(0, job.id.find('_')); }

// "12_[0-3,7]", in quotes for a shell: to Slurm, "12" alone is the whole array.
std::string element_ids(const std::vector<const JobState*>& jobs) {
  system::CpuSet elements;  // written as a list of cores is
  for (const JobState* job : jobs) elements.insert(job->index.value_or(0));
  return fmt::format("'{}_[{}]'", array_of(*jobs.front()), system::cpu_list(elements));
}

// JOBS: one, or several of an array that are held for the same reason.
std::string held_text(const std::vector<const JobState*>& jobs) {
  const JobState& first = *jobs.front();
  const bool one = jobs.size() == 1;
  const std::string ids = one ? first.id : element_ids(jobs);
  if (!first.can_be_released())
    return fmt::format(
        "{} waiting ({}) and will not start: no node offers what {}; correct `slurm:` of the site "
        "file or `resources` of the stage, `scancel {}` ends {}",
        one ? fmt::format("job {} of Slurm is", first.id)
            : fmt::format("{} jobs of array {} of Slurm are", jobs.size(), array_of(first)),
        first.reason, one ? "it requests" : "they request", ids, one ? "it" : "them");
  return fmt::format(
      "{} held ({}) and will not start: `scontrol release {}` lets {} start, `scancel {}` ends {}",
      one ? fmt::format("job {} of Slurm is", first.id)
          : fmt::format("{} jobs of array {} of Slurm are", jobs.size(), array_of(first)),
      first.reason, ids, one ? "it" : "them", ids, one ? "it" : "them");
}

}  // namespace

void Notices::look(const std::vector<JobState>& waiting) {
  std::map<std::string, std::string> held;
  std::map<std::pair<std::string, std::string>, std::vector<const JobState*>> news;
  for (const JobState& job : waiting) {
    if (!job.is_held()) continue;
    held[job.id] = job.reason;
    const auto known = held_.find(job.id);
    if (known == held_.end() || known->second != job.reason)
      news[{array_of(job), job.reason}].push_back(&job);
  }
  held_ = std::move(held);
  for (const auto& [array_and_reason, jobs] : news) tell_(held_text(jobs));
}

void Notices::answered(bool is_answer, double now_s) {
  if (!is_answer) silent_since_s_ = std::min(silent_since_s_, now_s);
  if (is_answer) {
    if (std::exchange(told_silent_, false)) tell_("the controller of Slurm answers again");
    silent_since_s_ = std::numeric_limits<double>::infinity();
  } else if (!told_silent_ && now_s >= silent_since_s_ + k_silence_s) {
    told_silent_ = true;
    tell_(
        fmt::format("the controller of Slurm has not answered for {:.0f} s; jobs that run go on, "
                    "and nothing new starts until it does",
                    now_s - silent_since_s_));
  }
}

}  // namespace orch::slurm
