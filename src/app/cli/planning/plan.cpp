#include "app/cli/commands.hpp"
#include "app/cli/planning/plan_text.hpp"
#include "app/cli/progress/progress.hpp"
#include "app/cli/reading.hpp"
#include "app/cli/real_world.hpp"
#include "app/cli/say.hpp"
#include "app/session/experiment.hpp"
#include "app/session/host/host_inventory.hpp"
#include "app/session/planning.hpp"
#include "app/session/status.hpp"
#include "core/base/text.hpp"
#include "plan/forecast/cost.hpp"
#include "plan/graph/explanation/explain.hpp"
#include "run/simulate/simulate.hpp"

#include <CLI/CLI.hpp>

namespace orch::cli {

namespace {

struct PlanOptions {
  session::ExperimentOptions experiment;
  std::string store = "results";
  plan::Options plan;
  bool json = false, explain = false, script = false, schedule = false, points = false;
  std::string script_folder;  // "": standard output
  std::string times;          // file
};

// The assumed duration of stages without known times.
constexpr double k_unknown_s = 60;
// For plans with more stages, the sum of their times is reported.
constexpr std::size_t k_most_simulated = 20'000;

simulate::Conditions conditions_of(const session::Experiment& experiment, store::Store* store) {
  simulate::Conditions conditions{
      .inventory = session::host_inventory(experiment), .expected_s = {}, .unknown_s = k_unknown_s};
  conditions.jobs = session::usual_jobs(conditions.inventory);
  if (store) conditions.expected_s = report::mean_stage_seconds(store->database()).value_or({});
  return conditions;
}

std::optional<store::Store> open_store(system::Files& files, const std::string& folder,
                                       Errors& errors) {
  std::error_code code;
  const std::filesystem::path file = folder + "/results.db";
  if (std::filesystem::exists(folder, code) && !std::filesystem::is_directory(folder, code)) {
    errors.push_back(
        invalid(fmt::format("--store {} is not a folder; name another one", quoted(folder))));
    return std::nullopt;
  }
  // An empty file is not a database: a crash before the first commit leaves one.
  if (!files.exists(file.string()) ||
      (std::filesystem::is_regular_file(file, code) && std::filesystem::file_size(file, code) == 0))
    return std::nullopt;
  if (!std::filesystem::is_regular_file(file, code)) {
    errors.push_back(invalid(fmt::format("{} is not a regular file", quoted(file.string()))));
    return std::nullopt;
  }
  auto opened = store::Store::open(real_host(), folder, store::Mode::read);
  if (opened) return std::move(*opened);
  errors.push_back(opened.error());
  return std::nullopt;
}

// The free bytes of the file system that has or will have FOLDER; nullopt if unknown.
std::optional<std::uint64_t> free_bytes(const std::string& folder) {
  std::error_code code;
  std::filesystem::path path = std::filesystem::absolute(folder, code);
  while (!std::filesystem::exists(path, code) && path != path.root_path())
    path = path.parent_path();
  const auto space = std::filesystem::space(path, code);
  if (code) return std::nullopt;
  return space.available;
}

// The previously planned stages of all runners of EXPERIMENT.
Result<plan::Ancestors> ancestors_of(const session::Experiment& experiment, store::Store& store) {
  plan::Ancestors all;
  for (const session::UsedRunner& runner : experiment.runners) {
    ORCH_ASSIGN(plan::Ancestors own, store.ancestors(runner.manifest.name));
    for (auto& [stage, ancestors] : own) {
      auto& list = all[stage];
      list.insert(list.end(), std::make_move_iterator(ancestors.begin()),
                  std::make_move_iterator(ancestors.end()));
    }
  }
  for (auto& [stage, ancestors] : all)
    std::ranges::stable_sort(ancestors, [](const auto& a, const auto& b) { return a.run < b.run; });
  return all;
}

std::vector<const runner::Manifest*> manifests_of(const session::Experiment& experiment) {
  std::vector<const runner::Manifest*> manifests;
  for (const session::UsedRunner& runner : experiment.runners)
    manifests.push_back(&runner.manifest);
  return manifests;
}

Result<std::string> text_of(const PlanOptions& options, const session::Planning& planning,
                            store::Store* store) {
  const plan::Plan& plan = planning.current();
  const session::Experiment& experiment = planning.experiment();
  const bool has_queue = experiment.options.placement.has_queue;
  if (options.schedule) {
    const simulate::Conditions conditions = conditions_of(experiment, store);
    const simulate::Timeline timeline = simulate::simulate(plan, conditions);
    if (options.json) return schedule_json(plan, conditions, timeline);
    const bool needs_note = has_queue && !timeline.spans.empty();
    return schedule_text(plan, conditions, timeline) + (needs_note ? cluster_note(plan) : "");
  }
  if (options.json) return plan::to_json(plan, planning.comparison());
  if (options.script) return whole_script(planning);
  if (!options.explain) {
    std::vector<std::string> notes = planning.assumed_facts();
    notes.insert(notes.end(), planning.expansion().notes.begin(), planning.expansion().notes.end());
    if (std::string note = experiment.gpus.note(); !note.empty()) notes.push_back(std::move(note));
    std::optional<simulate::Timeline> timeline;
    if (plan.isolation != matrix::Isolation::strict && plan.stages.size() <= k_most_simulated &&
        forecast::cost_of_run(plan).without_seconds == 0)
      timeline = simulate::simulate(plan, conditions_of(experiment, store));
    return plan_text(
        plan,
        {.expansion = planning.expansion(),
         .prices = experiment.site.prices,
         .store = options.store,
         .free_bytes = experiment.is_of_other_machine() ? std::nullopt : free_bytes(options.store),
         .notes = std::move(notes),
         .comparison = planning.comparison(),
         .manifests = manifests_of(experiment),
         .in_full = options.points,
         .server_s = has_queue ? std::optional(server_seconds(experiment.site)) : std::nullopt,
         .timeline = timeline ? &*timeline : nullptr,
         .has_queue = has_queue,
         .jobs = has_queue ? jobs_text(plan, session::place_options(experiment.site)) : ""});
  }
  plan::Ancestors ancestors;
  if (store) {
    ORCH_ASSIGN(ancestors, ancestors_of(experiment, *store));
  }
  return plan::explain_text(plan, ancestors,
                            !options.points && plan.points.size() > k_points_listed);
}

Exit plan_matrix(const PlanOptions& options) {
  RealWorld world;
  Errors errors;
  const session::Experiment loaded = session::load_experiment(*world, options.experiment, errors);
  const std::size_t before = errors.size();
  std::optional<store::Store> store = open_store(world->files, options.store, errors);
  plan::Options wanted = options.plan;
  wanted.only_shown = true;
  session::Planning planning(world->files, loaded, options.store, wanted);
  if (store) planning.use(*store);
  if (!options.times.empty())
    planning.assume(session::read_stage_times(world->files, options.times, loaded, errors));
  HashingLine line("hashing inputs", screen_of(stderr));
  planning.facts().digests().hash_by(line.shown(world->workers));
  if (errors.size() == before) planning.plan(errors);
  sort_by_place(errors);
  print_warnings(planning.new_warnings());
  print_errors(errors);
  if (!errors.empty()) return Exit::refused;
  if (!options.script_folder.empty()) {
    const Status written = write_slurm_files(world->files, planning, options.script_folder);
    if (!written) return fail_command(written.error());
    return print_out(fmt::format("{0}: bash {0}/submit.sh submits the jobs\n",
                                 shell_quote(options.script_folder)))
               ? Exit::done
               : Exit::failed;
  }
  const auto text = text_of(options, planning, store ? &*store : nullptr);
  if (!text) return fail_command(text.error());
  return print_out(*text) ? Exit::done : Exit::failed;
}

// The reason why the value FOLDER of --script is not accepted: it is a file, such as a matrix that
// follows the option. "" if it can be a folder.
std::string why_no_folder(const std::string& folder) {
  std::error_code code;
  if (!std::filesystem::exists(folder, code) || std::filesystem::is_directory(folder, code))
    return "";
  return fmt::format("{} is a file, but --script takes a folder: write the matrix before --script",
                     quoted(folder));
}

CLI::Option* add_script_options(CLI::App& command, PlanOptions& options) {
  auto* script =
      command
          .add_option_function<std::string>(
              "--script",
              [&options](const std::string& folder) {
                options.script = true;
                options.script_folder = folder;
              },
              "The whole plan as a bash script; with --executor slurm and DIR, as the files of a "
              "folder: submit.sh, and NAME.sub and NAME.sh of each job")
          ->expected(0, 1)
          ->type_name("[DIR]")
          ->take_last()
          ->check(why_no_folder);
  add_executor_option(
      command, options.experiment.placement,
      "Where stages are to run, in a script too: local, on one machine; slurm, as jobs of a "
      "cluster, where ranks of a server may have the GPUs of several nodes");
  return script;
}

}  // namespace

void add_plan(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand("plan",
                                         "Show the status of every point (run, reuse, reject, "
                                         "undecided or failed), the stages and their cost");
  auto options = std::make_shared<PlanOptions>();
  add_experiment_options(*command, options->experiment);
  command->add_option("--store", options->store, "The results folder")->capture_default_str();
  add_plan_options(*command, options->plan);
  add_again_options(*command, options->experiment, options->plan);
  auto* json = command->add_flag("--json", options->json, "One JSON object");
  auto* explain = command->add_flag("--explain", options->explain,
                                    "For every stage to run: what changed, old -> new");
  command->add_flag("--points", options->points,
                    fmt::format("Every point on a line of its own, however many there are (a plan "
                                "of more than {} shows them by status and reason), every stage of "
                                "--explain, and every parameter that differs between runners",
                                k_points_listed));
  auto* script = add_script_options(*command, *options);
  auto* schedule = command->add_flag(
      "--schedule", options->schedule,
      "What would run when and on which GPUs, by the times of earlier attempts or, where "
      "there are none, by the plan's estimates");
  command->add_option("--times", options->times,
                      "A YAML file of times for stages that never ran: {build: 600}");
  json->excludes(explain, script);
  explain->excludes(script, schedule);
  script->excludes(schedule);
  command->callback([options, &exit_code] {
    if (!options->script_folder.empty() && !options->experiment.placement.has_queue)
      throw CLI::ValidationError(
          "--script", fmt::format("{} is for the jobs of a cluster; add --executor slurm, or write "
                                  "`--script > FILE`",
                                  quoted(options->script_folder)));
    exit_code = status_of(plan_matrix(*options));
  });
}

}  // namespace orch::cli
