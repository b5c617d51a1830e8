#include "run/script/slurm_script.hpp"

#include "core/base/text.hpp"
#include "run/script/job_functions.hpp"
#include "run/script/script_functions.hpp"

namespace orch::script {

namespace {

using Words = std::vector<std::string>;

constexpr const char* k_cpus_of_steps =
    "  # Since 22.05 srun does not take the CPUs of a task from the job by itself\n"
    "  [[ -z ${SLURM_CPUS_PER_TASK-} ]] || export SRUN_CPUS_PER_TASK=$SLURM_CPUS_PER_TASK\n";
constexpr const char* k_ask_server =
    "  # srun itself would not let it finish; it is the first step of the job\n"
    "  ask_server=(scancel --quiet --signal=TERM \"$SLURM_JOB_ID.0\")\n";

class SlurmScript {
 public:
  SlurmScript(const plan::Plan& plan, const attempt::Layout& layout, const ScriptOptions& options,
              const JobOptions& jobs)
      : options_(on_cluster(options)),
        layout_(layout),
        jobs_(jobs),
        wanted_(plan),
        stages_(wanted_, layout, options_) {
    for (const plan::Stage* stage : wanted_.made()) resolve_ += stages_.resolve(*stage);
  }

  std::string one_script() {
    const auto jobs = make_jobs([](const SlurmJob& job) {
      return CommandCall{
          .words = {{{"", "bash"}}, {{"script", ""}}, {{"", "command"}}, {{"", job.variable}}},
          .file = {"script", ""}};
    });
    std::string text = "#!/usr/bin/env bash\n" + stages_.subject() +
                       fmt::format(fmt::runtime(k_slurm_script_usage), shell_quote(options_.file)) +
                       stages_.places() + "script=${script:-$(realpath -- \"$0\")}\n" + functions();
    for (const SlurmJob& job : jobs) {
      if (!job.has_process) continue;
      text += fmt::format("\njob_{}() {{{}{}{}}}\n", job.variable,
                          job.definitions.empty() ? "" : "\n", job.definitions, job.body);
      if (!job.command.empty())
        text += fmt::format("\ncommand_{}() {{\n{}}}\n", job.variable, job.command);
    }
    text +=
        "\n# What a job, and a process of one, calls this script for\n"
        "if [[ ${1-} == command ]]; then \"command_$2\"; fi\n" +
        stages_.checks() + "if [[ ${1-} == job ]]; then\n";
    if (!jobs_.lines.empty()) text += "  set +eu\n" + site_lines("  ") + "  set -eu\n";
    text += "  begin_job\n  \"job_$2\"\n  exit\nfi\n\n" + begin_submissions("script");
    for (const SlurmJob& job : jobs) {
      Words words = {"-J", shell_quote(job.name), "-o", "\"$OUT/logs/" + job.name + ".job\"",
                     "--no-requeue"};
      for (const Words* more : {&jobs_.words, &job.words})
        for (const std::string& word : *more) words.push_back(shell_quote(word));
      words.insert(words.end(), {"\"$script\"", "job", job.variable});
      text += submission(job, words);
    }
    return text + end_submissions();
  }

  std::vector<ScriptFile> files() {
    const auto jobs = make_jobs([](const SlurmJob& job) {
      const ShellPart file{"here", "/" + job.name + ".sh"};
      return CommandCall{.words = {{{"", "bash"}}, {file}}, .file = file};
    });
    std::string submit = "#!/usr/bin/env bash\n" + stages_.subject() + std::string(k_submit_usage) +
                         "[[ -z ${OUT-} ]] || OUT=$(realpath -m -- \"$OUT\")\n"
                         "cd \"$(dirname -- \"${BASH_SOURCE[0]}\")\" || exit\n"
                         "source ./functions.sh\n"
                         "mkdir -p logs\n" +
                         begin_submissions("");
    for (const SlurmJob& job : jobs) submit += submission(job, {shell_quote(job.name + ".sub")});
    std::vector<ScriptFile> files = {
        {"submit.sh", submit + end_submissions()},
        {"functions.sh", std::string(k_functions_usage) + "here=$PWD\n" + stages_.places() +
                             "[[ $OUT == /* ]] || OUT=$here/$OUT\n" + functions() +
                             stages_.checks()}};
    for (const SlurmJob& job : jobs) {
      if (!job.has_process) continue;
      files.push_back({job.name + ".sub", job_file(job)});
      if (!job.command.empty())
        files.push_back({job.name + ".sh", "#!/bin/bash\n# What " + job.name +
                                               ".sub starts, with its variables\n" +
                                               "# shellcheck disable=SC2154\n" + job.command});
    }
    return files;
  }

