// What is known of a launch whose end was not reported yet.
#pragma once

#include "run/slurm/job_board.hpp"
#include "run/slurm/own_jobs.hpp"
#include "run/execute/executor.hpp"

#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace orch::slurm {

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
