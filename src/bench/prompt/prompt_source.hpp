// The prompt source of a benchmark: a file, a tokenised file, or synthetic prompts of given
// lengths. Reports missing options with the remedy. Sends nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/base/result.hpp"
#include "bench/prompt/prompts.hpp"
#include "bench/prompt/prompt_cache.hpp"

namespace orch::prompt {

struct PromptOptions {
  std::string file;  // "": synthetic prompts
  int block = 0;     // of the file
  // Prompts are sent again: the block is 0, and no prompt of the file is kept for the warm-up.
  bool reuse = false;
  std::optional<Length> isl;  // of synthetic prompts
  std::optional<Length> osl;  // of answers to prompts without a length of their own
  std::string tokenizer;      // a tokenizer.json or its folder; "": none
  double shared_prefix = 0;   // share of each prompt that is the same in all
  bool ids = false;           // with a tokenizer: also set the token ids of each prompt
  // The server puts its special tokens around a prompt; false: a chat template does.
  bool special_tokens = true;
  // A tokenizer counts recorded answers, and answers are asked for as long as these were.
  bool as_recorded = true;
  std::uint64_t seed = 0;
  std::int64_t warmup = 0;    // number of prompts needed
  std::int64_t measured = 0;  // 0: unknown beforehand
  PromptHelper helper;
};

// May return fewer prompts than needed. A file that marks no warm-up prompts uses its last ones.
Result<PromptSet> find_prompts(const PromptOptions& options, const PromptContext& context);

// The number of tokens of each of TEXTS by the tokenizer of OPTIONS, without special tokens. Caches
// nothing.
Result<std::vector<std::int64_t>> count_texts(const PromptOptions& options,
                                              std::span<const std::string_view> texts,
                                              const PromptContext& context);

}  // namespace orch::prompt
