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

namespace orch::prompt {

// What the helper is and where its work is kept.
struct PromptHelper {
  std::string script;  // make_prompts.py; the files beside it belong to it
  std::string python;  // a path, or found on PATH
  std::string cache_folder;
  std::string withheld =
      {};  // a variable of our environment that it must not see: it holds a secret; "" for none
};

// One set of prompts: made up with these lengths, or the rows of a file.
struct PromptJob {
  std::string tokenizer;             // a tokenizer.json
  std::string file;                  // its rows are counted as they are; "": prompts are made up
  std::optional<std::int64_t> most;  // rows of the file
  std::vector<std::int64_t> warmup;  // lengths
  std::vector<std::int64_t> measured;
  std::uint64_t seed = 0;
  double shared_prefix = 0;    // share of each prompt that is the same in all
  bool ids = false;            // rows with their token ids
  bool special_tokens = true;  // the server puts its special tokens around a prompt
};

// The text of a prompt file in our own form, from the cache or made now. A set that was damaged is
// made again. Hears one line for a human before it makes something. Ends early, as interrupted,
// once STOPPED is true.
Result<std::string> cached_prompts(const PromptHelper& helper, const PromptJob& job,
                                   const std::atomic<bool>& stopped,
                                   const std::function<void(std::string_view)>& progress);

}  // namespace orch::prompt
