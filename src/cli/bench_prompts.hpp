// The options of `orchestrate bench` about prompts. Knows where the helper that makes prompts lies and where its work is kept;
// nothing of loads.
#pragma once

#include <string>

#include "base/result.hpp"
#include "load/prompt_source.hpp"

namespace CLI {
class App;
}

namespace orch::cli {

// As typed.
struct PromptFlags {
  load::PromptOptions options;
  std::string isl;
  std::string osl;
};

// Of --help, under which the options stand.
struct PromptGroups {
  const char* usual;
  const char* rare;
};

// --prompts, --isl, --osl, --tokenizer; --block, --shared-prefix, --python, --prompt-cache
void add_prompt_options(CLI::App& app, PromptFlags& flags, const PromptGroups& groups);

// Of what was typed. What the run knows is still to be set: seed, counts, what the protocol sends.
Result<load::PromptOptions> prompt_options(const PromptFlags& flags);

}  // namespace orch::cli
