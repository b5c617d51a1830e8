// Caches prompts that a helper program makes or counts with a tokenizer: one folder per set, named
// by the digest of everything that determines it. Knows the helper's jobs; does not know requests.
#pragma once

#include "core/base/result.hpp"
#include "os/system/files.hpp"
#include "os/system/host_parts.hpp"

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace orch::prompt {

// The helper program and its cache.
struct PromptHelper {
  std::string script;  // make_prompts.py; the files beside it belong to it
  std::string python;  // a path, or found on PATH
  std::string cache_folder;
  // The name of an environment variable with a secret, which the helper does not inherit; "": none.
  std::string withheld = {};
};

// One set of prompts: synthetic with these lengths, or given rows whose tokens are counted.
struct PromptJob {
  std::string tokenizer;             // a tokenizer.json
  std::string rows;                  // text of plain_rows(); "": synthetic prompts
  std::string file;                  // the source of the rows, for progress
  std::vector<std::int64_t> warmup;  // lengths
  std::vector<std::int64_t> measured;
  std::uint64_t seed = 0;
  double shared_prefix = 0;    // share of each prompt that is the same in all
  bool ids = false;            // rows with their token ids
  bool special_tokens = true;  // the server puts its special tokens around a prompt
};

// The surroundings in which prompts are made.
struct PromptContext {
  system::Host host;
  const std::atomic<bool>& stopped;  // true: ends early with ErrorKind::interrupted
  // Called with one line for the user before prompts are made or counted.
  std::function<void(std::string_view)> progress = [](std::string_view) {};
};

// The text of a prompt file in the project's own form, read from the cache or made now. A damaged
// set is made again.
Result<std::string> cached_prompts(const PromptHelper& helper, const PromptJob& job,
                                   const PromptContext& context);

// Prepares the job file of make_prompts.py: places the rows of its datasets, in one form, beside
// it, and draws lengths. Makes and counts no prompts.

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
