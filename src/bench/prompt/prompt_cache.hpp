// Caches prompts that a helper program makes or counts with a tokenizer: one folder per set, named
// by the digest of everything that determines it. Knows the helper's jobs; does not know requests.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.hpp"
#include "os/system/host_parts.hpp"

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

}  // namespace orch::prompt
