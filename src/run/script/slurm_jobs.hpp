// The stages of a plan as jobs of Slurm: what each requests, its lines, and the commands that it
// starts with srun. Where these texts are written is the caller's part.
#pragma once

#include "run/attempt/stage_place.hpp"
#include "run/script/stage_text.hpp"

#include <functional>
#include <string>
#include <vector>

namespace orch::script {

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

}  // namespace orch::script
