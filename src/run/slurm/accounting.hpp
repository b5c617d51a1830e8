// Explains why jobs ended that the controller has forgotten, minutes after their end (MinJobAge):
// from Slurm's accounting, at sites that have it.
#pragma once

#include "os/system/clock.hpp"
#include "os/system/process.hpp"
#include "run/slurm/job_board.hpp"
#include "run/slurm/job_files.hpp"
#include "run/slurm/live_launch.hpp"

#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace orch::slurm {

// Our jobs among IDS. Fails if there is no accounting, or it does not answer.
using AskAccounting =
    std::function<Result<std::vector<JobState>>(const std::vector<std::string>& ids)>;

// Runs sacct with ENVIRONMENT.
Result<std::vector<JobState>> accounted_jobs(system::Processes& processes, system::Clock& clock,
                                             const std::map<std::string, std::string>& environment,
                                             const std::vector<std::string>& ids);

class Accounting {
 public:
  // EARLIER: the jobs that an earlier run has shown. FILES must outlive this.
  Accounting(AskAccounting ask, OrchestratorFiles& files, ShownJobs earlier)
      : ask_(std::move(ask)), files_(files), earlier_(std::move(earlier)) {}

  // Adds to LIVE how the jobs of LOST ended, if the controller has forgotten them: one query for
  // all. After an error it makes no further queries.
  void explain(std::map<std::string, LiveLaunch>& live, const std::vector<std::string>& lost,
               double now_s);

 private:
  std::string id_of(const std::string& token, const LiveLaunch& live);

  AskAccounting ask_;
  OrchestratorFiles& files_;
  ShownJobs earlier_;
};

// What earlier runs have left on a cluster: records that they have read, batches whose jobs are
// over, and jobs that no run waits for, which an unsettled controller may have put on hold.
// Considers only what was there at the start: a successor may have written the rest while this
// process was stopped.

class Leftovers {
 public:
  // Borrows all.
  Leftovers(OrchestratorFiles& files, Slurm& slurm, const OwnJobs& jobs)
      : files_(files),
        slurm_(slurm),
        jobs_(jobs),
        batches_(files.batches()),
        ended_(files.ended()) {}

  const std::vector<std::string>& batches() const { return batches_; }
  bool are_removed() const { return are_removed_; }
  // The fate of the launch TOKEN is still unknown: keeps its batch and its record.
  void keep(const std::string& token) { kept_.insert(token); }
  // This run may not have recorded how TOKEN ended: keeps its record.
  void keep_record(const std::string& token) { records_.insert(token); }
  // Call after a query of JOBS; LIVE: launches whose end is awaited. Call again unless
  // are_removed().
  void remove(const std::map<std::string, LiveLaunch>& live);

 private:
  OrchestratorFiles& files_;
  Slurm& slurm_;
  const OwnJobs& jobs_;
  std::vector<std::string> batches_, ended_;
  std::set<std::string> kept_, records_;
  bool are_removed_ = false;
};

}  // namespace orch::slurm
