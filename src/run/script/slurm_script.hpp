// Writes a whole plan for Slurm: each task a job, and each server with its measurements. Produces
// text only: touches no file and starts no process.
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

// The stages of a plan as jobs of Slurm: what each requests, its lines, and the commands that it
// starts with srun. Where these texts are written is the caller's part.

// How stages become jobs here, as the site says.
struct JobOptions {
  std::vector<std::string> words = {};  // of sbatch: --partition=NAME
  std::vector<std::string> lines = {};  // of a job, ahead of what it runs
  std::string gres = "gpu";             // the name of GPUs
  attempt::PlaceOptions place = {};     // what they request, apart from what the plan says of it
};

struct SlurmJob {
  std::string name;                     // of its first stage
  std::string variable;                 // the same as a name of the shell
  std::vector<std::string> words = {};  // of sbatch: what it requests
  std::vector<std::string> needs = {};  // variables of the jobs that must have succeeded before
  std::string definitions = {};         // of the variables of other jobs that it reads
  std::string body = {};                // its lines
  bool has_process = true;              // else its lines only write files
  std::string command = {};             // the lines of the process that it starts; "": none
};

// How a job calls its command.
struct CommandCall {
  std::vector<ShellText> words;  // [bash, FILE]
  ShellPart file;                // the file that a container has to see
};

struct JobSources {
  const WantedStages& wanted;
  const attempt::Layout& layout;
  const JobOptions& options;
  std::function<CommandCall(const SlurmJob& job)> call;
};

// Every job follows those that it needs. Changes how STAGES starts processes.
std::vector<SlurmJob> slurm_jobs(StageText& stages, const JobSources& sources);

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
