// The commands of Slurm. Each is a short process with a time limit: a controller that does not
// answer is an error, and never a wait without end.
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

// Slurm finds nodes and GPUs for jobs, and their agents choose ports.
inline constexpr execute::Placement k_jobs{
    .shares_host = false, .has_queue = true, .joins_server = true, .reached_as = "slurm"};

// What Slurm says of jobs: its lines, and what its states mean. Pure.

struct JobState {
  std::string id;                 // "12", or "12_3" of an array
  std::string batch;              // by its name: see job_files.hpp
  std::optional<int> index = {};  // in an array
  std::string state;              // as Slurm names it: "PENDING", "NODE_FAIL"
  std::string nodes = {};         // "n[1-2]"; "" while it has none
  std::string reason = {};        // why it waits, or why it ended

  // It has ended, and Slurm starts it no more.
  bool is_over() const;
  bool waits() const { return state == "PENDING"; }
  // It will not start unless somebody releases it: held, or waiting for what never comes.
  bool is_held() const;
  bool can_be_released() const;
};

// The name of the jobs of BATCH, by which they are known.
std::string job_name(const std::string& batch);

// The words behind squeue that print what parse_jobs() reads: of all jobs of this user, ended ones
// too, elements of arrays each. Those without the name of a batch are left out.
std::vector<std::string> squeue_words();
std::vector<JobState> parse_jobs(std::string_view text);

// The words that ask the accounting about jobs IDS, and what parse_accounted() reads of its answer:
// those jobs whose name is that of a batch.
std::vector<std::string> sacct_words(const std::vector<std::string>& ids);
std::vector<JobState> parse_accounted(std::string_view text);

// The id that `sbatch --parsable` prints, without the name of a cluster; "" when TEXT has none.
std::string parse_submitted(std::string_view text);

// Whether STATE says why a job ended: what its processes made of it (COMPLETED, FAILED) does not.
bool says_why(std::string_view state);

// One submission: a job, or an array of jobs that differ in their index.
struct Submission {
  std::string script;     // a file that the job runs
  std::string comment;    // its batch, for people; a word of the site may replace it
  std::string name;       // job_name() of its batch
  std::string output;     // what Slurm itself and the agent say; "%t" and the like stay
  std::size_t tasks = 1;  // more than one: an array 0-(tasks-1)
  std::vector<std::string> options = {};  // further words of sbatch: the place's and the stage's
};

// Errors of every call: ErrorKind::unavailable when the controller does not answer, which says
// nothing about whether it did what was asked; ErrorKind::conflict when a limit on jobs in the
// queue is reached; else with the words of the command.
class Slurm {
 public:
  virtual ~Slurm() = default;
  // The id of the job or array.
  virtual Result<std::string> submit(const Submission& submission) = 0;
  // All jobs of this user that the controller remembers, ended ones too.
  virtual Result<std::vector<JobState>> jobs() = 0;
  // Ends or forgets jobs; those that are over are no error.
  virtual Status cancel(const std::vector<std::string>& ids) = 0;
};

class RealSlurm final : public Slurm {
 public:
  // ENVIRONMENT of the commands. It must not hold what a job may not see: jobs inherit it.
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
// none. A task has all of its time before that.
struct TimeLimit {
  int minutes = 0;
  double ahead_s = 0;
};
TimeLimit time_limit_of(const execute::Place& place);

// Words of sbatch that say what PLACE requests; jobs with equal words can share an array. GRES is
// the name of GPUs. The CPUs or the memory that SITE, words of sbatch, request themselves are left
// to them.
std::vector<std::string> place_words(const execute::Place& place, const std::string& gres,
                                     const std::vector<std::string>& site = {});

// Of ENVIRONMENT, what the commands of Slurm need.
std::map<std::string, std::string> slurm_environment(
    const std::map<std::string, std::string>& environment);

// An option of sbatch that is ours to set, and what one of a site would do.
struct OwnOption {
  std::string_view name, letter, harm;
};
// The one that WORD, of a site's options, is or sets; null for any other.
const OwnOption* own_option(std::string_view word);

// What a run tells its user of a cluster while it waits for it: jobs that are held, and a
// controller that does not answer. Each is told once, and again when it ended in between.

class Notices {
 public:
  using Tell = std::function<void(const std::string&)>;
  explicit Notices(Tell tell) : tell_(std::move(tell)) {}

  // WAITING: jobs of launches that have not begun.
  void look(const std::vector<JobState>& waiting);
  // Whether the controller answered a question at NOW_S.
  void answered(bool is_answer, double now_s);

 private:
  Tell tell_;
  std::map<std::string, std::string> held_;  // id -> why
  double silent_since_s_ = std::numeric_limits<double>::infinity();
  bool told_silent_ = false;
};

}  // namespace orch::slurm
