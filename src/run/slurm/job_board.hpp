// What Slurm said last of the jobs of a run: one file of the store, for `status`, which may look
// from another host. It is written when something has changed.
//
//   slurm/jobs.json  {TOKEN: {"id": "12_3", "state": "PENDING", "reason": "Resources", "node": ""}}
#pragma once

#include "core/base/fields.hpp"
#include "os/system/files.hpp"
#include "run/execute/executor.hpp"
#include "run/slurm/slurm.hpp"

#include <limits>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace orch::slurm {

struct ShownJob {
  std::string id;          // "" while Slurm has given none
  std::string state = {};  // as Slurm names it; "" until it was asked
  std::string reason = {}, node = {};

  // It starts only if somebody releases it.
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
  // What the last show() of any process has written; empty where there was none.
  ShownJobs read();

 private:
  system::Files& files_;
  std::string path_;
  ShownJobs shown_;
};

// The jobs of one run as the controller last listed them, and those of them that are to go. A job
// is known by its place in a batch; an id is only used right after the controller has named it.

using JobPlace = std::pair<std::string, int>;  // a batch, and the index in it
inline JobPlace place_of(const JobState& job) { return {job.batch, job.index.value_or(0)}; }

class OwnJobs {
 public:
  explicit OwnJobs(Slurm& slurm) : slurm_(slurm) {}

  // Asks the controller, and cancels what is to go. False: it gives no answer.
  bool ask();
  const std::vector<JobState>& all() const { return jobs_; }
  // Of several at one place, one that is not over. Null: the controller knows none.
  const JobState* find(const JobPlace& place) const;
  // The job at PLACE is cancelled until it is over or unknown.
  void cancel(const JobPlace& place) { to_cancel_.insert(place); }
  // The launch at PLACE has ended: a job that waits there would start it a second time.
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

// What is known of a launch whose end was not reported yet.

inline constexpr double k_not_yet = std::numeric_limits<double>::infinity();

struct LiveLaunch {
  bool inside = false;                // in the job of a server
  JobPlace place;                     // its batch is "" while it is queued
  std::vector<std::string> words;     // of its submission; empty: not known
  int submissions = 0;                // so far
  ShownJob shown;                     // as the controller says
  bool was_requeued = false;          // its job is back in the queue, or was
  bool is_dead = false;               // its job is cancelled because its node does not answer
  double state_s = -k_not_yet;        // when the controller said so
  double record_s = k_not_yet;        // when its record was first seen
  double over_since_s = k_not_yet;    // since when its job has ended without a record
  double absent_since_s = k_not_yet;  // since when the controller does not know it
  double hangs_at_s = k_not_yet;      // when its job is cancelled
  bool is_hanging = false;            // then: the controller was asked about its job
  bool is_claimed = false, is_given_up = false;
  double claimed_since_s = k_not_yet;  // found claimed when it was to be given up
  int asked = 0;                       // the signal that was asked for
  std::string server;                  // in whose job it is
  std::string pulse;                   // of the agent
  double pulse_s = k_not_yet;          // when it last changed

  // Takes what the controller says of its job. IS_SECOND: this is another start of it, by a
  // controller that had not yet noted the first, or after a requeue. While the first one lives it
  // is left alone: Slurm would end that with it.
  void see(const JobState& job, bool is_second, double now_s);

  // Its job is healthy, though its agent gives no sign of life.
  bool is_suspended() const { return shown.state == "SUSPENDED" || shown.state == "STOPPED"; }

  // How it ended as far as that is known without a record.
  execute::Ended lost(const std::string& token) const;

  // How long its agent has given no sign of life; SEEN is its pulse now. What Slurm says of the job
  // is not enough: a controller that forgets, or a node that it does not reach, leaves jobs that
  // run.
  double silent_s(std::string seen, double now_s) {
    if (seen != pulse || pulse_s == k_not_yet) {
      pulse = std::move(seen);
      pulse_s = now_s;
    }
    return now_s - pulse_s;
  }
  // What was silent until NOW_S could not be heard.
  void forgive_silence(double now_s) {
    if (pulse_s != k_not_yet) pulse_s = now_s;
  }
};

// Of ENDED, whose job Slurm told to stop: STATE is what Slurm says of the job, and IS_SECOND
// whether the job was started a second time.
void explain_stop(execute::Ended& ended, const std::string& state, bool is_second);

}  // namespace orch::slurm
