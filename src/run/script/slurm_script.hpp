// Writes a whole plan for Slurm: each task a job, and each server with its measurements. Produces
// text only: touches no file and starts no process.
#pragma once

#include "run/attempt/layout.hpp"
#include "plan/graph/plan.hpp"
#include "run/script/script_options.hpp"
#include "run/script/slurm_jobs.hpp"

#include <string>
#include <vector>

namespace orch::script {

// One script, which submits itself as each job.
std::string to_slurm_script(const plan::Plan& plan, const attempt::Layout& layout,
                            const ScriptOptions& options, const JobOptions& jobs);

struct ScriptFile {
  std::string name;
  std::string text;
};

// The files of a folder: submit.sh, functions.sh, and for each job NAME.sub and NAME.sh.
std::vector<ScriptFile> to_slurm_files(const plan::Plan& plan, const attempt::Layout& layout,
                                       const ScriptOptions& options, const JobOptions& jobs);

// WORDS as lines "#SBATCH ...", an option and its value on one of them.
std::string sbatch_lines(const std::vector<std::string>& words);

}  // namespace orch::script
