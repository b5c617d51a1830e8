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

// Slurm finds nodes and GPUs for jobs; their agents choose ports.
inline constexpr execute::Placement k_jobs{
    .shares_host = false, .has_queue = true, .joins_server = true, .reached_as = "slurm"};

// What Slurm reports about jobs: its lines, and what its states mean. Pure.

struct JobState {
  std::string id;                 // "12", or "12_3" of an array
  std::string batch;              // from its name: see job_files.hpp
  std::optional<int> index = {};  // in an array
  std::string state;              // as Slurm names it: "PENDING", "NODE_FAIL"
  std::string nodes = {};         // "n[1-2]"; "" until it has any
  std::string reason = {};        // why it is pending, or why it ended

  // It has ended, and Slurm will not start it again.
  bool is_over() const;
  bool waits() const { return state == "PENDING"; }
  // It will not start unless released: held, or waiting for something that never happens.
  bool is_held() const;
  bool can_be_released() const;
};

// The name of the jobs of BATCH, by which they are recognised.
std::string job_name(const std::string& batch);

// The squeue arguments that print what parse_jobs() reads: all jobs of this user, including ended
// ones, with each array element on its own line. Jobs without a batch's name are left out.
std::vector<std::string> squeue_words();
std::vector<JobState> parse_jobs(std::string_view text);

// The sacct arguments that query jobs IDS, and the parser of its output: only jobs that have the
// name of a batch.
std::vector<std::string> sacct_words(const std::vector<std::string>& ids);
std::vector<JobState> parse_accounted(std::string_view text);

// The id that `sbatch --parsable` prints, without the name of a cluster; "" if TEXT has none.
std::string parse_submitted(std::string_view text);

// Whether STATE says why a job ended; a state that only reflects its processes (COMPLETED, FAILED)
// does not.
bool says_why(std::string_view state);

// One submission: a job, or an array of jobs that differ in their index.
struct Submission {
  std::string script;     // a file that the job runs
  std::string comment;    // its batch, for people; a site's option may replace it
  std::string name;       // job_name() of its batch
  std::string output;     // for output of Slurm itself and the agent; keeps "%t" and the like
  std::size_t tasks = 1;  // more than one: an array 0-(tasks-1)
  std::vector<std::string> options = {};  // additional sbatch options: the place's and the stage's
};

// Errors of every call: ErrorKind::unavailable if the controller does not answer, which leaves open
// whether it carried out the request; ErrorKind::conflict if a limit on queued jobs is reached;
// else with the command's own message.
class Slurm {
 public:
  virtual ~Slurm() = default;
  // Returns the id of the job or array.
  virtual Result<std::string> submit(const Submission& submission) = 0;
  // All jobs of this user that the controller remembers, including ended ones.
  virtual Result<std::vector<JobState>> jobs() = 0;
  // Ends or forgets jobs; jobs that are over are not an error.
  virtual Status cancel(const std::vector<std::string>& ids) = 0;
};

class RealSlurm final : public Slurm {
 public:
  // ENVIRONMENT: of the commands. It must not contain anything that a job may not see: jobs inherit
  // it.
  RealSlurm(system::Processes& processes, system::Clock& clock,
            std::map<std::string, std::string> environment)
      : processes_(processes), clock_(clock), environment_(std::move(environment)) {}
  Result<std::string> submit(const Submission& submission) override;
  Result<std::vector<JobState>> jobs() override;
  Status cancel(const std::vector<std::string>& ids) override;

 private:
  Result<std::string> run(const std::vector<std::string>& argv) const;

  system::Processes& processes_;
  system::Clock& clock_;
  std::map<std::string, std::string> environment_;
};

// The time limit of a job at PLACE, and how long before it Slurm tells the job to stop, at most; 0:
// none. A task gets all of its time before that.
struct TimeLimit {
  int minutes = 0;
  double ahead_s = 0;
};
TimeLimit time_limit_of(const execute::Place& place);

// The sbatch arguments for what PLACE requests; jobs with equal arguments can share an array. GRES
// is the name of GPUs. CPUs or memory that SITE, sbatch arguments, requests itself are left to it.
std::vector<std::string> place_words(const execute::Place& place, const std::string& gres,
                                     const std::vector<std::string>& site = {});

// The part of ENVIRONMENT that Slurm's commands need.
std::map<std::string, std::string> slurm_environment(
    const std::map<std::string, std::string>& environment);

// An sbatch option that is reserved for us, and what a site's would do.
struct OwnOption {
  std::string_view name, letter, harm;
};
// The option that WORD, of a site's options, is or sets; null for any other.
const OwnOption* own_option(std::string_view word);

// Notifies the user about a cluster while a run waits for it: jobs that are held, and a controller
// that does not answer. Reports each once, and again if it recurs.

class Notices {
 public:
  using Tell = std::function<void(const std::string&)>;
  explicit Notices(Tell tell) : tell_(std::move(tell)) {}

  // WAITING: jobs of launches that have not begun.
  void look(const std::vector<JobState>& waiting);
  // IS_ANSWER: whether the controller answered a query at NOW_S.
  void answered(bool is_answer, double now_s);

 private:
  Tell tell_;
  std::map<std::string, std::string> held_;  // id -> why
  double silent_since_s_ = std::numeric_limits<double>::infinity();
  bool told_silent_ = false;
};

}  // namespace orch::slurm
