// The bash that stands at the head of every script of a plan: what `orchestrate run` does around a
// stage's own command.
#pragma once

#include <string_view>

namespace orch::script {

extern const std::string_view
    k_script_usage;  // comments, and what must be set before anything else
extern const std::string_view k_script_functions;  // needs OUT, RUNNER and ORCHESTRATE

}  // namespace orch::script
