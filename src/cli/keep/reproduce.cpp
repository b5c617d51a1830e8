// `orchestrate reproduce`: a matrix of one point with everything pinned, and its plan as a script.
#include "keep/reproduce.hpp"

#include "base/text.hpp"
#include "cli/commands.hpp"
#include "cli/experiment_options.hpp"
#include "cli/planning/plan_text.hpp"
#include "cli/progress/console.hpp"
#include "cli/reading.hpp"
#include "cli/real_world.hpp"
#include "cli/say.hpp"
#include "experiment/planning.hpp"
#include "experiment/presets.hpp"
#include "report/names.hpp"
#include "store/own_places.hpp"
#include "store/store.hpp"

#include <CLI/CLI.hpp>

#include <filesystem>
#include <memory>

namespace orch::cli {

namespace {

namespace fs = std::filesystem;

constexpr int k_other_digests = 1;
constexpr int k_not_possible = 2;

struct ReproduceOptions {
  std::string name;
  std::string store = "results";
  std::string out;
  RunnerPlaces places;
};

// The matrix of the experiment as the record has it, without a look at today's files.
matrix::Matrix parse_recorded(const keep::RecordedPoint& recorded,
                              const std::vector<experiment::RunnerFile>& runners, Errors& errors) {
  const keep::MatrixTexts texts = keep::matrix_texts(recorded.matrix_text);
  const fs::path folder = recorded.folder;
  matrix::Matrix matrix = matrix::parse_matrix(
      texts.matrix, (folder / recorded.matrix_file).lexically_normal().string(), errors,
      [&](const std::string& path) -> Result<std::string> {
        const fs::path wanted = fs::path(path).lexically_normal();
        for (const bool by_name : {false, true})  // an installation may have moved
          for (const auto& [name, text] : texts.bases)
            if (by_name ? fs::path(name).filename() == wanted.filename()
                        : (folder / name).lexically_normal() == wanted)
              return text;
        return Error{
            ErrorKind::not_found,
            fmt::format("run {} does not have the text of the base {}", recorded.run, path),
            {}};
      },
      [&](const std::string& preset) {
        return experiment::find_preset(real_host().files, runners, preset);
      });
  experiment::make_paths_absolute(matrix);
  return matrix;
}

Result<std::string> matrix_text(const keep::RecordedPoint& recorded,
                                const ReproduceOptions& options, const std::string& near) {
  system::Files& files = real_host().files;
  Errors errors;
  const auto runners = find_runners(files, options.places, near, errors);
  const matrix::Matrix matrix = parse_recorded(recorded, runners, errors);
  const auto file = std::find_if(runners.begin(), runners.end(),
                                 [&](const auto& one) { return one.name == recorded.runner; });
  if (file == runners.end() && errors.empty())
    return invalid(fmt::format("no runner {} is found from here; name its folder with --runners",
                               quoted(recorded.runner)));
  if (!errors.empty()) return errors.front();
  const auto manifest = experiment::read_manifest(files, *file, errors);
  if (!manifest) return errors.front();
  return keep::one_point_matrix(matrix, manifest->vocabulary(), recorded.runner, recorded.point);
}

// Says how the plan of today compares with the record. Returns the exit status.
int tell(const keep::RecordedPoint& recorded, const plan::Plan& plan, const std::string& folder) {
  const auto differing = keep::differences(recorded, plan);
  say(stdout, "{0}/matrix.yaml\n{0}/reproduce.sh\n", folder);
  if (differing.empty()) {
    say(stderr,
        "all {} stages have the digests that they had in run {}\n"
        "`orchestrate run {} --store DIR` makes them again in an empty store\n",
        recorded.stages.size(), recorded.run, printable_line(shell_quote(folder + "/matrix.yaml")));
    return 0;
  }
  say(stderr, "{} of {} stages have other digests than in run {}:\n", differing.size(),
      recorded.stages.size(), recorded.run);
  for (const keep::Difference& one : differing) {
    say(stderr, "  {}\n", one.stage);
    for (const std::string& what : one.what) say(stderr, "    {}\n", printable_line(what));
  }
  return k_other_digests;
}

Status write_files(const std::string& folder, const std::string& script) {
  system::Files& files = real_host().files;
  ORCH_TRY(files.write(folder + "/reproduce.sh", script));
  std::error_code code;
  fs::permissions(folder + "/reproduce.sh", fs::perms::owner_exec, fs::perm_options::add, code);
  return code ? Status(io_error("make executable", folder + "/reproduce.sh", code.value()))
              : Status();
}

int plan_and_write(store::Store& store, const keep::RecordedPoint& recorded,
                   const ReproduceOptions& options, const std::string& near) {
  const auto text = matrix_text(recorded, options, near);
  if (!text) return print_errors({text.error()}), k_not_possible;
  const std::string folder = options.out.empty() ? "reproduce-" + recorded.point.name : options.out;
  RealWorld world;
  Status written = store::check_output(folder);
  if (written) written = world->files.make_folder(folder);
  if (written) written = world->files.write(folder + "/matrix.yaml", *text);
  if (!written) return print_errors({written.error()}), k_not_possible;
  Errors errors;
  const experiment::Experiment loaded =
      experiment::load_experiment(*world,
                                  {.matrix_file = folder + "/matrix.yaml",
                                   .where = {},
                                   .runners = options.places.folder,
                                   .machine_file = {},
                                   .site_file = options.places.site,
                                   .near = near},
                                  errors);
  experiment::Planning planning(world->files, loaded, options.store, {});
  planning.use(store);
  HashingLine line("hashing inputs", screen_of(stderr));
  planning.hash_by(line.shown(world->workers));
  if (errors.empty()) planning.plan(errors);
  sort_by_place(errors);
  if (!errors.empty()) return print_errors(errors), k_not_possible;
  written = write_files(folder, script_text(planning, "reproduce.sh"));
  if (!written) return print_errors({written.error()}), k_not_possible;
  return tell(recorded, planning.current(), folder);
}

int reproduce(const ReproduceOptions& options) {
  int status = 0;
  const int read = read_store(options.store, [&](store::Store& store) -> Status {
    ORCH_ASSIGN(const report::Named named, report::find_named(store.database(), options.name));
    if (named.kind != report::Named::Kind::point)
      return invalid(
          fmt::format("{} is a stage; name one of its points, which `orchestrate show "
                      "{}` lists",
                      named.name, named.name));
    ORCH_ASSIGN(const keep::RecordedPoint recorded,
                keep::recorded_point(store.database(), named.name));
    const std::string near =
        (fs::path(recorded.folder) / recorded.matrix_file).lexically_normal().string();
    status = plan_and_write(store, recorded, options, near);
    return {};
  });
  return read != 0 ? read : status;
}

}  // namespace

void add_reproduce(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand("reproduce",
                                         "Write a matrix of one point with everything pinned, and "
                                         "a bash script that makes it by hand");
  auto options = std::make_shared<ReproduceOptions>();
  command->add_option("POINT", options->name, "A point: its name or a unique prefix")->required();
  command->add_option("--out", options->out,
                      "The folder for matrix.yaml and reproduce.sh (default: reproduce-POINT)");
  add_runner_places(*command, options->places);
  add_store_option(*command, options->store);
  command->callback([options, &exit_code] { exit_code = reproduce(*options); });
}

}  // namespace orch::cli
