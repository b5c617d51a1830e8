#include "app/session/experiment.hpp"

#include "app/session/stage_files.hpp"
#include "bench/prompt/prompt_cache.hpp"
#include "bench/prompt/prompt_forms.hpp"
#include "core/base/text.hpp"
#include "core/base/yaml/yaml.hpp"
#include "spec/matrix/name_rules.hpp"

namespace orch::session {

namespace {

constexpr double k_most_seconds = 1e7;

class TimesReader {
 public:
  TimesReader(const Experiment& experiment, Errors& errors) : errors_(errors) {
    for (const UsedRunner& runner : experiment.runners) {
      for (const runner::StageKind& kind : runner.manifest.stages) stages_.push_back(kind.name);
      for (const matrix::Parameter& one : runner.manifest.parameters)
        parameters_.push_back(one.name);
    }
    for (const matrix::Expression& let : experiment.matrix.let) parameters_.push_back(let.name);
  }

  std::vector<plan::StageTime> read(const Yaml& root) {
    if (!root.is_map())
      fail(root.where, "the file of --times must be a map such as {{build: 600}}, not {}",
           root.describe());
    for (const auto& [key, value] : root.entries) {
      if (std::ranges::find(stages_, key.text) == stages_.end()) {
        fail(key.where, "no runner of the matrix has a stage {}{}", quoted(key.text),
             did_you_mean(key.text, stages_));
        continue;
      }
      if (!value.is_list()) add({.stage = key.text, .parameters = {}}, value);
      for (const Yaml& item : value.items) read_entry(key.text, item);
    }
    return std::move(times_);
  }

 private:
  template <class... Args>
  void fail(const Location& where, fmt::format_string<Args...> format, Args&&... args) {
    errors_.push_back(invalid(fmt::format(format, std::forward<Args>(args)...), where));
  }

  void add(plan::StageTime time, const Yaml& node) {
    const auto seconds = node.is_scalar() ? to_real(node.text) : std::nullopt;
    if (!seconds || *seconds < 0 || *seconds > k_most_seconds)
      return fail(node.where, "the time of '{}' must be seconds from 0 to {:.0f}, not {}",
                  time.stage, k_most_seconds, node.describe());
    time.seconds = *seconds;
    times_.push_back(std::move(time));
  }

  void read_entry(const std::string& stage, const Yaml& node) {
    const Yaml* seconds = node.is_map() ? node.find("seconds") : nullptr;
    if (!seconds)
      return fail(node.where,
                  "an entry of '{}' must be a map such as {{tp: 2, seconds: 600}}, not {}", stage,
                  node.is_map() ? "one without seconds" : node.describe());
    plan::StageTime time{.stage = stage, .parameters = {}};
    for (const auto& [key, value] : node.entries) {
      if (key.text == "seconds") continue;
      time.parameters[key.text] = value.text;
      if (std::ranges::find(parameters_, key.text) == parameters_.end())
        fail(key.where, "no runner of the matrix has a parameter {}{}", quoted(key.text),
             did_you_mean(key.text, parameters_));
    }
    add(std::move(time), *seconds);
  }

