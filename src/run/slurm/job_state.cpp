#include "run/slurm/job_state.hpp"

#include "core/base/text.hpp"

#include <algorithm>
#include <array>
#include <iterator>

namespace orch::slurm {

namespace {

// A reason may have any character, and the name of a job of ours has none of these: the reason
// stands last.
constexpr std::string_view k_format = "%F|%K|%T|%N|%j|%r";
constexpr std::size_t k_fields = 6;

// What stands before the batch in the name of a job. A comment may be what a site charges by, and
// accounting keeps it at few sites only.
constexpr std::string_view k_job_name = "orchestrate-";

constexpr std::string_view k_over[] = {"COMPLETED", "FAILED",        "CANCELLED",   "TIMEOUT",
                                       "NODE_FAIL", "PREEMPTED",     "BOOT_FAIL",   "DEADLINE",
                                       "REVOKED",   "OUT_OF_MEMORY", "SPECIAL_EXIT"};

std::optional<JobState> parse_job(std::string_view line) {
  std::array<std::string, k_fields> fields;
  for (std::size_t i = 0; i < k_fields; ++i) {
    const std::size_t end = i + 1 < k_fields ? line.find('|') : std::string_view::npos;
    if (i + 1 < k_fields && end == std::string_view::npos) return std::nullopt;
    fields[i] = std::string(line.substr(0, end));
    line.remove_prefix(end == std::string_view::npos ? line.size() : end + 1);
  }
  if (!fields[4].starts_with(k_job_name)) return std::nullopt;
  JobState job{.id = fields[0],
               .batch = fields[4].substr(k_job_name.size()),
               .state = fields[2],
               .nodes = fields[3],
               .reason = fields[5] == "None" ? "" : fields[5]};
  if (const auto index = to_integer(fields[1])) {
    job.index = static_cast<int>(*index);
    job.id += "_" + fields[1];
  }
  return job;
}

}  // namespace

std::string job_name(const std::string& batch) { return std::string(k_job_name) + batch; }

bool JobState::is_over() const { return std::ranges::find(k_over, state) != std::end(k_over); }

bool JobState::is_held() const {
  constexpr std::string_view k_impossible[] = {"DependencyNeverSatisfied", "PartitionNodeLimit",
                                               "BadConstraints"};
  return can_be_released() || (waits() && std::ranges::any_of(k_impossible, [&](auto word) {
                                 return reason.find(word) != std::string::npos;
                               }));
}

bool JobState::can_be_released() const {
  return waits() &&
         (reason.find("held") != std::string::npos || reason.find("Held") != std::string::npos);
}

bool says_why(std::string_view state) {
  return std::ranges::find(k_over, state) != std::end(k_over) && state != "COMPLETED" &&
         state != "FAILED";
}

std::vector<std::string> squeue_words() {
  return {"squeue",  "--me",     "--noheader",         "--states=all",
          "--array", "--format", std::string(k_format)};
}

std::vector<JobState> parse_jobs(std::string_view text) {
  std::vector<JobState> jobs;
  for (const std::string& line : split(text, '\n'))
    if (auto job = parse_job(line)) jobs.push_back(std::move(*job));
  return jobs;
}

std::vector<std::string> sacct_words(const std::vector<std::string>& ids) {
  return {"sacct",  "--noheader",   "--parsable2", "--allocations",
          "--jobs", join(ids, ","), "--format",    "JobID,State,NodeList,JobName"};
}

std::vector<JobState> parse_accounted(std::string_view text) {
  std::vector<JobState> jobs;
  for (const std::string& line : split(text, '\n')) {
    const std::vector<std::string> fields = split(line, '|');
    if (fields.size() != 4 || !fields[3].starts_with(k_job_name)) continue;
    JobState job{.id = fields[0],
                 .batch = fields[3].substr(k_job_name.size()),
                 .state = fields[1].substr(0, fields[1].find(' ')),  // "CANCELLED by 1000"
                 .nodes = fields[2] == "None assigned" ? "" : fields[2]};
    if (const std::size_t at = job.id.find('_'); at != std::string::npos) {
      const auto index = to_integer(std::string_view(job.id).substr(at + 1));
      if (!index) continue;  // "34_[2-5]": several that never began
      job.index = static_cast<int>(*index);
    }
    jobs.push_back(std::move(job));
  }
  return jobs;
}

std::string parse_submitted(std::string_view text) {
  std::string found;
  for (const std::string& line : split(text, '\n')) {
    const std::string_view id = trim(std::string_view(line).substr(0, line.find(';')));
    if (!id.empty() && std::ranges::all_of(id, [](char c) { return is_digit(c); })) found = id;
  }
  return found;
}

}  // namespace orch::slurm
