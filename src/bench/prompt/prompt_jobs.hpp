// Prepares the job file of make_prompts.py: places the rows of its datasets, in one form, beside
// it, and draws lengths. Makes and counts no prompts.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "core/base/result.hpp"
#include "os/system/files.hpp"

namespace orch::prompt {

// In the JSON array of jobs in JOBS_FILE:
// - replaces `dataset`, "local:PATH" or "", by `rows`, a file of plain_rows() in the same folder,
//   or by `refused`, the reason why the dataset cannot be read. A dataset of several jobs is read
//   once.
// - multiplies `requests` and `warmup` by `batch`, the prompts in a request.
// - replaces `isl_sd` and `isl_max` by `lengths`, which are drawn from the job's seed and stream.
// - replaces `reuse`: a job with "true" gets one block without warm-up prompts, of at most as many
//   requests as its dataset has rows.
// Error: JOBS_FILE is not such an array, or the folder cannot be written.
Status prepare_prompt_jobs(const std::string& jobs_file, system::Files& files);

// What a job takes from a dataset of ROWS rows.
struct RowsNeeded {
  std::int64_t blocks = 1;    // sets of prompts, which share none
  std::int64_t measured = 0;  // in each block
  std::int64_t warmup = 0;    // in each block

  std::int64_t all() const { return blocks * (measured + warmup); }
};

// Of JOB, as a stage writes it: names and texts.
RowsNeeded rows_needed(const std::map<std::string, std::string>& job, std::int64_t rows);

}  // namespace orch::prompt
