// A launch whose end has not been reported yet: where it is, what the controller reported about its
// job, whether its agent gives signs of life, and how it was told to end. Makes no queries: see
// launch_watcher.hpp.
#pragma once

#include "run/execute/executor.hpp"
#include "run/slurm/job_board.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace orch::slurm {

// Where a launch is, as far as its orchestrator knows.

// For a launch that may be lost: since when, and since when it could not be written off because an
// agent has claimed it.
struct Doubt {
  double since_s = 0;
  std::optional<double> claimed_s = {};
};
struct Queued {};             // in the submitter's queue, without a job
struct Submitted {};          // it has a job that the controller has not listed yet
struct Listed {};             // its job is pending or running
struct Missing : Doubt {};    // the controller does not know its job
struct Over : Doubt {};       // its job has ended, or waits for a restart
struct Forgotten : Doubt {};  // its job is over, and the controller no longer knows it
struct Beside {               // a measurement in the job of SERVER, which is alive
  std::string server;
};
struct Deserted : Doubt {  // the same, but SERVER is no longer alive
  std::string server;
};
using Phase = std::variant<Queued, Submitted, Listed, Missing, Over, Forgotten, Beside, Deserted>;

// News about the job that a launch is in.
enum class JobNews { submitted, lives, over, missing, requeued_here };
inline constexpr std::size_t k_job_news_count =
    static_cast<std::size_t>(JobNews::requeued_here) + 1;

// The phase that follows PHASE after NEWS; nullopt if NEWS cannot occur in PHASE.
std::optional<Phase> phase_after(const Phase& phase, JobNews news, double now_s);

// How a launch was told to end.
struct NotStopped {};
struct Terminated {};
struct Killed {
  double hangs_at_s = 0;         // when the job is cancelled
  bool was_asked_about = false;  // the controller was queried about the job after that
};
using Stop = std::variant<NotStopped, Terminated, Killed>;

// The agent's sign of life, a text that it keeps changing. Slurm's view of the job is not enough: a
// controller that forgets, or a node that it cannot reach, leaves jobs running.
class Pulse {
 public:
  // How long the text has not changed; SEEN is the present text.
  double silent_s(std::string seen, double now_s);
  // Ignores silence until NOW_S, because nothing could be heard.
  void forgive(double now_s);
  bool was_heard() const { return !text_.empty(); }

 private:
  std::string text_;
  std::optional<double> changed_s_;
};

struct LiveLaunch {
  Phase phase = Queued{};          // changed by hear() alone
  JobPlace place = {};             // of its job
  std::vector<std::string> words;  // of its submission; empty: unknown
  int submissions = 0;             // so far
  ShownJob shown;                  // as the controller reports it
  std::optional<double> said_s;    // when the controller reported it
  bool was_requeued = false;       // its job is or was back in the queue
  bool is_dead = false;            // its job is cancelled because its node does not answer
  bool is_claimed = false;         // an agent has begun it
  std::optional<double> record_s;  // when its record, still without a reason, was first seen
  Stop stop;
  Pulse pulse;

  // Moves to the next phase; asserts that NEWS can occur.
  void hear(JobNews news, double now_s);
  // Updates from JOB, the controller's report about its job. IS_SECOND: the job waits for a second
  // start, because of a requeue or because the controller did not record the first. While the first
  // start is alive, the job is not cancelled: that would end the first start as well.
  void see(const JobState& job, bool is_second, double now_s);

  bool has_job() const { return !place.batch.empty(); }
  // The server in whose job it runs; null if it has its own job.
  const std::string* server() const;
  // The token of the launch for which its job was submitted: its own, TOKEN, or that of its server.
  const std::string& job_of(const std::string& token) const;
  // The doubt of its phase; null unless it may be lost.
  Doubt* doubt();
  bool is_unknown_to_controller() const;

  // Notes that SIGNAL was sent. After KILL, the job is cancelled at HANGS_AT_S.
  void tell(int signal, double hangs_at_s);
  // The strongest signal that was sent: 0, TERM or KILL.
  int told() const;

  // Whether the job is suspended: it is healthy although its agent gives no signs of life.
  bool is_suspended() const { return shown.state == "SUSPENDED" || shown.state == "STOPPED"; }
  // How it ended, as far as known without a record.
  execute::Ended lost(const std::string& token) const;
};

// Adds the reason to ENDED, the end of a launch whose job Slurm told to stop. STATE is the job's
// state according to Slurm. IS_SECOND: the job was started a second time.
void explain_stop(execute::Ended& ended, const std::string& state, bool is_second);

}  // namespace orch::slurm
