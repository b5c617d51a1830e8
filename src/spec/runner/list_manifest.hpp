// Lists a runner's stages, parameters, rules and facts, for people and for programs.
#pragma once

#include "spec/runner/manifest.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace orch::runner {

// The declaration of a parameter as text: type, default, versions.

// "integer (tokens), at least 1", "text, one of fp16, nvfp4 (from 1.0.0 on)".
std::string type_words(const matrix::Parameter& parameter);

// "8", "''", "SQL: max(20, 10 * concurrency)", "none, and it may stay without a value".
std::string default_words(const matrix::Parameter& parameter);

// "from 1.1.0 on", "before 0.14.0", "from 0.11.0 on, before 0.14.0"; "" without a bound.
std::string release_words(const matrix::Releases& releases);

// The rows of VERSIONS within RELEASES, oldest first.
std::vector<std::string> versions_within(const matrix::Releases& releases,
                                         const matrix::Versions& versions);

// Whether points must get a value from the matrix: the parameter has no default and may not lack a
// value, and it is `model` or a stage reads it.
bool is_required(const Manifest& manifest, const matrix::Parameter& parameter);

// The stages that directly read parameter NAME.
std::vector<std::string> stages_reading(const Manifest& manifest, std::string_view name);

struct Listed {
  bool stages = false;
  bool parameters = false;
  bool rules = false;
  bool facts = false;
};

// A header (name, description, file, versions) and the chosen sections. MANIFEST must have no
// errors.
std::string list_text(const Manifest& manifest, const Listed& listed);

// The same as a JSON object.
std::string list_json(const Manifest& manifest, const Listed& listed);

// "TensorRT-LLM 0.9.0 to 1.3.0"; "" for a runner without versions.
std::string version_range(const Manifest& manifest);

// "3 stages, 271 parameters, 60 rules, 19 facts".
std::string counts_of(const Manifest& manifest);

}  // namespace orch::runner
