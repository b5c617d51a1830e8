// Writes a whole plan for Slurm: one job per task, and one per server with its measurements. Only
// produces text.
#pragma once

#include "plan/graph/plan.hpp"
#include "run/attempt/container_host.hpp"
#include "run/attempt/layout.hpp"
#include "run/script/stage_text.hpp"
#include "run/script/wanted_stages.hpp"

#include <functional>
#include <string>
#include <vector>

namespace orch::script {

// The stages of a plan as Slurm jobs: the requests and the lines of each job, and the commands that
// it starts with srun. The caller decides where these texts are written.

// How stages become jobs here, according to the site file.
struct JobOptions {
  std::vector<std::string> words = {};  // sbatch options, such as --partition=NAME
  std::vector<std::string> lines = {};  // lines of each job before its commands
  std::string gres = "gpu";             // Slurm's name for GPUs
  attempt::PlaceOptions place = {};     // the requests of jobs that the plan does not specify
};

struct SlurmJob {
  std::string name;                     // the name of its first stage
  std::string variable;                 // the name as a shell variable
  std::vector<std::string> words = {};  // sbatch options for its requests
  std::vector<std::string> needs = {};  // variables of the jobs that must have succeeded before
  // Definitions of the variables of other jobs' outputs that it reads.
  std::string definitions = {};
  std::string body = {};     // its lines
  bool has_process = true;   // false: its lines only write files
  std::string command = {};  // the lines of the process that it starts; "": none
};

// How a job calls its command.
struct CommandCall {
  std::vector<ShellText> words;  // [bash, FILE]
  ShellPart file;                // the file that must be visible in a container
};

struct JobSources {
  const WantedStages& wanted;
  const attempt::Layout& layout;
  const JobOptions& options;
  std::function<CommandCall(const SlurmJob& job)> call;
};

// The jobs of a plan, each after the jobs that it needs. Changes how STAGES starts processes.
std::vector<SlurmJob> slurm_jobs(StageText& stages, const JobSources& sources);

// One script, which submits itself once for each job.
std::string to_slurm_script(const plan::Plan& plan, const attempt::Layout& layout,
                            const ScriptOptions& options, const JobOptions& jobs);

struct ScriptFile {
  std::string name;
  std::string text;
};

// The files of a folder: submit.sh, functions.sh, and for each job NAME.sub and NAME.sh.
std::vector<ScriptFile> to_slurm_files(const plan::Plan& plan, const attempt::Layout& layout,
                                       const ScriptOptions& options, const JobOptions& jobs);

// WORDS as "#SBATCH ..." lines, with an option and its value on the same line.
std::string sbatch_lines(const std::vector<std::string>& words);

}  // namespace orch::script
