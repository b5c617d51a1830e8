// What Slurm last reported about the jobs of a run: one file of the store, for `status`, which may
// read it on another host. Written when something has changed.
//
//   slurm/jobs.json  {TOKEN: {"id": "12_3", "state": "PENDING", "reason": "Resources", "node": ""}}
#pragma once

#include "core/base/fields.hpp"
#include "os/system/files.hpp"
#include "run/slurm/slurm.hpp"

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace orch::slurm {

struct ShownJob {
  std::string id;          // "" until Slurm has assigned one
  std::string state = {};  // as Slurm names it; "" until it is known
  std::string reason = {}, node = {};

  // See JobState::is_held().
  bool is_held() const;
  bool is_waiting() const;
  // "job 12_3 pending: Resources", "job 12 running on n1".
  std::string text() const;

  bool operator==(const ShownJob&) const = default;
};
constexpr auto fields_of(Tag<ShownJob>) {
  return rows_of(required<&ShownJob::id>("id"), required<&ShownJob::state>("state"),
                 required<&ShownJob::reason>("reason"), required<&ShownJob::node>("node"));
}

using ShownJobs = std::map<std::string, ShownJob>;  // by token of the launch

class JobBoard {
 public:
  // FILES must outlive this.
  JobBoard(system::Files& files, const std::string& store)
      : files_(files), path_(store + "/slurm/jobs.json") {}
  void show(ShownJobs jobs);
  // The jobs that the last show() of any process wrote; empty if there was none.
  ShownJobs read();

 private:
  system::Files& files_;
  std::string path_;
  ShownJobs shown_;
};

// The jobs of this user's batches as the controller last listed them, and which of them to cancel.
// The id of a job is used only right after the controller has reported it.

class OwnJobs {
 public:
  explicit OwnJobs(Slurm& slurm) : slurm_(slurm) {}

  // Queries the controller and cancels unwanted jobs. False: the controller does not answer.
  bool ask();
  const std::vector<JobState>& all() const { return jobs_; }
  // The job at PLACE; if several have had the place, one that is not over. Null: the controller
  // knows none.
  const JobState* find(const JobPlace& place) const;
  // Keeps cancelling the job at PLACE until it is over or unknown.
  void cancel(const JobPlace& place) { to_cancel_.insert(place); }
  // Notes that the launch at PLACE has ended, so that a job that still waits there is unwanted: it
  // would start the launch a second time.
  void has_ended(const JobPlace& place) { ended_.insert(place); }
  // The places of launches that have ended and whose jobs are not over.
  std::vector<JobPlace> left() const;
  bool has_any_to_cancel() const { return !to_cancel_.empty(); }
  bool has_any_ended() const { return !ended_.empty(); }

 private:
  Slurm& slurm_;
  std::vector<JobState> jobs_;
  std::map<JobPlace, std::size_t> by_place_;  // index in jobs_
  std::set<JobPlace> to_cancel_, ended_;
};

}  // namespace orch::slurm
