// Where a benchmark gets its prompts: a file, a tokenised file, or synthetic prompts of given
// lengths. Reports missing options with the remedy. Sends nothing.
#pragma once

#include "bench/prompt/prompt_cache.hpp"
#include "bench/prompt/prompts.hpp"
#include "core/base/result.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace orch::prompt {

struct PromptOptions {
  std::string file;  // "": synthetic prompts
  int block = 0;     // of the file
  // Prompts are sent repeatedly: the block is 0, and no prompt of the file is reserved for the
  // warm-up.
  bool reuse = false;
  std::optional<Length> isl;  // of synthetic prompts
  std::optional<Length> osl;  // of answers to prompts without their own length
  std::string tokenizer;      // a tokenizer.json or its folder; "": none
  double shared_prefix = 0;   // fraction of each prompt that is common to all
  bool ids = false;           // with a tokenizer: also set the token ids of each prompt
  // The server adds its special tokens around a prompt; false: a chat template does.
  bool special_tokens = true;
  // A tokenizer counts recorded answers, and answers of the same lengths are requested.
  bool as_recorded = true;
  std::uint64_t seed = 0;
  std::int64_t warmup = 0;    // number of prompts needed
  std::int64_t measured = 0;  // 0: not known in advance
  PromptHelper helper;
};

// May return fewer prompts than needed. If a file marks no warm-up prompts, its last ones are used.
Result<PromptSet> find_prompts(const PromptOptions& options, const PromptContext& context);

// The number of tokens of each of TEXTS with the tokenizer of OPTIONS, without special tokens. Not
// cached.
Result<std::vector<std::int64_t>> count_texts(const PromptOptions& options,
                                              std::span<const std::string_view> texts,
                                              const PromptContext& context);

}  // namespace orch::prompt
