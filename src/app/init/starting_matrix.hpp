// A commented matrix to start from, for a given runner and machine. Only builds text.
#pragma once

#include "os/system/machine.hpp"
#include "spec/matrix/parameter.hpp"
#include "spec/runner/manifest.hpp"

#include <span>
#include <string>
#include <string_view>

namespace orch::session {

// Initial values for a parameter of which only the declaration is known, and their spelling in
// YAML.

// TEXT in single quotes.
std::string yaml_quote(std::string_view text);
// VALUE as YAML that reads back as the same text.
std::string yaml_value(matrix::Type type, const std::string& value);

// The first value of a parameter: its default, else its first allowed value, else for a number the
// value nearest to 1 within its limits, else an example of its type.
std::string first_value(const matrix::Parameter& parameter);

// Whether a runner's parameter `model` accepts sources such as generate:tiny, according to its
// help.
bool takes_generated(const matrix::Parameter& model);

// The first of MANIFESTS that uses GPUs if and only if MACHINE has some. If none does, the first of
// all; null if MANIFESTS is empty.
const runner::Manifest* choose_runner(std::span<const runner::Manifest> manifests,
                                      const system::Machine& machine);

// The text of a matrix called NAME that passes validation: it sets the parameters that RUNNER
// requires, and a few values of parameters worth comparing. Everything else is in comments.
std::string starting_matrix(const runner::Manifest& runner, const system::Machine& machine,
                            const std::string& name);

// TEXT as part of one line: control characters are escaped, and newlines become spaces.
std::string one_line(std::string_view text);

}  // namespace orch::session
