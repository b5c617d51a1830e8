// Prompts that a helper program makes or counts with a tokenizer, kept for the next time: one
// folder per set, named by what decides it. Knows the helper's jobs; nothing of requests.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "system/host_parts.hpp"

namespace orch::prompt {

// What the helper is and where its work is kept.
struct PromptHelper {
  std::string script;  // make_prompts.py; the files beside it belong to it
  std::string python;  // a path, or found on PATH
  std::string cache_folder;
  std::string withheld =
      {};  // a variable of our environment that it must not see: it holds a secret; "" for none
};

// One set of prompts: synthetic with these lengths, or rows that are counted as they are.
struct PromptJob {
  std::string tokenizer;             // a tokenizer.json
  std::string rows;                  // text, as of plain_rows(); "": synthetic prompts
  std::string file;                  // of the rows, for progress
  std::vector<std::int64_t> warmup;  // lengths
  std::vector<std::int64_t> measured;
  std::uint64_t seed = 0;
  double shared_prefix = 0;    // share of each prompt that is the same in all
  bool ids = false;            // rows with their token ids
  bool special_tokens = true;  // the server puts its special tokens around a prompt
};

// What making prompts works with.
struct PromptMaking {
  system::Host host;
  const std::atomic<bool>& stopped;  // true: it ends early with ErrorKind::interrupted
  // Called with one line for the user before prompts are made or counted.
  std::function<void(std::string_view)> progress = [](std::string_view) {};
};

// The text of a prompt file in the project's own form, from the cache or made now. A damaged set is
// made again.
Result<std::string> cached_prompts(const PromptHelper& helper, const PromptJob& job,
                                   const PromptMaking& making);

}  // namespace orch::prompt
