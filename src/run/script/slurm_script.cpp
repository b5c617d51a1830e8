#include "run/script/slurm_script.hpp"

#include "core/base/text.hpp"
#include "plan/graph/containers.hpp"
#include "run/script/stage_text.hpp"
#include "run/slurm/slurm.hpp"
#include "spec/ranks/mpi_ranks.hpp"

#include <algorithm>
#include <functional>

namespace orch::script {

namespace {

using plan::Stage;
using ranks::MpiRanks;
using runner::Kind;
using Words = std::vector<std::string>;

constexpr const char* k_command_file = "job:command";  // the symbol for the file of a job's command

struct SlurmJob {
  std::string name;                     // the name of its first stage
  std::string variable;                 // the name as a shell variable
  std::vector<std::string> words = {};  // sbatch options for its requests
  std::vector<std::string> needs = {};  // variables of the jobs that must have succeeded before
  // Definitions of the variables that its lines read but do not set.
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

std::string variable_word(const std::string& name) { return name + "=\"$" + name + "\""; }

// The stages of a plan as Slurm jobs: the requests and the lines of each job, and the commands that
// it starts with srun. The caller decides where these texts are written.
class Jobs {
 public:
  using Call = std::function<CommandCall(const SlurmJob& job)>;

  // Changes how STAGES starts processes, until this is destroyed. All must outlive this.
  Jobs(StageWords& words, StageText& stages, const JobOptions& options, const Call& call)
      : words_(words),
        stages_(stages),
        wanted_(words.sources().wanted),
        options_(options),
        call_(call) {
    stages_.start_by(
        [this](const Stage& stage, Words& head) { return words_that_start(stage, head); });
  }

  ~Jobs() { stages_.start_by({}); }
  Jobs(const Jobs&) = delete;
  Jobs& operator=(const Jobs&) = delete;

  // The jobs, each after the jobs that it needs.
  std::vector<SlurmJob> make() {
    for (const auto& together : wanted_.tasks()) {
      begin(*together.front(), together);
      const auto& spec = together.front()->spec;
      job().has_process = !spec.argv.empty() || !spec.place.empty();
      job().words = place_words(*together.front(), together.size());
      job().body = stages_.tasks(together);
      finish(together);
    }
    // The job of the previous session of an external server: such sessions run one after the other.
    std::string earlier;
    for (const auto& session : wanted_.sessions()) {
      std::vector<const Stage*> all = session.measurements;
      all.insert(all.begin(), session.service);
      begin(*session.service, all);
      job().words = place_words(*session.service, 1);
      job().body = stages_.session(session);
      if (session.service->spec.server) {
        if (!earlier.empty()) job().needs.push_back(earlier);
        earlier = job().variable;
      }
      finish(all);
    }
    return std::move(jobs_);
  }

 private:
  SlurmJob& job() { return jobs_.back(); }

  void begin(const Stage& first, const std::vector<const Stage*>& all) {
    jobs_.push_back({.name = first.id, .variable = wanted_.variable_of(first.id)});
    for (const Stage* stage : all)
      for (const auto& [name, id] : stage->needs) {
        const auto needed = job_of_.find(id);
        if (needed != job_of_.end() && !contains(job().needs, needed->second))
          job().needs.push_back(needed->second);
      }
    (void)words_.take_used();
  }

  // Completes the job of the stages ALL: defines the variables that its lines read but do not set.
  void finish(const std::vector<const Stage*>& all) {
    const auto revisions = words_.revisions();
    int gpus = 0;
    for (const std::string& variable : words_.take_used()) {
      gpus += variable.starts_with(k_gpu);
      const Stage* stage = wanted_.stage_of(variable);
      if (stage && !contains(all, stage)) job().definitions += words_.definition(*stage);
      if (const auto revision = revisions.find(variable); revision != revisions.end())
        job().definitions += fmt::format(": \"${{{}:?{}}}\"\n", variable,
                                         "the commit of a model, which the submission sets");
    }
    if (gpus > 0)
      job().definitions +=
          gpu_variables(gpus, fmt::format("${{SLURM_JOB_GPUS:-{}}}", first_gpus(gpus)));
    if (!job().has_process) return;
    for (const Stage* stage : all) job_of_[stage->id] = job().variable;
  }

  execute::Place place_of(const Stage& stage) const {
    return attempt::place_of(wanted_.plan(), stage, options_.place);
  }

  Words place_words(const Stage& stage, std::size_t together) const {
    execute::Place place = place_of(stage);
    if (together > 1) place.seconds += stage.spec.timeout_s * static_cast<double>(together - 1);
    if (const auto ranks = ranks_of(stage)) place.ranks = ranks->count;
    return slurm::place_words(place, options_.gres, options_.words);
  }

  // --- processes

