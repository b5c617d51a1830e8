// What Slurm says of jobs: its lines, and what its states mean. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace orch::slurm {

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

}  // namespace orch::slurm
