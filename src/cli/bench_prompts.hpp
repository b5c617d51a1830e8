// The options of `orchestrate bench` about prompts. Knows where the helper that makes prompts lies
// and where its work is kept; nothing of loads.
#pragma once

#include <string>

#include "base/result.hpp"
#include "prompt/prompt_source.hpp"

namespace CLI {
class App;
}

namespace orch::cli {

// As typed.
struct PromptFlags {
  prompt::PromptOptions options;
  std::string isl;
  std::string osl;
};

// --prompts, --isl, --osl and --tokenizer under the heading GROUP of the help; --block,
// --shared-prefix, --ids, --python and --prompt-cache under RARE.
void add_prompt_options(CLI::App& app, PromptFlags& flags, const std::string& group,
                        const std::string& rare);

// Of what was typed. What the run knows is still to be set: seed, counts, what the protocol sends.
Result<prompt::PromptOptions> prompt_options(const PromptFlags& flags);

}  // namespace orch::cli
