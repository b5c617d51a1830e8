#include "app/doctor/doctor.hpp"

#include "core/base/text.hpp"
#include "core/base/version.hpp"
#include "app/cli/build_info.hpp"
#include "app/cli/commands.hpp"
#include "app/cli/experiment_options.hpp"
#include "app/cli/progress/look_before.hpp"
#include "app/cli/reading.hpp"
#include "app/cli/real_world.hpp"
#include "app/cli/say.hpp"

#include <CLI/CLI.hpp>

#include <memory>

namespace orch::cli {

namespace {

struct DoctorOptions {
  doctor::Asked asked;
  session::RunOptions matrix;  // without a matrix_file, the machine itself is looked at
  bool json = false;
};

int examine_machine(const DoctorOptions& options) {
  static RealWorld world;  // a thread that a driver or file server holds up may still use it
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
  if (!errors.empty()) return 2;
  if (!print_out(options.json ? doctor::json_of(sections) : doctor::text_of(sections))) return 1;
  return doctor::lacks_what_was_asked_for(sections) ? 1 : 0;
}

// Those of `run` that choose points and a place.
void add_matrix_options(CLI::App& command, DoctorOptions& options) {
  add_experiment_options(command, options.matrix.experiment);
  CLI::Option* matrix = command.get_option("MATRIX")->required(false);
  matrix->description(
      "A matrix file: whether each of its points can run here, in place of the machine itself; "
      "only resolutions are written into the results folder");
  matrix->excludes(command.get_option("--runner"));
  options.matrix.pull = false;
  command.add_flag("--pull", options.matrix.pull,
                   "Pull images of MATRIX that are not here, so that they can be looked into");
  for (const char* name : {"--where", "--machine", "--gpus", "--repeats", "--pull"})
    command.get_option(name)->needs(matrix);
}

}  // namespace

void add_doctor(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand(
      "doctor",
      "Say what this machine or cluster has, and what each runner or the points of a matrix lack, "
      "with what fixes it");
  command->footer(
      "The exit status is 1 if something is missing in what --runner, --executor slurm or --store "
      "asks for, or if a point of MATRIX cannot run, and else 0.");
  auto options = std::make_shared<DoctorOptions>();
  command->add_option("--runner", options->asked.runner, "Only this runner")->type_name("NAME");
  command
      ->add_option("--executor", options->matrix.executor,
                   "slurm: also whether the nodes of the cluster see the program, the project, the "
                   "results folder and the folder of environments, by a short job on each; with "
                   "MATRIX: whether Slurm takes its jobs")
      ->check(CLI::IsMember({"local", "slurm"}).description(""))
      ->capture_default_str();
  add_store_option(*command, options->asked.store);
  add_matrix_options(*command, *options);
  command->add_flag("--json", options->json, "JSON for programs");
  command->callback([options, command, &exit_code] {
    doctor::Asked& asked = options->asked;
    session::RunOptions& matrix = options->matrix;
    asked.names_store = command->count("--store") > 0;
    asked.slurm = matrix.experiment.on_cluster = matrix.executor == "slurm";
    asked.runners = matrix.experiment.runners;
    asked.site_file = matrix.experiment.site_file;
    matrix.store = asked.store;
    exit_code = matrix.experiment.matrix_file.empty() ? examine_machine(*options)
                                                      : examine_matrix(matrix, options->json);
  });
}

}  // namespace orch::cli
