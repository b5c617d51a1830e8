// Explains a name of a manifest to a person. Knows no point and no plan.
#pragma once

#include "spec/runner/manifest.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace orch::runner {

// Every name that explain() knows: stages, rules, parameters and facts.
std::vector<std::string> names_of(const Manifest& manifest);

// Explains every stage, rule, parameter and fact called NAME; "" when there is none. MANIFEST has
// no errors.
std::string explain(const Manifest& manifest, std::string_view name);

}  // namespace orch::runner
