// The bash functions at the head of every script of a plan: what `orchestrate run` does around the
// command of a stage. Knows no plan.
#pragma once

#include <string>
#include <string_view>

namespace orch::script {

// Comments for the user, and the shell options.
extern const std::string_view k_script_usage;
// They use the variables OUT, RUNNER and ORCHESTRATE. `make_out` and `begin` come before the
// others.
extern const std::string_view k_script_functions;
// Ends the script unless VARIABLE names a folder, which is that of RUNNER.
std::string check_of_other_runner(const std::string& variable, const std::string& runner);

}  // namespace orch::script
