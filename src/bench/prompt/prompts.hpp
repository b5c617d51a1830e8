// The prompt file: JSON objects, one per line, all in one array, or in the array "data" of
// perf_analyzer's input files, in any of the forms of prompt_forms.hpp. Separates warm-up prompts
// and independent blocks if the file marks them. Opens no file and does not tokenise.
#pragma once

#include "core/base/result.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace orch::prompt {

// Token lengths of prompts and answers: fixed, or normally distributed.

struct Length {
  double mean = 0;
  double sd = 0;
  std::int64_t most = 10'000'000;  // longer draws are reduced to this
};

// Parses "512", "512:64" (mean and standard deviation) or "512:64:768" (plus the largest length).
// OPTION is its name in errors.
Result<Length> parse_length(std::string_view option, std::string_view text);

// COUNT lengths, rounded and at least 1. They depend only on LENGTH and SEED, not on the machine; a
// shorter list is a prefix of a longer one.
std::vector<std::int64_t> draw_lengths(const Length& length, std::uint64_t seed, std::size_t count);

struct Prompt {
  std::string text_input;  // "" if there are only ids
  // Token ids of text_input, for protocols that take ids; empty if unknown.
  std::vector<std::int32_t> ids = {};
  std::optional<std::int64_t> isl = {};  // tokens, as counted by the producer of the file
  std::optional<std::int64_t> osl = {};  // output tokens to request; nullopt: those of the run
  // For a trace: when to send it, in seconds on the trace's own clock.
  std::optional<double> timestamp_s = {};
  // For a chat: compact JSON whose text is text_input; "" if the file has none.
  std::string messages = {};
  // Additional fields of its request to an OpenAI server, as members of a JSON object without
  // braces: "\"temperature\":0.7". "" for none.
  std::string fields = {};
};

struct PromptSet {
  std::vector<Prompt> warmup;
  std::vector<Prompt> measured;
  std::optional<Length> isl_requested = {};  // of synthetic prompts
  std::vector<std::string> notices = {};     // for the user, one sentence each
  std::size_t without_osl = 0;               // prompts without an answer length
  std::size_t first_without_osl = 0;         // the number of the first in the block, from 1
  int first_without_osl_line = 0;
  bool answered = false;  // some prompts have recorded answers, whose tokens a tokenizer can count
};

// The prompts of BLOCK in TEXT, in file order. NAME is the file's name in errors. A trace row with
// lengths but no text becomes a prompt without text. FIELDS: the request fields of the rows, in
// order, if TEXT was made from rows that had some.
Result<PromptSet> parse_prompts(std::string_view text, std::string_view name, int block,
                                std::vector<std::string> fields = {});

}  // namespace orch::prompt
