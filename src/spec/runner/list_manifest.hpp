// Lists what a runner has: stages, parameters, rules and facts, for people and for programs. Knows
// no point.
#pragma once

#include "spec/runner/manifest.hpp"

#include <string>

namespace orch::runner {

struct Listed {
  bool stages = false;
  bool parameters = false;
  bool rules = false;
  bool facts = false;
};

// A head (name, description, file, versions) and the chosen sections. MANIFEST has no errors.
std::string list_text(const Manifest& manifest, const Listed& listed);

// The same as a JSON object, with every member that the manifest declares.
std::string list_json(const Manifest& manifest, const Listed& listed);

// "TensorRT-LLM 0.9.0 to 1.3.0"; "" for a runner without versions.
std::string version_range(const Manifest& manifest);

// "3 stages, 271 parameters, 60 rules, 19 facts".
std::string counts_of(const Manifest& manifest);

}  // namespace orch::runner
