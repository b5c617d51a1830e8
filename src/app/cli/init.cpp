#include "app/cli/commands.hpp"
#include "app/cli/reading.hpp"
#include "app/cli/real_world.hpp"
#include "app/cli/say.hpp"
#include "app/init/new_runner.hpp"
#include "app/init/starting_matrix.hpp"
#include "app/session/project.hpp"
#include "core/base/text.hpp"
#include "results/store/layout.hpp"
#include "spec/matrix/name_rules.hpp"

#include <CLI/CLI.hpp>

namespace orch::cli {

namespace {

namespace fs = std::filesystem;

std::string name_of_folder(const std::string& folder) {
  std::error_code code;
  const std::string name =
      fs::weakly_canonical(fs::absolute(folder, code), code).filename().string();
  return name.empty() || matrix::refuse_free_name(name) ? "first" : name;
}

struct InitOptions {
  std::string folder = ".";
  std::string runner;
  std::string new_runner;
  RunnerPlaces places;
  bool force = false;
};

// The file into which the help of `orchestrate schema` tells users to write its output.
constexpr const char* k_schema = "matrix.schema.json";

// The line at the beginning of a matrix in FOLDER that names its schema for editors; "" if FOLDER
// has no schema.
std::string schema_line(system::Files& files, const std::string& folder) {
  if (!files.exists((fs::path(folder) / k_schema).string())) return "";
  return fmt::format("# yaml-language-server: $schema={}\n", k_schema);
}

// The manifest of the runner that the user names, or of the one that fits the machine. Sets NAMES
// to the names of all runners.
Result<runner::Manifest> find_runner(system::Files& files, const InitOptions& options,
                                     const system::Machine& machine,
                                     std::vector<std::string>& names) {
  Errors site_errors;
  const auto runners = find_runners(files, options.places, options.folder, site_errors);
  if (!site_errors.empty()) return site_errors.front();
  std::vector<runner::Manifest> manifests;
  for (const session::RunnerFile& found : runners) {
    names.push_back(found.name);
    if (!options.runner.empty() && options.runner != found.name) continue;
    Errors errors;
    auto manifest = session::read_manifest(files, found, errors);
    if (!manifest) return errors.front();
    manifests.push_back(std::move(*manifest));
  }
  if (const runner::Manifest* chosen = session::choose_runner(manifests, machine)) return *chosen;
  if (names.empty())
    return not_found(
        "no runner was found (runners/NAME/runner.yaml); run from the project's folder, "
        "or give --runners DIR");
  const std::string help = did_you_mean(options.runner, names);
  return invalid(fmt::format("no runner '{}'{}", options.runner,
                             help.empty() ? "; the runners are: " + join(names, ", ") : help));
}

Status init(const InitOptions& options) {
  ORCH_TRY(store::check_output(options.folder));
  RealWorld world;
  system::Files& files = world->files;
  const std::string path = (fs::path(options.folder) / "matrix.yaml").lexically_normal().string();
  if (files.exists(path) && !options.force)
    return invalid(fmt::format("{} exists; --force overwrites it", path));
  const system::Machine machine = world->detect_machine();
  std::vector<std::string> names;
  ORCH_ASSIGN(const runner::Manifest runner, find_runner(files, options, machine, names));
  ORCH_TRY(files.make_folder(options.folder));
  ORCH_TRY(files.write(
      path, schema_line(files, options.folder) +
                session::starting_matrix(runner, machine, name_of_folder(options.folder))));
  const std::string shown = shell_quote(path);
  say(stderr,
      "Wrote {} for the runner {}: {}\n\nNext:\n  orchestrate check {}\n  orchestrate plan {}\n  "
      "orchestrate run {}\n",
      printable(path), runner.name, session::one_line(runner.description), shown, shown, shown);
  std::erase(names, runner.name);
  if (!names.empty() && options.runner.empty())
    say(stderr, "\nOther runners, with --runner NAME: {}\n", join(names, ", "));
  return {};
}

Status init_runner(const InitOptions& options) {
  ORCH_TRY(store::check_output(options.folder));
  RealWorld world;
  Errors errors;
  const auto known = find_runners(world->files, options.places, options.folder, errors);
  if (!errors.empty()) return errors.front();
  ORCH_ASSIGN(const session::NewRunnerPaths paths,
              session::write_new_runner(
                  world->files, {.name = options.new_runner, .folder = options.folder}, known));
  // Adds --runners for a different folder, whose runners are not found from here.
  const std::string place =
      fs::path(options.folder).lexically_normal() == "."
          ? ""
          : " --runners " + shell_quote((fs::path(paths.runner).parent_path()).string());
  const std::string matrix = shell_quote(paths.matrix);
  say(stderr,
      "Wrote the runner {} to {}, with a toy server to replace, and {}\n\nNext:\n  orchestrate "
      "check --runner {}{}\n  orchestrate plan {}\n  orchestrate run {}\n",
      options.new_runner, printable(paths.runner), printable(paths.matrix), options.new_runner,
      place, matrix, matrix);
  return {};
}

}  // namespace

void add_init(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand(
      "init", "Write a commented matrix for this machine, or a new runner to begin with");
  auto options = std::make_shared<InitOptions>();
  command
      ->add_option("DIR", options->folder,
                   "The folder that gets matrix.yaml, or runners/NAME/ and NAME.yaml")
      ->capture_default_str();
  CLI::Option* runner = command->add_option(
      "--runner", options->runner, "A folder under runners/ (default: one that fits the machine)");
  CLI::Option* fresh =
      command
          ->add_option("--new-runner", options->new_runner,
                       "Write a commented runner of this name, with a toy server in it, and a "
                       "matrix that uses it; nothing is overwritten")
          ->type_name("NAME")
          ->excludes(runner);
  add_runner_places(*command, options->places);
  command->footer(
      "Editors complete and check matrix.yaml if its schema is written first:\n"
      "  orchestrate schema matrix --runner NAME > DIR/matrix.schema.json");
  command->add_flag("--force", options->force, "Overwrite an existing matrix.yaml")
      ->excludes(fresh);
  command->callback([options, fresh, &exit_code] {
    if (const Status done = fresh->count() ? init_runner(*options) : init(*options); !done) {
      print_errors({done.error()});
      const ErrorKind kind = done.error().kind;
      exit_code =
          status_of(kind == ErrorKind::invalid || kind == ErrorKind::not_found ? Exit::refused
                                                                               : Exit::failed);
    }
  });
}

}  // namespace orch::cli
