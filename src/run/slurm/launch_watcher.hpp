// Follows launches until their ends are reported: reads agents' records, queries the controller
// about jobs, and handles launches that leave no record or do not end.
#pragma once

#include "os/system/clock.hpp"
#include "os/system/diagnostics.hpp"
#include "run/execute/executor.hpp"
#include "run/slurm/accounting.hpp"
#include "run/slurm/job_board.hpp"
#include "run/slurm/job_files.hpp"
#include "run/slurm/live_launch.hpp"
#include "run/slurm/slurm.hpp"
#include "run/slurm/submitter.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace orch::slurm {

struct SlurmOptions {
  std::string store;  // absolute, and the same on every node
  SubmitOptions submit = {};
  std::string gres = "gpu";  // the name of GPUs in --gres
  system::LogLevel log_level = system::LogLevel::off;
  // Notifies the user of a problem, such as a job that is held.
  std::function<void(const std::string&)> tell = [](const std::string&) {};
  double look_s = 0.1;  // between two checks for ended launches
  double states_s = 5;  // between two queries to the controller, at first
  double hangs_s = 60;  // from a request to kill to `scancel`
};

// When to query the controller: less and less often while nothing changes.
class AskingPace {
 public:
  explicit AskingPace(double first_s) : first_s_(first_s), between_s_(first_s) {}

  bool is_due(double now_s) const { return now_s >= next_s_; }
  void ask_by(double time_s) { next_s_ = std::min(next_s_, time_s); }
  void ask_now() { next_s_ = 0; }
  void has_asked(double now_s);
  // From the next query on, the pause is SHARE of the first pause.
  void begin_again(double share = 1) { between_s_ = first_s_ * share; }

 private:
  double first_s_, between_s_, next_s_ = 0;
};

class LaunchWatcher {
 public:
  struct With {
    system::Clock& clock;
    OrchestratorFiles& files;
    Slurm& slurm;
    OwnJobs& jobs;
    Leftovers& leftovers;
    Submitter& submitter;
    const SlurmOptions& options;
  };
  LaunchWatcher(const With& with, JobBoard board);

  // Adds a launch whose end is to be reported.
  void add(const std::string& token, LiveLaunch live) { live_[token] = std::move(live); }
  bool empty() const { return live_.empty(); }
  // Null if the end of TOKEN has been reported, or TOKEN is unknown.
  const LiveLaunch* find(const std::string& token) const;
  // Whether the launch of TOKEN is known and has not begun.
  bool waits(const std::string& token);
  // Updates LIVE from the controller's report about its job; JOB null: the controller does not know
  // the job.
  void see(const std::string& token, LiveLaunch& live, const JobState* job);
  // Sends TERM or KILL to the launch. One that has not begun ends immediately.
  void signal(const std::string& token, int signal);
  // Does everything that can be done now, including submissions.
  void look();
  std::vector<execute::Ended> take_ended() { return std::exchange(ended_, {}); }
  // Ignores the silence of agents until now, because no sign of life could be seen.
  void forgive_silence();
  // Queries the controller for recovery, which may take over thousands of jobs: an answer serves
  // the calls of the next seconds, and only the first calls wait for a controller that does not
  // answer. False: it does not answer.
  bool ask_for_recovery();
  // See Leftovers::remove(); call after a query of the controller.
  void remove_leftovers();

 private:
  bool has_begun(const std::string& token, LiveLaunch& live);
  void submit_queued();
  void note(const std::vector<Submitter::Placed>& placed);
  void read_records();
  bool knows_why(LiveLaunch& live);
  void ask_for_states();
  double silent_s(const std::string& token, LiveLaunch& live) {
    return live.pulse.silent_s(with_.files.pulse_of(live.job_of(token)), with_.clock.now_s());
  }
  void lose_silent();
  bool may_be_lost(const std::string& token, LiveLaunch& live);
  void lose(const std::string& token);
  void finish(const std::string& token, execute::Ended ended);
  void end_hanging();
  void show_jobs();

  With with_;
  AskingPace pace_;
  Notices notices_;
  JobBoard board_;
  Accounting accounting_;
  std::map<std::string, LiveLaunch> live_;  // by token
  std::vector<execute::Ended> ended_;       // not yet reported
  double answer_s_ = -std::numeric_limits<double>::infinity();
  double recover_until_s_ = -1;
};

}  // namespace orch::slurm
