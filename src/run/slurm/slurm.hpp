// The commands of Slurm. Each is a short process with a time limit: a controller that does not
// answer is an error, never an endless wait.
#pragma once

#include "core/base/result.hpp"
#include "os/system/clock.hpp"
#include "os/system/process.hpp"
#include "run/execute/executor.hpp"

#include <cstddef>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace orch::slurm {

// Slurm chooses nodes and GPUs for jobs; the agents of jobs choose ports.
inline constexpr execute::Placement k_jobs{
    .shares_host = false, .has_queue = true, .joins_server = true, .reached_as = "slurm"};

// Parses Slurm's reports about jobs, and interprets the states in them. Pure functions.

// The place of a job in a batch, by which the job is identified: its id may be reused.
struct JobPlace {
  std::string batch;
  int index = 0;

  auto operator<=>(const JobPlace&) const = default;
};

struct JobState {
  std::string id;                 // "12", or "12_3" for an array element
  std::string batch = {};         // from its name: see job_name()
  std::optional<int> index = {};  // in an array; nullopt: not in one
  std::string state;              // as Slurm names it: "PENDING", "NODE_FAIL"
  std::string nodes = {};         // "n[1-2]"; "" until it has any
  std::string reason = {};        // why it is pending, or why it ended

  JobPlace place() const { return {batch, index.value_or(0)}; }
  // Whether it has ended and Slurm will not start it again.
  bool is_over() const;
  bool waits() const { return state == "PENDING"; }
  // Whether it will never start by itself: it is held, or waits for something that never happens.
  bool is_held() const;
  bool can_be_released() const;
};

// The name of the jobs of BATCH, by which they are recognised.
std::string job_name(const std::string& batch);

// The squeue arguments that print what parse_jobs() reads: all jobs of this user, including ended
// ones, with each array element on its own line. parse_jobs() leaves out jobs that do not have the
// name of a batch.
std::vector<std::string> squeue_words();
std::vector<JobState> parse_jobs(std::string_view text);

// The sacct arguments that query the jobs IDS, and the parser of sacct's output, which leaves out
// jobs that do not have the name of a batch.
std::vector<std::string> sacct_words(const std::vector<std::string>& ids);
std::vector<JobState> parse_accounted(std::string_view text);

// The id that `sbatch --parsable` prints, without the name of a cluster; "" if TEXT has none.
std::string parse_submitted(std::string_view text);

// Whether STATE states why Slurm ended a job; COMPLETED and FAILED only reflect the job's
// processes.
bool says_why(std::string_view state);

// One submission: a job, or an array of jobs that differ in their index.
struct Submission {
  std::string script;     // path of the file that the job runs
  std::string comment;    // names the batch for people; a site's option may replace it
  std::string name;       // job_name() of its batch
  std::string output;     // path for output of Slurm itself and the agent; may contain "%a"
  std::size_t tasks = 1;  // more than one: an array 0-(tasks-1)
  std::vector<std::string> options = {};  // sbatch options of the site, and of the place
};

// Errors of every call: ErrorKind::unavailable if the controller does not answer, so it is unknown
// whether the request was carried out; ErrorKind::conflict if a limit on queued jobs is reached;
// others have the command's own message.
class Slurm {
 public:
  virtual ~Slurm() = default;
  // Returns the id of the job or array.
  virtual Result<std::string> submit(const Submission& submission) = 0;
  // All jobs of this user's batches that the controller remembers, including ended ones.
  virtual Result<std::vector<JobState>> jobs() = 0;
  // Cancels jobs; jobs that are over are not an error.
  virtual Status cancel(const std::vector<std::string>& ids) = 0;
  // Those of the jobs IDS that are ours and that the accounting knows. Fails without accounting.
  virtual Result<std::vector<JobState>> accounted(const std::vector<std::string>& ids) = 0;
};

class RealSlurm final : public Slurm {
 public:
  // ENVIRONMENT is that of the commands. Jobs inherit it, so it must not contain anything that a
  // job may not see.
  RealSlurm(system::Processes& processes, system::Clock& clock,
            std::map<std::string, std::string> environment)
      : processes_(processes), clock_(clock), environment_(std::move(environment)) {}
  Result<std::string> submit(const Submission& submission) override;
  Result<std::vector<JobState>> jobs() override;
  Status cancel(const std::vector<std::string>& ids) override;
  Result<std::vector<JobState>> accounted(const std::vector<std::string>& ids) override;

 private:
  Result<std::string> run(const std::vector<std::string>& argv, double within_s) const;

  system::Processes& processes_;
  system::Clock& clock_;
  std::map<std::string, std::string> environment_;
};

// The time limit of a job for PLACE, and the longest time before the limit at which Slurm tells the
// job to stop; 0: no limit. A task gets its whole time before it is told to stop.
struct TimeLimit {
  int minutes = 0;
  double ahead_s = 0;
};
TimeLimit time_limit_of(const execute::Place& place);

// The sbatch arguments for what PLACE requests; jobs with equal arguments can share an array. GRES
// is Slurm's name for GPUs. Leaves out CPUs or memory if SITE, the site's sbatch arguments,
// requests them.
std::vector<std::string> place_words(const execute::Place& place, const std::string& gres,
                                     const std::vector<std::string>& site = {});

// The part of ENVIRONMENT that Slurm's commands need.
std::map<std::string, std::string> slurm_environment(
    const std::map<std::string, std::string>& environment);

// An sbatch option that is reserved for us, and the harm if a site set it.
struct OwnOption {
  std::string_view name, letter, harm;
};
// The reserved option that WORD, one of a site's options, is or sets; null if it is none.
const OwnOption* own_option(std::string_view word);

// Notifies the user about a cluster while a run waits for it: jobs that are held, and a controller
// that does not answer. Reports each problem once, and again if it recurs.

class Notices {
 public:
  using Tell = std::function<void(const std::string&)>;
  explicit Notices(Tell tell) : tell_(std::move(tell)) {}

  // WAITING are the jobs of launches that have not begun.
  void look(const std::vector<JobState>& waiting);
  // IS_ANSWER: whether the controller answered the query made at NOW_S.
  void answered(bool is_answer, double now_s);

 private:
  Tell tell_;
  std::map<std::string, std::string> held_;  // id -> why
  double silent_since_s_ = std::numeric_limits<double>::infinity();
  bool told_silent_ = false;
};

}  // namespace orch::slurm
