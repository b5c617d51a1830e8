#include "app/cli/commands.hpp"
#include "app/cli/help.hpp"
#include "app/cli/planning/plan_text.hpp"
#include "app/cli/progress/progress.hpp"
#include "app/cli/reading.hpp"
#include "app/cli/real_world.hpp"
#include "app/cli/runner_check/check_runner.hpp"
#include "app/cli/say.hpp"
#include "app/doctor/doctor.hpp"
#include "app/session/experiment.hpp"
#include "app/session/planning.hpp"
#include "bench/measure/interval.hpp"
#include "core/base/text.hpp"
#include "core/base/version.hpp"

#include <CLI/CLI.hpp>

namespace orch::cli {

namespace {

constexpr std::size_t k_reasons_shown = 20;
constexpr std::size_t k_most_planned = 10'000;  // points; larger plans take long

void print_rejected(const matrix::Expansion& expansion) {
  std::map<std::string, std::size_t> reasons;
  for (std::size_t point = 0; point < expansion.points.size(); ++point)
    for (const matrix::Point::Broken& broken : expansion.points.verdict(point).rejections)
      ++reasons[broken.rule + ": " + broken.why];
  std::size_t shown = 0;
  for (const auto& [reason, count] : reasons) {
    if (++shown > k_reasons_shown)
      return say(stderr, "rejected: ... by {}\n",
                 plural(reasons.size() - k_reasons_shown, "more reason"));
    say(stderr, "rejected: {} by {}\n", plural(count, "point"), reason);
  }
}

// A note about the percentiles that get no upper limit from the fewest requests of any measurement,
// with the requests that each needs; "" if there are none, or no point states the number of
// requests.
std::string percentiles_of(const matrix::Expansion& expansion) {
  std::optional<std::int64_t> fewest;
  for (std::size_t point = 0; point < expansion.points.size(); ++point) {
    if (expansion.points.is_rejected(point)) continue;
    const matrix::Value* requests = expansion.points.parameters(point).find("num_prompts");
    const auto count = requests ? to_integer(requests->text) : std::nullopt;
    if (count) fewest = std::min(fewest.value_or(*count), *count);
  }
  if (!fewest) return "";
  std::vector<std::string> missing;
  for (const Percentile& one : k_percentiles)
    if (const std::int64_t needed = measure::values_for_upper_limit(one.per_mille);
        needed > *fewest)
      missing.push_back(fmt::format("p{:g} (needs {})", one.per_mille / 10.0, needed));
  if (missing.empty()) return "";
  return fmt::format("{} requests per measurement (num_prompts) give no upper limit for {}",
                     *fewest, join(missing, ", "));
}

// The facts for which undecided points wait, each once; "" if no point waits.
std::string awaited_facts(const matrix::Expansion& expansion) {
  std::set<std::string> facts;
  for (std::size_t point = 0; point < expansion.points.size(); ++point)
    if (!expansion.points.is_rejected(point))
      for (const auto& waiting : expansion.points.waiting(point)) facts.insert(waiting.fact);
  return some_names(facts);
}

Exit check(const session::ExperimentOptions& options) {
  RealWorld world;
  Errors errors;
  const session::Experiment loaded = session::load_experiment(*world, options, errors);
  session::Planning planning(world->files, loaded, "results", {});
  HashingLine line("hashing inputs", screen_of(stderr));
  planning.facts().digests().hash_by(line.shown(world->workers));
  const matrix::Expansion& expansion = planning.expand(errors);
  // Planning also reports missing scripts, templates and folders of models.
  if (errors.empty() && expansion.points.size() <= k_most_planned) planning.plan(errors);
  if (errors.empty())
    session::refuse_small_datasets(world->files, loaded.matrix, planning.current(), errors);
  sort_by_place(errors);
  print_warnings(planning.new_warnings());
  print_errors(errors);
  if (!errors.empty()) return Exit::refused;
  print_rejected(expansion);
  for (std::size_t i = 0; i < std::min(expansion.notes.size(), k_reasons_shown); ++i)
    say(stderr, "note: {}\n", printable(expansion.notes[i]));
  for (const std::string& note : planning.assumed_facts())
    say(stderr, "note: {}\n", printable(note));
  if (const std::string note = percentiles_of(expansion); !note.empty())
    say(stderr, "note: {}\n", note);
  if (const std::string facts = awaited_facts(expansion); !facts.empty())
    say(stderr, "note: undecided points wait for {}; `orchestrate plan` says how to state them\n",
        facts);
  std::size_t rejected = 0, undecided = 0;
  for (std::size_t point = 0; point < expansion.points.size(); ++point) {
    const bool is_rejected = expansion.points.is_rejected(point);
    rejected += is_rejected;
    undecided += !is_rejected && !expansion.points.waiting(point).empty();
  }
  print_out(fmt::format(
      "{}: {} ({} excluded, {} rejected by the runner's rules{})\n", options.matrix_file,
      plural(expansion.points.size(), "point"), expansion.excluded, rejected,
      undecided ? fmt::format(", {} undecided until facts arrive", undecided) : ""));
  return Exit::done;
}

struct DoctorOptions {
  doctor::Asked asked;
  session::RunOptions matrix;  // if matrix_file is "", the machine itself is examined
  bool json = false;
};

Exit examine_machine(const DoctorOptions& options) {
  // Static, because a thread that is stuck in a driver or file server may still use it.
  static RealWorld world;
  std::vector<doctor::Version> versions = {
      {"orchestrate", fmt::format("{} ({})", k_version, built_commit())}};
  for (const Library& library : libraries())
    if (library.name == "SQLite")
      versions.push_back({std::string(library.name), library.version()});
  Errors errors;
  const auto sections = doctor::examine(
      {.world = *world,
       .is_shared = [files = &world->files](
                        const auto& folder) { return files->file_system(folder).is_shared; },
       .versions = std::move(versions)},
      options.asked, errors);
  print_errors(errors);
  if (!errors.empty()) return Exit::refused;
  if (!print_out(options.json ? doctor::json_of(sections) : doctor::text_of(sections)))
    return Exit::failed;
  return doctor::lacks_what_was_asked_for(sections) ? Exit::failed : Exit::done;
}

// Adds MATRIX, the options of `run` that select points, machine and GPUs, and --pull.
void add_matrix_options(CLI::App& command, DoctorOptions& options) {
  add_experiment_options(command, options.matrix.experiment);
  CLI::Option* matrix = command.get_option("MATRIX")->required(false);
  matrix->description(
      "A matrix file: instead of the machine, check whether each of its points can run here; "
      "only resolutions are written into the results folder");
  matrix->excludes(command.get_option("--runner"));
  options.matrix.pull = false;
  command.add_flag("--pull", options.matrix.pull,
                   "Pull images of MATRIX that are not here, so that they can be inspected");
  for (const char* name : {"--where", "--machine", "--gpus", "--repeats", "--pull"})
    command.get_option(name)->needs(matrix);
}

}  // namespace

void add_check(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand(
      "check", "Validate a matrix, or a runner by running it: every error at once, with the fix");
  auto options = std::make_shared<session::ExperimentOptions>();
  auto runner = std::make_shared<RunnerCheck>();
  add_experiment_options(*command, *options);
  CLI::Option* matrix = command->get_option("MATRIX")->required(false);
  CLI::Option* named =
      command
          ->add_option("--runner", runner->name,
                       "Instead of a matrix: check this runner's manifest, files, scripts, command "
                       "lines and presets, then run its smallest point in a temporary store, and "
                       "print a line per stage. Exit status 1: a stage failed")
          ->type_name("NAME")
          ->excludes(matrix)
          ->excludes("--where")
          ->excludes("--repeats");
  command->add_flag("--no-smoke", runner->no_smoke, "With --runner: run nothing")->needs(named);
  command->add_flag("--json", runner->json, "With --runner: JSON for programs")->needs(named);
  command->callback([options, runner, matrix, named, &exit_code] {
    if (matrix->empty() && named->empty()) throw CLI::RequiredError("MATRIX");
    if (named->empty()) return void(exit_code = status_of(check(*options)));
    runner->options = *options;
    exit_code = status_of(check_runner(*runner));
  });
}

void add_doctor(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand(
      "doctor",
      "Show what this machine or cluster has, what each runner or the points of a matrix lack, "
      "and how to fix it");
  command->footer(
      "The exit status is 1 if something that --runner, --executor slurm or --store asks for is "
      "missing, or if a point of MATRIX cannot run; otherwise 0.");
  auto options = std::make_shared<DoctorOptions>();
  command->add_option("--runner", options->asked.runner, "Only this runner")->type_name("NAME");
  add_executor_option(
      *command, options->matrix.experiment.placement,
      "slurm: also check, by a short job on each node, that it sees the program, the project, "
      "the results folder and the folder of environments; with MATRIX: check that Slurm "
      "accepts its jobs");
  add_store_option(*command, options->asked.store);
  add_matrix_options(*command, *options);
  command->add_flag("--json", options->json, "JSON for programs");
  command->callback([options, command, &exit_code] {
    doctor::Asked& asked = options->asked;
    session::RunOptions& matrix = options->matrix;
    asked.names_store = command->count("--store") > 0;
    asked.slurm = matrix.experiment.placement.has_queue;
    asked.runners = matrix.experiment.runners;
    asked.site_file = matrix.experiment.site_file;
    matrix.store = asked.store;
    exit_code =
        status_of(matrix.experiment.matrix_file.empty() ? examine_machine(*options)
                                                        : examine_matrix(matrix, options->json));
  });
}

}  // namespace orch::cli
