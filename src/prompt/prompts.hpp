// The prompt file: JSON objects, one a line, all in one array, or in the array "data" of
// perf_analyzer's input files, in any of the forms of prompt_forms.hpp. Warm-up prompts and
// independent blocks are told apart where the file marks them. It opens no file and does not
// tokenise.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "prompt/lengths.hpp"

namespace orch::prompt {

struct Prompt {
  std::string text_input;  // "" where there are only ids
  std::vector<std::int32_t> ids =
      {};                           // of text_input, for protocols that take ids; empty: not known
  std::optional<std::int64_t> isl;  // token ids, counted by whoever made the file
  std::optional<std::int64_t> osl = {};    // output tokens to ask for; empty: the run's
  std::optional<double> timestamp_s = {};  // of a trace: when it is due, from the trace's own zero
  std::string messages =
      {};  // of a chat, in JSON without blanks; text_input is their text. "": the file has none
};

struct PromptSet {
  std::vector<Prompt> warmup;
  std::vector<Prompt> measured;
  std::optional<Length> isl_requested = {};  // of those that were made up to lengths
  std::vector<std::string> notices = {};     // what a user should know of them, one sentence each
  std::size_t without_osl = 0;        // prompts that do not say how long their answers are to be
  std::size_t first_without_osl = 0;  // of all of the block, in the file's order, from 1
  int first_without_osl_line = 0;
  bool answered = false;  // some have recorded answers, whose tokens a tokenizer would count
};

// The prompts of BLOCK in TEXT, in the file's order; NAME stands in errors. A row of a trace that
// has lengths and no text becomes a prompt without text.
Result<PromptSet> parse_prompts(std::string_view text, std::string_view name, int block);

}  // namespace orch::prompt
