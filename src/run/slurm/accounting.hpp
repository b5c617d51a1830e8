// Why jobs ended that the controller has forgotten, which it does minutes after their end
// (MinJobAge): Slurm's accounting knows it, at sites that have one.
#pragma once

#include "run/slurm/job_board.hpp"
#include "run/slurm/job_files.hpp"
#include "run/slurm/live_launch.hpp"
#include "os/system/clock.hpp"
#include "os/system/process.hpp"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace orch::slurm {

// The jobs of ours among IDS. An error: there is no accounting, or it does not answer.
using AskAccounting =
    std::function<Result<std::vector<JobState>>(const std::vector<std::string>& ids)>;

// Asks sacct, with ENVIRONMENT.
Result<std::vector<JobState>> accounted_jobs(system::Processes& processes, system::Clock& clock,
                                             const std::map<std::string, std::string>& environment,
                                             const std::vector<std::string>& ids);

class Accounting {
 public:
  // EARLIER are the jobs that an earlier run has shown. FILES must outlive this.
  Accounting(AskAccounting ask, JobFiles& files, ShownJobs earlier)
      : ask_(std::move(ask)), files_(files), earlier_(std::move(earlier)) {}

  // Adds to LIVE how the jobs of LOST ended, where the controller has forgotten them: one question
  // for all. After an error it asks no more.
  void explain(std::map<std::string, LiveLaunch>& live, const std::vector<std::string>& lost,
               double now_s);

 private:
  std::string id_of(const std::string& token, const LiveLaunch& live);

  AskAccounting ask_;
  JobFiles& files_;
  ShownJobs earlier_;
};

}  // namespace orch::slurm
