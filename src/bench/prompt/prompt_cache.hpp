// Caches prompts that a helper program generates or counts with a tokenizer: one folder per set,
// named by the digest of everything that determines it.
#pragma once

#include "core/base/result.hpp"
#include "os/system/files.hpp"
#include "os/system/host_parts.hpp"

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace orch::prompt {

// The helper program and its cache.
struct PromptHelper {
  std::string script;  // make_prompts.py; the files beside it belong to it
  std::string python;  // a path, or a name on PATH
  std::string cache_folder;
  // A variable that the helper does not inherit, besides those named like secrets; "": none.
  std::string withheld = {};
};

// One set of prompts: synthetic ones with these lengths, or given rows whose tokens are counted.
struct PromptJob {
  std::string tokenizer;                  // a tokenizer.json
  std::string rows = {};                  // text of plain_rows(); "": synthetic prompts
  std::string file;                       // the source of the rows, for progress
  std::vector<std::int64_t> warmup = {};  // lengths
  std::vector<std::int64_t> measured = {};
  std::uint64_t seed = 0;
  double shared_prefix = 0;    // fraction of each prompt that is common to all
  bool ids = false;            // rows with their token ids
  bool special_tokens = true;  // the server adds its special tokens around a prompt
};

// The environment in which prompts are made.
struct PromptContext {
  system::Host host;
  const std::atomic<bool>& stopped;  // once true, the work ends early with ErrorKind::interrupted
  // Called with one line for the user before prompts are generated or counted.
  std::function<void(std::string_view)> progress = [](std::string_view) {};
};

// The text of a prompt file in the project's own format, from the cache or generated now. A damaged
// set is regenerated.
Result<std::string> cached_prompts(const PromptHelper& helper, const PromptJob& job,
                                   const PromptContext& context);

// Prepares the job file of make_prompts.py: writes the rows of its datasets, in one format, beside
// it, and draws lengths. Generates and counts no prompts.

// In the JSON array of jobs in JOBS_FILE:
// - replaces `dataset` ("local:PATH"; "" for none) by `rows`, a file of plain_rows() in the same
//   folder, or by `refused`, the reason why the dataset cannot be read. A dataset of several jobs
//   is read once.
// - multiplies `requests` and `warmup` by `batch`, the prompts in a request.
// - replaces `isl_sd` and `isl_max`: a job without a dataset gets `lengths`, drawn from its seed
//   and stream.
// - replaces `reuse`: a job with "true" gets one block without warm-up prompts, of at most one
//   prompt per row of its dataset.
// Error: JOBS_FILE cannot be read or is not such an array, or the folder cannot be written.
Status prepare_prompt_jobs(const std::string& jobs_file, system::Files& files);

// How many rows a job takes from its dataset.
struct RowsNeeded {
  std::int64_t blocks = 1;    // disjoint sets of prompts
  std::int64_t measured = 0;  // in each block
  std::int64_t warmup = 0;    // in each block

  std::int64_t all() const { return blocks * (measured + warmup); }
};

// Computed from JOB, the `job` of a stage, whose dataset has ROWS rows.
RowsNeeded rows_needed(const std::map<std::string, std::string>& job, std::int64_t rows);

}  // namespace orch::prompt
