#include "cluster/notices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace orch::cluster {

namespace {

constexpr double k_silence_s = 20;

std::string held_text(const std::string& id, const std::string& why, int count) {
  const bool one = count == 1;
  return fmt::format(
      "{} held ({}) and will not start: `scontrol release {}` lets {} start, `scancel {}` ends {}",
      one ? fmt::format("job {} of Slurm is", id)
          : fmt::format("{} jobs of array {} of Slurm are", count, id),
      why, id, one ? "it" : "them", id, one ? "it" : "them");
}

}  // namespace

void Notices::look(const std::vector<JobState>& waiting) {
  std::map<std::string, std::string> held;
  std::map<std::pair<std::string, std::string>, int> news;  // by job or array, and why
  for (const JobState& job : waiting) {
    if (!job.is_held()) continue;
    held[job.id] = job.reason;
    const auto known = held_.find(job.id);
    if (known == held_.end() || known->second != job.reason)
      ++news[{job.id.substr(0, job.id.find('_')), job.reason}];
  }
  held_ = std::move(held);
  for (const auto& [of, count] : news) tell_(held_text(of.first, of.second, count));
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

}  // namespace orch::cluster