  static bool is_in_image(const Stage& stage) {
    return stage.spec.container && stage.spec.container->engine == container::Engine::cluster;
  }
  // Whether a part of STAGE's command runs outside its container.
  static bool has_marker(const Stage& stage) {
    return contains(stage.spec.argv, container::k_marker);
  }
  // The ranks of STAGE if srun starts them. srun cannot if the container is started inside the job:
  // mpirun then starts them.
  static std::optional<MpiRanks> ranks_of(const Stage& stage) {
    if (stage.spec.kind == Kind::measure || (stage.spec.container && !is_in_image(stage)) ||
        (is_in_image(stage) && has_marker(stage)))
      return std::nullopt;
    return ranks::mpi_ranks(container::put_in(stage.spec.argv, {}));
  }

  // The arguments that start STAGE in a job's lines: those of its command for a measurement,
  // otherwise srun with the job's command file. srun also starts the container, unless a part of
  // the command runs outside the container.
  Words words_that_start(const Stage& stage, Words& head) {
    if (stage.spec.kind == Kind::measure) return words_of(stage, inner_argv(stage));
    const std::set<std::string> before = words_.take_used();
    const bool is_hoisted = is_in_image(stage) && !has_marker(stage);
    const auto ranks = ranks_of(stage);
    job().command =
        ranks
            ? private_folders(stage) + rank_lines(stage, *ranks)
            : "exec " +
                  shell_command(words_of(stage, is_hoisted ? stage.spec.argv : inner_argv(stage))) +
                  "\n";
    std::set<std::string> variables = words_.take_used();
    variables.erase(ranks::k_rank_variable);  // srun sets it
    words_.add_used(before);
    words_.add_used(variables);
    for (const std::string& variable : variables) head.push_back(variable_word(variable));
    const CommandCall call = call_(job());
    Words words;
    if (is_hoisted || !is_in_image(stage)) words = srun_words(stage, ranks, {call, variables});
    for (const ShellText& word : call.words) words.push_back(shell_word(word));
    return words;
  }

  struct Called {
    const CommandCall& command;
    const std::set<std::string>& variables;
  };
  Words srun_words(const Stage& stage, const std::optional<MpiRanks>& ranks,
                   const Called& called) const {
    Words words = {"srun"};
    if (stage.spec.kind == Kind::service) words.emplace_back("--overlap");
    const Words of_ranks =
        ranks ? ranks::srun_words(*ranks, place_of(stage).nodes, options_.place.mpi)
              : Words{"--nodes=1", "--ntasks=1", "--cpu-bind=none"};
    words.insert(words.end(), of_ranks.begin(), of_ranks.end());
    words.push_back(shell_word({{"", "--output="}, {"OUT", "/logs/" + stage.id + "_%t.out"}}));
    if (is_in_image(stage)) {
      auto [settings, start] = stages_.contained(stage);
      start.engine.clear();
      start.mounts.push_back({fmt::format("{{{}}}", k_command_file)});
      start.pass.insert(start.pass.end(), called.variables.begin(), called.variables.end());
      if (place_of(stage).nodes > 1) plan::share_among_nodes(start);
      const Words more = words_.words(stage, container::words_of(settings, start),
                                      {{k_command_file, called.command.file}});
      words.insert(words.end(), more.begin(), more.end());
    }
    return words;
  }

  // The command of STAGE with the arguments that start its container; a container of Slurm is
  // started as a step beside others.
  Words inner_argv(const Stage& stage) const {
    if (!stage.spec.container) return container::put_in(stage.spec.argv, {});
    auto [settings, start] = stages_.contained(stage);
    if (settings.engine == container::Engine::cluster)
      start.engine.insert(start.engine.end(), std::begin(container::k_step_words),
                          std::end(container::k_step_words));
    return container::put_in(stage.spec.argv, container::words_of(settings, start));
  }

  Words words_of(const Stage& stage, const Words& argv) const {
    return words_.words(stage, argv, {{ranks::k_rank_name, {ranks::k_rank_variable, ""}}});
  }

  // Makes the private folders on each node, if the container of STAGE runs on several nodes.
  std::string private_folders(const Stage& stage) const {
    if (!is_in_image(stage) || place_of(stage).nodes <= 1) return "";
    return shell_command({"mkdir", "-p", words_.word(stage, "{tmp}"),
                          words_.word(stage, "{container:shm}")}) +
           "\n";
  }

  std::string rank_lines(const Stage& stage, const MpiRanks& ranks) const {
    return ranks::shell_lines(
        ranks, place_of(stage).nodes,
        {.value = [&](const std::string& value) { return words_.word(stage, value); },
         .command = [&](const Words& argv) { return shell_command(words_of(stage, argv)); }});
  }

  StageWords& words_;
  StageText& stages_;
  const WantedStages& wanted_;
  const JobOptions& options_;
  const Call& call_;
  std::vector<SlurmJob> jobs_;
  std::map<plan::StageId, std::string> job_of_;  // variables
};

constexpr const char* k_cpus_of_steps =
    "  # Since Slurm 22.05, srun does not inherit the CPUs per task from the job\n"
    "  [[ -z ${SLURM_CPUS_PER_TASK-} ]] || export SRUN_CPUS_PER_TASK=$SLURM_CPUS_PER_TASK\n";
constexpr const char* k_ask_server =
    "  # TERM for srun would not let the server finish; the server is the job's first step\n"
    "  ask_server=(scancel --quiet --signal=TERM \"$SLURM_JOB_ID.0\")\n";

class SlurmScript {
 public:
  SlurmScript(const plan::Plan& plan, const attempt::Layout& layout, const ScriptOptions& options,
              const JobOptions& jobs)
      : options_(of_jobs(options)),
        jobs_(jobs),
        wanted_(plan),
        words_({wanted_, layout, options_}),
        head_(words_),
        stages_(words_),
        resolve_(head_.resolve()) {}

