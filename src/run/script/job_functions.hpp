// The bash functions of scripts that submit jobs of Slurm and that run in them, beside those of
// script_functions.hpp, and what such scripts say about themselves.
#pragma once

#include <string_view>

namespace orch::script {

// One script that submits itself. Comments for the user, and the shell options.
extern const std::string_view k_slurm_script_usage;
// The same of submit.sh, and of the functions.sh beside it.
extern const std::string_view k_submit_usage;
extern const std::string_view k_functions_usage;
// Follow k_script_functions.
extern const std::string_view k_job_functions;

}  // namespace orch::script
