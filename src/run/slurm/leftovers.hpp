// What earlier runs have left on a cluster: records that they have read, batches whose jobs are
// over, and jobs that nobody waits for, which an unsettled controller may have put on hold. Only
// what was there at the start counts: a successor may have written the rest, while this process
// was stopped.
#pragma once

#include "run/slurm/job_files.hpp"
#include "run/slurm/live_launch.hpp"
#include "run/slurm/own_jobs.hpp"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace orch::slurm {

class Leftovers {
 public:
  // Borrows all.
  Leftovers(JobFiles& files, Slurm& slurm, const OwnJobs& jobs)
      : files_(files),
        slurm_(slurm),
        jobs_(jobs),
        batches_(files.batches()),
        ended_(files.ended()) {}

  const std::vector<std::string>& batches() const { return batches_; }
  bool are_removed() const { return are_removed_; }
  // Nothing is known yet of the launch TOKEN: its batch and its record stay.
  void keep(const std::string& token) { kept_.insert(token); }
  // This run may not have recorded how TOKEN ended: its record stays.
  void keep_record(const std::string& token) { records_.insert(token); }
  // After JOBS were asked; the end of LIVE is waited for. To be tried again unless are_removed().
  void remove(const std::map<std::string, LiveLaunch>& live);

 private:
  JobFiles& files_;
  Slurm& slurm_;
  const OwnJobs& jobs_;
  std::vector<std::string> batches_, ended_;
  std::set<std::string> kept_, records_;
  bool are_removed_ = false;
};

}  // namespace orch::slurm
