// Where the prompts of a benchmark come from: a file as it is, a file that a tokenizer counts, or
// prompts made up to lengths. Says what is missing and what to add. Sends nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "prompt/lengths.hpp"
#include "prompt/prompt_cache.hpp"
#include "prompt/prompts.hpp"

namespace orch::prompt {

struct PromptOptions {
  std::string file;           // "": made up
  int block = 0;              // of the file
  std::optional<Length> isl;  // of prompts that are made up
  std::optional<Length> osl;  // of answers whose prompt does not say
  std::string tokenizer;      // a tokenizer.json, or the folder that has it; "": none
  double shared_prefix = 0;   // share of each prompt that is the same in all
  bool ids = false;           // with a tokenizer: give each its token ids as well
  bool special_tokens =
      true;  // the server puts its special tokens around a prompt; false: a chat template does
  std::uint64_t seed = 0;
  std::int64_t warmup = 0;    // prompts that are needed
  std::int64_t measured = 0;  // 0: not known beforehand
  PromptHelper helper;
};

// What there is may be less than what is needed. A file that marks no warm-up prompts gives its
// last ones for that.
Result<PromptSet> find_prompts(const PromptOptions& options, const PromptMaking& making);

// How many tokens each of TEXTS has by the tokenizer of OPTIONS, without special ones. Keeps
// nothing.
Result<std::vector<std::int64_t>> count_texts(const PromptOptions& options,
                                              std::span<const std::string_view> texts,
                                              const PromptMaking& making);

}  // namespace orch::prompt
