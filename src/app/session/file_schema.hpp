// JSON Schema of the files that users write, for editors that complete and check. Printed from the
// tables of keys that the parsers use; checks nothing itself.
#pragma once

#include "spec/runner/manifest.hpp"

#include <string>

namespace orch::session {

// Draft 7, which yaml-language-server reads best. RUNNER narrows parameters, facts and stages to
// its own; without one any name is allowed.
std::string matrix_schema(const runner::Manifest* runner);
// Of runner.yaml and of its parts.
std::string runner_schema();
std::string site_schema();

}  // namespace orch::session
