#include "run/slurm/live_launch.hpp"

#include <algorithm>

namespace orch::slurm {

void LiveLaunch::see(const JobState& job, bool is_second, double now_s) {
  absent_since_s = k_not_yet;
  shown = {.id = job.id, .state = job.state, .reason = job.reason, .node = job.nodes};
  state_s = now_s;
  if (is_suspended()) forgive_silence(now_s);
  was_requeued = was_requeued || is_second;
  over_since_s = job.is_over() || is_second ? std::min(over_since_s, now_s) : k_not_yet;
}

execute::Ended LiveLaunch::lost(const std::string& token) const {
  execute::Ended ended{.token = token, .code = -1, .signal = asked};
  ended.guardian_lost = asked == 0;
  // A job that succeeds without a record is a second start, which finds the launch claimed.
  const bool is_second = shown.state == "COMPLETED" || (was_requeued && !says_why(shown.state));
  if (asked == 0) ended.job_state = is_dead ? "NODE_FAIL" : is_second ? "PREEMPTED" : shown.state;
  return ended;
}

void explain_stop(execute::Ended& ended, const std::string& state, bool is_second) {
  if (says_why(state)) ended.job_state = state;
  // For a second start the controller ends the first, as when it puts a job back into the queue.
  else if (state == "PENDING" || (is_second && ended.job_state.empty()))
    ended.job_state = "PREEMPTED";
}

}  // namespace orch::slurm