  std::string one_script() {
    const auto jobs = make_jobs([](const SlurmJob& job) {
      return CommandCall{
          .words = {{{"", "bash"}}, {{"script", ""}}, {{"", "command"}}, {{"", job.variable}}},
          .file = {"script", ""}};
    });
    std::string text = "#!/usr/bin/env bash\n" + head_.subject() +
                       fmt::format(fmt::runtime(k_slurm_script_usage), shell_quote(options_.file)) +
                       head_.places() + "script=${script:-$(realpath -- \"$0\")}\n" + functions();
    for (const SlurmJob& job : jobs) {
      if (!job.has_process) continue;
      text += fmt::format("\njob_{}() {{{}{}{}}}\n", job.variable,
                          job.definitions.empty() ? "" : "\n", job.definitions, job.body);
      if (!job.command.empty())
        text += fmt::format("\ncommand_{}() {{\n{}}}\n", job.variable, job.command);
    }
    text +=
        "\n# The calls of this script by a job, and by a process of a job\n"
        "if [[ ${1-} == command ]]; then \"command_$2\"; fi\n" +
        head_.checks() + "if [[ ${1-} == job ]]; then\n";
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
    std::string submit = "#!/usr/bin/env bash\n" + head_.subject() + std::string(k_submit_usage) +
                         "[[ -z ${OUT-} ]] || OUT=$(realpath -m -- \"$OUT\")\n"
                         "cd \"$(dirname -- \"${BASH_SOURCE[0]}\")\" || exit\n"
                         "source ./functions.sh\n"
                         "mkdir -p logs\n" +
                         begin_submissions("");
    for (const SlurmJob& job : jobs) submit += submission(job, {shell_quote(job.name + ".sub")});
    std::vector<ScriptFile> files = {
        {"submit.sh", submit + end_submissions()},
        {"functions.sh", std::string(k_functions_usage) + "here=$PWD\n" + head_.places() +
                             "[[ $OUT == /* ]] || OUT=$here/$OUT\n" + functions() +
                             head_.checks()}};
    for (const SlurmJob& job : jobs) {
      if (!job.has_process) continue;
      files.push_back({job.name + ".sub", job_file(job)});
      if (!job.command.empty())
        files.push_back({job.name + ".sh", "#!/bin/bash\n# The command that " + job.name +
                                               ".sub starts, with the variables of the job\n" +
                                               "# shellcheck disable=SC2154\n" + job.command});
    }
    return files;
  }

 private:
  // The options of scripts for jobs: Slurm chooses the GPUs.
  static ScriptOptions of_jobs(ScriptOptions options) {
    options.gpus.clear();
    options.jobs_have_gpus = options.hides_gpus = true;
    return options;
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
    for (const std::string& line : split(ScriptHead::own_variables(), '\n'))
      if (!line.empty()) own += "  " + line + "\n";
    return std::string(k_script_functions) + std::string(k_job_functions) +
           (jobs_.lines.empty() ? "" : "always+=' LD_LIBRARY_PATH'  # of modules\n") +
           "\nbegin_job() {\n  begin\n" + own + k_cpus_of_steps + k_ask_server + "}\n" +
           head_.sed_expressions();
  }

  // The lines before the first submission. VARIABLE, unless "", is an additional variable that jobs
  // must inherit.
  std::string begin_submissions(const std::string& variable) const {
    Words names = {"OUT", "RUNNER", "ORCHESTRATE"};
    for (const auto& [name, folder] : words_.other_runners()) names.push_back(name);
    if (!variable.empty()) names.push_back(variable);
    return "make_out\n[[ $OUT != *%* ]] || fail \"$OUT: Slurm reads % in paths: set OUT to another "
           "folder\"\nexport " +
           join(names, " ") + "\n" +
           (resolve_.empty() ? "" : "begin\n" + ScriptHead::own_variables() + resolve_) +
           export_revisions();
  }

  std::string export_revisions() const {
    Words names = {"export"};
    for (const auto& [variable, name] : words_.revisions()) names.push_back(variable);
    return names.size() > 1 ? join(names, " ") + "\n" : "";
  }

  // The lines that submit JOB, or the lines of the job itself if it needs no process.
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

  std::vector<SlurmJob> make_jobs(const Jobs::Call& call) {
    return Jobs(words_, stages_, jobs_, call).make();
  }

  const ScriptOptions options_;
  const JobOptions& jobs_;
  const WantedStages wanted_;
  StageWords words_;
  ScriptHead head_;
  StageText stages_;
  std::string resolve_;
};

// WORD for an #SBATCH line, whose quotes and backslashes work as in the shell.
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
