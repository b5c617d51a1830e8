// Values to begin with, for a parameter of which nothing is known but its declaration, and their
// spelling in YAML. Knows no matrix.
#pragma once

#include "spec/matrix/parameter.hpp"

#include <string>
#include <string_view>

namespace orch::session {

// TEXT in single quotes.
std::string yaml_quote(std::string_view text);
// VALUE as YAML that reads back as the same text.
std::string yaml_value(matrix::Type type, const std::string& value);

// The first value of a parameter: its default, else the value nearest to 1 within its limits.
std::string first_value(const matrix::Parameter& parameter);

// Whether the parameter `model` of a runner takes sources such as generate:tiny, by its help.
bool takes_generated(const matrix::Parameter& model);

}  // namespace orch::session
