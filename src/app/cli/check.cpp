#include "core/base/text.hpp"
#include "app/cli/commands.hpp"
#include "app/cli/experiment_options.hpp"
#include "app/cli/planning/plan_text.hpp"
#include "app/cli/progress/console.hpp"
#include "app/cli/real_world.hpp"
#include "app/cli/reading.hpp"
#include "app/cli/runner_check/check_runner.hpp"
#include "app/cli/say.hpp"
#include "app/session/dataset_sizes.hpp"
#include "app/session/planning.hpp"
#include "bench/measure/percentile_interval.hpp"

#include <CLI/CLI.hpp>

namespace orch::cli {

namespace {

constexpr std::size_t k_reasons_shown = 20;
constexpr std::size_t k_most_planned = 10'000;  // points; a plan of more takes long

void print_rejected(const matrix::Expansion& expansion) {
  std::map<std::string, std::size_t> reasons;
  for (const matrix::Point& point : expansion.points)
    for (const matrix::Point::Broken& broken : point.rejections)
      ++reasons[broken.rule + ": " + broken.why];
  std::size_t shown = 0;
  for (const auto& [reason, count] : reasons) {
    if (++shown > k_reasons_shown)
      return say(stderr, "rejected: ... by {} more reasons\n", reasons.size() - k_reasons_shown);
    say(stderr, "rejected: {} point{} by {}\n", count, count == 1 ? "" : "s", reason);
  }
}

// Which percentiles the fewest requests of a measurement bound, and what the others need; "" if all
// are bounded, or no point says how many there are.
std::string percentiles_of(const matrix::Expansion& expansion) {
  std::optional<std::int64_t> fewest;
  for (const matrix::Point& point : expansion.points) {
    const matrix::Value* requests = point.parameters.find("num_prompts");
    const auto count = requests && !point.is_rejected() ? to_integer(requests->text) : std::nullopt;
    if (count) fewest = std::min(fewest.value_or(*count), *count);
  }
  if (!fewest) return "";
  std::vector<std::string> missing;
  for (const int per_mille : measure::k_percentiles_per_mille)
    if (const std::int64_t needed = measure::values_for_upper_limit(per_mille); needed > *fewest)
      missing.push_back(fmt::format("p{:g} (needs {})", per_mille / 10.0, needed));
  if (missing.empty()) return "";
  return fmt::format("{} requests a measurement (num_prompts) give no upper limit of {}", *fewest,
                     join(missing, ", "));
}

// What undecided points wait for, each fact once; "" without such points.
std::string awaited_facts(const matrix::Expansion& expansion) {
  std::set<std::string> facts;
  for (const matrix::Point& point : expansion.points)
    if (!point.is_rejected())
      for (const auto& waiting : point.waiting) facts.insert(waiting.fact);
  return some_names(facts);
}

int check(const session::ExperimentOptions& options) {
  RealWorld world;
  Errors errors;
  const session::Experiment loaded = session::load_experiment(*world, options, errors);
  session::Planning planning(world->files, loaded, "results", {});
  HashingLine line("hashing inputs", screen_of(stderr));
  planning.hash_by(line.shown(world->workers));
  const matrix::Expansion& expansion = planning.expand(errors);
  // A plan reads scripts, templates and folders of models, and reports missing ones.
  if (errors.empty() && expansion.points.size() <= k_most_planned) planning.plan(errors);
  if (errors.empty())
    session::refuse_small_datasets(world->files, loaded.matrix, planning.current(), errors);
  sort_by_place(errors);
  print_warnings(planning.new_warnings());
  print_errors(errors);
  if (!errors.empty()) return 2;
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
  auto count = [&](auto is) { return std::ranges::count_if(expansion.points, is); };
  const auto rejected = count([](const matrix::Point& point) { return point.is_rejected(); });
  const auto undecided = count(
      [](const matrix::Point& point) { return !point.is_rejected() && !point.waiting.empty(); });
  print_out(
      fmt::format("{}: {} points ({} excluded, {} rejected by the runner's rules{})\n",
                  options.matrix_file, expansion.points.size(), expansion.excluded, rejected,
                  undecided ? fmt::format(", {} undecided until facts arrive", undecided) : ""));
  return 0;
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
    if (named->empty()) return void(exit_code = check(*options));
    runner->options = *options;
    exit_code = check_runner(*runner);
  });
}

}  // namespace orch::cli
