// Explains a name in a manifest to users.
#pragma once

#include "spec/runner/manifest.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace orch::runner {

// Explains a stage of a manifest; also the layout shared by all explanations.

using Lines = std::vector<std::string>;

// TITLE and the lines below it, indented; "" if there are none.
std::string section(std::string_view title, const Lines& lines);

// "tp: integer, at least 1; default 1; ranks that share each layer"
std::string in_words(const matrix::Parameter& parameter);

std::string explain_stage(const Manifest& manifest, const StageKind& stage);

// Names that explain() accepts: stages, rules, parameters and facts of models. It also accepts
// facts of the machine.
std::vector<std::string> names_of(const Manifest& manifest);

// Explains every stage, rule, parameter and fact called NAME; "" if there is none. MANIFEST must
// have no errors.
std::string explain(const Manifest& manifest, std::string_view name);

}  // namespace orch::runner
