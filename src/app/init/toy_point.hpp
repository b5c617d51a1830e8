// The smallest point of a runner: its defaults under its smallest load. Knows no other matrix.
#pragma once

#include "core/base/result.hpp"
#include "spec/runner/manifest.hpp"

#include <string>

namespace orch::session {

// The text of a matrix with this one point. The error names what nobody but a user can choose, such
// as a model.
Result<std::string> toy_matrix(const runner::Manifest& manifest);

}  // namespace orch::session
