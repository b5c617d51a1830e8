// A cluster in memory: what was submitted, and the states that a test gives.
#pragma once

#include "run/slurm/slurm.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace orch::slurm {

struct FakeCluster {
  std::vector<Submission> submitted;
  std::vector<JobState> jobs;
  std::vector<std::string> cancelled;
  int asked = 0;                     // how often jobs() was called
  bool is_down = false;              // the controller answers nothing
  bool forgets = false;              // it dies while it answers a submission, which is lost
  bool swallows = false;             // it dies while it answers a submission, which it keeps
  std::string refuses;               // why it takes no submission
  std::size_t most_live = SIZE_MAX;  // jobs that may be in the queue at one time
  int limited = 0;                   // submissions that exceeded it
  int next_id = 1;
  bool has_accounting = true;
  std::vector<JobState> accounted;
  std::vector<std::vector<std::string>> accounted_ids;  // of each question
};

class FakeSlurm final : public Slurm {
 public:
  explicit FakeSlurm(FakeCluster& cluster) : cluster_(cluster) {}

  Result<std::string> submit(const Submission& submission) override {
    const Error silent{ErrorKind::unavailable, "sbatch: Unable to contact slurm controller", {}};
    if (cluster_.is_down || cluster_.forgets) return silent;
    if (!cluster_.refuses.empty()) return Error{ErrorKind::io, cluster_.refuses, {}};
    const auto live = std::count_if(cluster_.jobs.begin(), cluster_.jobs.end(),
                                    [](const JobState& job) { return !job.is_over(); });
    if (static_cast<std::size_t>(live) + submission.tasks > cluster_.most_live)
      return ++cluster_.limited, Error{ErrorKind::conflict, "AssocMaxSubmitJobLimit", {}};
    const std::string id = std::to_string(cluster_.next_id++);
    cluster_.submitted.push_back(submission);
    for (std::size_t i = 0; i < submission.tasks; ++i) {
      JobState job{.id = id, .batch = submission.comment, .state = "PENDING"};
      if (submission.tasks > 1) {
        job.index = static_cast<int>(i);
        job.id += "_" + std::to_string(i);
      }
      cluster_.jobs.push_back(job);
    }
    if (cluster_.swallows) return silent;
    return id;
  }
  Result<std::vector<JobState>> jobs() override {
    ++cluster_.asked;
    if (cluster_.is_down) return Error{ErrorKind::unavailable, "squeue: Socket timed out", {}};
    return cluster_.jobs;
  }
  Status cancel(const std::vector<std::string>& ids) override {
    cluster_.cancelled.insert(cluster_.cancelled.end(), ids.begin(), ids.end());
    for (JobState& job : cluster_.jobs)
      if (std::find(ids.begin(), ids.end(), job.id) != ids.end()) job.state = "CANCELLED";
    return {};
  }
  Result<std::vector<JobState>> accounted(const std::vector<std::string>& ids) override {
    cluster_.accounted_ids.push_back(ids);
    if (!cluster_.has_accounting)
      return Error{ErrorKind::io, "sacct: Slurm accounting storage is disabled"};
    return cluster_.accounted;
  }

 private:
  FakeCluster& cluster_;
};

}  // namespace orch::slurm