 private:
  // Slurm chooses the GPUs of jobs.
  static ScriptOptions on_cluster(ScriptOptions options) {
    options.gpus.clear();
    options.on_cluster = options.hides_gpus = true;
    return options;
  }

  std::vector<SlurmJob> make_jobs(std::function<CommandCall(const SlurmJob&)> call) {
    return slurm_jobs(
        stages_, {.wanted = wanted_, .layout = layout_, .options = jobs_, .call = std::move(call)});
  }

  std::string job_file(const SlurmJob& job) const {
    Words words = {"-J",          job.name,
                   "-o",          "logs/" + job.name + ".out",
                   "-e",          "logs/" + job.name + ".error",
                   "--no-requeue"};
    for (const Words* more : {&jobs_.words, &job.words})
      words.insert(words.end(), more->begin(), more->end());
    return "#!/bin/bash\n" + sbatch_lines(words) +
           "# shellcheck disable=SC1091,SC2016,SC2034,SC2154\n" + site_lines("") +
           "source ./functions.sh\nbegin_job\n" + job.definitions + job.body;
  }

  std::string site_lines(std::string_view indent) const {
    std::string text;
    for (const std::string& line : jobs_.lines) text += fmt::format("{}{}\n", indent, line);
    return text;
  }

  std::string functions() const {
    std::string own;
    for (const std::string& line : split(StageText::own_variables(), '\n'))
      if (!line.empty()) own += "  " + line + "\n";
    return std::string(k_script_functions) + std::string(k_job_functions) +
           (jobs_.lines.empty() ? "" : "always+=' LD_LIBRARY_PATH'  # of modules\n") +
           "\nbegin_job() {\n  begin\n" + own + k_cpus_of_steps + k_ask_server + "}\n" +
           stages_.elsewhere();
  }

  // VARIABLE, or "", is one more that jobs must have.
  std::string begin_submissions(const std::string& variable) const {
    Words names = {"OUT", "RUNNER", "ORCHESTRATE"};
    for (const auto& [name, folder] : stages_.other_runners()) names.push_back(name);
    if (!variable.empty()) names.push_back(variable);
    return "make_out\n[[ $OUT != *%* ]] || fail \"$OUT: Slurm reads % in paths: set OUT to another "
           "folder\"\nexport " +
           join(names, " ") + "\n" +
           (resolve_.empty() ? "" : "begin\n" + StageText::own_variables() + resolve_) +
           export_revisions();
  }

  std::string export_revisions() const {
    Words names = {"export"};
    for (const auto& [variable, name] : stages_.revisions()) names.push_back(variable);
    return names.size() > 1 ? join(names, " ") + "\n" : "";
  }

  // What needs no process is done where jobs are submitted.
  static std::string submission(const SlurmJob& job, const Words& words) {
    if (!job.has_process) return job.definitions + job.body;
    std::vector<std::string> line = {"submit"};
    for (const std::string& need : job.needs) line.push_back("\"$job_" + need + "\"");
    line.emplace_back("--");
    line.insert(line.end(), words.begin(), words.end());
    return fmt::format("\n{}\njob_{}=$job\n", shell_command(line), job.variable);
  }

  std::string end_submissions() {
    return "\nsay \"submitted: ${#jobs[@]} jobs; squeue --me shows them, and their files are in "
           "$OUT\"\n" +
           stages_.left_out();
  }

  const ScriptOptions options_;
  const attempt::Layout& layout_;
  const JobOptions& jobs_;
  const WantedStages wanted_;
  StageText stages_;
  std::string resolve_;
};

// WORD for a line #SBATCH, whose quotes and backslashes are like those of the shell.
std::string sbatch_word(std::string_view word) {
  if (shell_quote(word) == word) return std::string(word);
  std::string quoted = "\"";
  for (const char c : word) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c == '\n' ? ' ' : c;
  }
  return quoted + '"';
}

}  // namespace

std::string sbatch_lines(const Words& words) {
  std::string lines;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool is_value = i > 0 && !words[i].starts_with('-') && words[i - 1].starts_with('-') &&
                          words[i - 1].find('=') == std::string::npos;
    lines += (i == 0 ? "#SBATCH " : is_value ? " " : "\n#SBATCH ") + sbatch_word(words[i]);
  }
  return lines.empty() ? "" : lines + "\n";
}

std::string to_slurm_script(const plan::Plan& plan, const attempt::Layout& layout,
                            const ScriptOptions& options, const JobOptions& jobs) {
  return SlurmScript(plan, layout, options, jobs).one_script();
}

std::vector<ScriptFile> to_slurm_files(const plan::Plan& plan, const attempt::Layout& layout,
                                       const ScriptOptions& options, const JobOptions& jobs) {
  return SlurmScript(plan, layout, options, jobs).files();
}

}  // namespace orch::script
