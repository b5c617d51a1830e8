// The options of `orchestrate bench` about prompts, with the location of the helper that makes them
// and of its cache. Knows no load.
#pragma once

#include <string>

#include "core/base/result.hpp"
#include "bench/prompt/prompt_source.hpp"

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

// The options as typed. The caller still sets what the run knows: seed, counts and protocol.
Result<prompt::PromptOptions> prompt_options(const PromptFlags& flags);

}  // namespace orch::cli