  Errors& errors_;
  std::vector<std::string> stages_, parameters_;
  std::vector<plan::StageTime> times_;
};

// The stage that needs the most rows of a dataset.
struct Largest {
  prompt::RowsNeeded need;
  std::size_t point = 0;
  std::size_t too_many = 0;  // the number of stages that need more rows than exist
};

std::string text_of(const std::map<std::string, std::string>& job, const char* name) {
  const auto found = job.find(name);
  return found == job.end() ? "" : found->second;
}

bool samples(const plan::Stage& stage, const std::string& source) {
  return text_of(stage.spec.job, "dataset") == source && stage.spec.job.contains("requests") &&
         stage.status != plan::Status::reject && !stage.points.empty();
}

Largest largest_need(const plan::Plan& plan, const std::string& source, std::int64_t rows) {
  Largest largest;
  for (const plan::Stage& stage : plan.stages) {
    if (!samples(stage, source)) continue;
    const prompt::RowsNeeded need = prompt::rows_needed(stage.spec.job, rows);
    largest.too_many += need.all() > rows;
    if (need.all() <= largest.need.all()) continue;
    largest.need = need;
    largest.point = stage.points.front();
  }
  return largest;
}

std::string remedy(const prompt::RowsNeeded& need, std::int64_t rows) {
  const std::int64_t fits = rows / need.blocks - need.warmup;
  const std::string fewer =
      fits > 0 ? fmt::format("set num_prompts to {} at most, ", fits) : "lower num_prompts, ";
  return fewer +
         "add rows, or send the same prompts in every measurement: measure: "
         "{reuse_prompts: true}";
}

}  // namespace

namespace fs = std::filesystem;

namespace {

// The absolute form of PATH, which is relative to the folder of FILE.
std::string absolute_beside(const std::string& file, const std::string& path) {
  std::error_code code;
  const fs::path absolute = fs::absolute(file, code).parent_path() / path;
  const fs::path canonical = fs::weakly_canonical(absolute, code);
  return (code ? absolute : canonical).string();
}

void make_local_absolute(std::string& source, const Location& where) {
  if (const auto path = matrix::local_source_path(source))
    source = std::string(matrix::k_local_scheme) + absolute_beside(where.file, *path);
}

std::vector<RunnerFile> runners_near_matrix(system::Files& files, const Experiment& experiment) {
  const ExperimentOptions& options = experiment.options;
  return runners_near(files, {.chosen = options.runners,
                              .near = options.near.empty() ? options.matrix_file : options.near,
                              .site = experiment.site.runners});
}

void read_matrix(system::Files& files, Experiment& experiment, Errors& errors) {
  const std::string& file = experiment.options.matrix_file;
  auto text = files.read_text(file, YamlLimits{}.bytes);
  if (!text) return errors.push_back(text.error());
  experiment.matrix_text = *text;
  experiment.matrix = matrix::parse_matrix(
      *text, file, errors,
      [&](const std::string& path) -> Result<std::string> {
        ORCH_ASSIGN(std::string base, files.read_text(path, YamlLimits{}.bytes));
        experiment.matrix_text += fmt::format("\n# --- base: {}\n{}", path, base);
        return base;
      },
      [&](const std::string& preset) {
        return find_preset(files, runners_near_matrix(files, experiment), preset);
      });
  make_paths_absolute(experiment.matrix);
}

Error unknown_runner(const matrix::NamedRunner& named, const std::vector<RunnerFile>& runners) {
  std::vector<std::string> names;
  for (const RunnerFile& one : runners) names.push_back(one.name);
  const std::string help =
      names.empty() ? std::string("; run from the project's folder, or give --runners DIR")
                    : did_you_mean(named.name, names);
  return invalid(
      fmt::format("no runner '{0}' (runners/{0}/runner.yaml){1}", named.name,
                  help.empty() ? fmt::format("; the runners are: {}", join(names, ", ")) : help),
      named.where);
}

// Removes the rules that read facts of the host, for runners whose server is already running: that
// server is not a process of this host.
void leave_out_host_rules(matrix::Vocabulary& vocabulary) {
  const auto reads_host = [](const matrix::Rule& rule) {
    return rule.require.find("host_") != std::string::npos ||
           rule.when.find("host_") != std::string::npos;
  };
  std::erase_if(vocabulary.rules, reads_host);
}

void read_runners(system::Files& files, Experiment& experiment, Errors& errors) {
  const matrix::Matrix& matrix = experiment.matrix;
  if (matrix.runner.empty() || matrix.broken.contains(std::string(matrix::k_runner_key))) return;
  const auto found = runners_near_matrix(files, experiment);
  const auto named = matrix::runners_of(matrix);
  std::vector<matrix::Vocabulary> vocabularies;
  for (const matrix::NamedRunner& one : named) {
    const auto file = std::ranges::find(found, one.name, &RunnerFile::name);
    if (file == found.end()) {
      errors.push_back(unknown_runner(one, found));
      continue;
    }
    auto manifest = read_manifest(files, *file, errors);
    if (!manifest) continue;
    check_stage_files(files, *file, *manifest, errors);
    vocabularies.push_back(manifest->vocabulary());
    experiment.runners.push_back({.file = *file, .manifest = std::move(*manifest)});
  }
  if (experiment.runners.size() < named.size()) return experiment.runners.clear();
  experiment.shares = matrix::share_out(matrix, vocabularies, errors);
  for (matrix::Share& share : experiment.shares)
    if (matrix.services.contains(experiment.runners[share.runner].manifest.name))
      leave_out_host_rules(share.vocabulary);
}

// The machine as stated by the command line, else the matrix, else the site.
matrix::StatedMachine stated_machine(system::Files& files, const Experiment& experiment,
                                     Errors& errors) {
  if (!experiment.options.machine_file.empty())
    return read_machine_file(files, experiment.options.machine_file, errors);
  return experiment.matrix.machine.empty() ? experiment.site.machine : experiment.matrix.machine;
}

}  // namespace

void make_paths_absolute(matrix::Matrix& matrix) {
  for (auto& [name, model] : matrix.models) make_local_absolute(model.source, model.where);
  for (auto& [name, dataset] : matrix.datasets) make_local_absolute(dataset.source, dataset.where);
  for (matrix::Provision& provision : matrix.provide)
    provision.path = absolute_beside(provision.where.file, provision.path);
  if (matrix.score && !matrix.score->program.empty())
    matrix.score->program = absolute_beside(matrix.score->where.file, matrix.score->program);
}

namespace {

// On this host, a server cannot have more than one node.
void use_one_node(Experiment& experiment) {
  matrix::Value& nodes = experiment.host.facts["host_nodes"];
  if (nodes.text != "1")
    experiment.warnings.push_back(
        fmt::format("`nodes: {}` of the machine applies only with --executor slurm; here, servers "
                    "have the GPUs of one node",
                    nodes.text));
  nodes.text = "1";
}

// Rejects settings that only a run on this host can follow.
void refuse_off_host(const GpuIds& wanted, const matrix::Measure& measure, Errors& errors) {
  if (!wanted.ids.empty())
    errors.push_back(
        invalid(fmt::format("GPUs {} are chosen by --gpus or gpu_ids of the site file, but with "
                            "--executor slurm Slurm chooses; leave them out, or keep a site file "
                            "for the cluster (--site FILE) without gpu_ids",
                            quoted(join(wanted.ids, ", "))),
                wanted.where));
  if (measure.check_isolation > 0)
    errors.push_back(invalid(
        fmt::format("'measure.check_isolation' is {}, but with --executor slurm no server is "
                    "started a second time to be measured alone; leave it out, and compare with a "
                    "run under `isolation: strict`, where each server has a node to itself",
                    measure.check_isolation),
        measure.check_where));
}

}  // namespace

Experiment load_experiment(World& world, const ExperimentOptions& options, Errors& errors) {
  Experiment experiment;
  experiment.options = options;
  if (const auto path = world.environment.find("PATH"); path != world.environment.end())
    experiment.search_path = path->second;
  experiment.site = read_site(world.files, options.site_file, errors);
  read_matrix(world.files, experiment, errors);
  if (options.repeats) experiment.matrix.measure.repeats = options.repeats;
  if (!system::is_loopback(experiment.site.bind))
    experiment.warnings.push_back(fmt::format(
        "servers will listen on {} (`bind` in {}), where every machine that reaches this "
        "address can use them; Triton asks for no password",
        experiment.site.bind, printable(experiment.site.bind_where.file)));
  read_runners(world.files, experiment, errors);
  experiment.machine = world.detect_machine();
  experiment.stated = stated_machine(world.files, experiment, errors);
  GpuIds wanted = options.gpus.empty() ? experiment.site.gpu_ids : GpuIds{.ids = options.gpus};
  const bool shares_host = options.placement.shares_host;
  if (shares_host && experiment.machine.gpus && !experiment.is_of_other_machine())
    wanted = within_visible(wanted, {world.environment, *experiment.machine.gpus}, errors,
                            experiment.warnings);
  if (!shares_host) refuse_off_host(wanted, experiment.matrix.measure, errors);
  UsedMachine used =
      choose_gpus(shares_host ? wanted : GpuIds(), experiment.stated, experiment.machine, errors);
  experiment.gpus = std::move(used.choice);
  experiment.host = host_facts_of(used.stated, used.machine);
  if (shares_host) use_one_node(experiment);
  return experiment;
}

std::vector<std::string> secret_names(const Experiment& experiment) {
  std::vector<std::string> names;
  for (const UsedRunner& runner : experiment.runners)
    for (const runner::StageKind& stage : runner.manifest.stages)
      names.insert(names.end(), stage.secrets.begin(), stage.secrets.end());
  for (const auto& [runner, server] : experiment.matrix.services) {
    const auto own = matrix::secret_variables(server);
    names.insert(names.end(), own.begin(), own.end());
  }
  return names;
}

RunnerResolver resolver_of(const Experiment& experiment, const std::string& source) {
  for (const UsedRunner& runner : experiment.runners)
    if (const auto* resolver = runner.manifest.resolver_of(source))
      return {.resolver = resolver, .runner = runner.manifest.name};
  return {};
}

attempt::Layout layout_of(const Experiment& experiment, const std::string& store_folder) {
  std::error_code code;
  const fs::path store = fs::weakly_canonical(store_folder, code);
  attempt::Layout layout{.store = (code ? fs::path(store_folder) : store).string(),
                         .project = {},
                         .runner = {},
                         .common = {},
                         .orchestrate = own_binary(),
                         .bind = experiment.site.bind};
  for (const UsedRunner& one : experiment.runners) {
    const RunnerFile& file = one.file;
    if (&one == &experiment.runners.front()) {
      layout.project = file.project;
      layout.runner = file.folder;
      layout.common = file.common;
    } else {
      layout.other_runners[one.manifest.name] = {
          .runner = file.folder, .common = file.common, .project = file.project};
    }
  }
  return layout;
}

std::vector<plan::StageTime> read_stage_times(system::Files& files, const std::string& file,
                                              const Experiment& experiment, Errors& errors) {
  auto text = files.read_text(file, YamlLimits{}.bytes);
  if (!text) {
    errors.push_back(text.error());
    return std::vector<plan::StageTime>();
  }
  const auto root = parse_yaml(*text, file);
  if (!root) {
    errors.push_back(root.error());
    return std::vector<plan::StageTime>();
  }
  return TimesReader(experiment, errors).read(*root);
}

void refuse_small_datasets(system::Files& files, const matrix::Matrix& matrix,
                           const plan::Plan& plan, Errors& errors) {
  for (const auto& [name, dataset] : matrix.datasets) {
    const auto path = matrix::local_source_path(dataset.source);
    if (!path || std::ranges::none_of(plan.stages, [&](const auto& stage) {
          return samples(stage, dataset.source);
        }))
      continue;
    const auto text = files.read_text(*path, prompt::k_largest_prompt_file);
    const auto plain = text ? prompt::plain_rows(*text, *path) : Result<std::string>(text.error());
    if (!plain) {
      errors.push_back(plain.error());
      continue;
    }
    const std::int64_t rows = std::ranges::count(*plain, '\n');
    const Largest largest = largest_need(plan, dataset.source, rows);
    const prompt::RowsNeeded& need = largest.need;
    if (need.all() <= rows) continue;
    errors.push_back(invalid(
        fmt::format("dataset {} has {} prompts, and {} of prompts need{} more; the largest, "
                    "of point {}, needs {}: {} blocks of {} measured and {} warm-up prompts, none "
                    "of which is sent twice; {}",
                    quoted(name), rows, plural(largest.too_many, "set"),
                    largest.too_many == 1 ? "s" : "", plan.points[largest.point].point.name,
                    need.all(), need.blocks, need.measured, need.warmup, remedy(need, rows)),
        dataset.where));
  }
}

}  // namespace orch::session
