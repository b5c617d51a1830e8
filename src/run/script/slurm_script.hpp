// Writes a whole plan for Slurm: one job per task or batch, and one per server with its
// measurements. Only produces text.
#pragma once

#include "plan/graph/plan.hpp"
#include "run/attempt/container_host.hpp"
#include "run/attempt/layout.hpp"
#include "run/script/wanted_stages.hpp"

#include <string>
#include <vector>

namespace orch::script {

// How stages become jobs here, according to the site file.
struct JobOptions {
  std::vector<std::string> words = {};  // sbatch options, such as --partition=NAME
  std::vector<std::string> lines = {};  // lines of each job before its commands
  std::string gres = "gpu";             // Slurm's name for GPUs
  attempt::PlaceOptions place = {};     // the requests of jobs that the plan does not specify
};

// One script, which submits itself once for each job.
std::string to_slurm_script(const plan::Plan& plan, const attempt::Layout& layout,
                            const ScriptOptions& options, const JobOptions& jobs);

struct ScriptFile {
  std::string name;
  std::string text;
};

// The files of a folder: submit.sh, functions.sh, and for each job NAME.sub and the NAME.sh that it
// starts, if any.
std::vector<ScriptFile> to_slurm_files(const plan::Plan& plan, const attempt::Layout& layout,
                                       const ScriptOptions& options, const JobOptions& jobs);

// WORDS as "#SBATCH ..." lines, with an option and its value on the same line.
std::string sbatch_lines(const std::vector<std::string>& words);

}  // namespace orch::script
