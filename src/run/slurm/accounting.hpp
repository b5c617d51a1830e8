// Asks Slurm's accounting, at sites that have it, why jobs ended that the controller has forgotten.
// The controller forgets jobs some minutes after their end (MinJobAge).
#pragma once

#include "run/slurm/job_board.hpp"
#include "run/slurm/job_files.hpp"
#include "run/slurm/live_launch.hpp"

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace orch::slurm {

class Accounting {
 public:
  // EARLIER are the jobs that an earlier run showed on its JobBoard. SLURM and FILES must outlive
  // this.
  Accounting(Slurm& slurm, OrchestratorFiles& files, ShownJobs earlier)
      : slurm_(slurm), files_(files), earlier_(std::move(earlier)) {}

  // Adds to LIVE how the jobs of the launches LOST ended, if the controller has forgotten them.
  // Makes one query for all; after an error, makes no more queries.
  void explain(std::map<std::string, LiveLaunch>& live, const std::vector<std::string>& lost,
               double now_s);

 private:
  std::string id_of(const std::string& token, const LiveLaunch& live);

  Slurm& slurm_;
  OrchestratorFiles& files_;
  ShownJobs earlier_;
  bool is_there_ = true;  // until a query fails
};

// Removes what earlier runs have left on a cluster: records that they have read, batches without a
// launch that is still awaited, and the jobs of such batches, for example those that a restarting
// controller has put on hold. Considers only what existed at the start: later files may be those of
// a run that took over while this process was stopped.

class Leftovers {
 public:
  // Borrows all arguments.
  Leftovers(OrchestratorFiles& files, Slurm& slurm, const OwnJobs& jobs)
      : files_(files),
        slurm_(slurm),
        jobs_(jobs),
        batches_(files.batches()),
        ended_(files.ended()) {}

  const std::vector<std::string>& batches() const { return batches_; }
  bool are_removed() const { return are_removed_; }
  // Keeps the batch and the record of the launch TOKEN, whose end is still unknown.
  void keep(const std::string& token) { kept_.insert(token); }
  // Keeps the record of TOKEN, whose end this run may not have recorded yet.
  void keep_record(const std::string& token) { records_.insert(token); }
  // Removes the leftovers. Call after a query of JOBS, and again until are_removed(). LIVE are the
  // launches whose end is awaited.
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
