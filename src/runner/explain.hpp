// What a manifest says of one of its names, in words for a person. Knows no point and no plan.
#pragma once

#include "runner/manifest.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace orch::runner {

// Everything that explain() can be asked about: stages, rules, parameters and facts.
std::vector<std::string> names_of(const Manifest& manifest);

// What NAME is in MANIFEST, each of them if it is several things; "" when it is nothing. MANIFEST
// has no errors.
std::string explain(const Manifest& manifest, std::string_view name);

}  // namespace orch::runner
