#include "results/keep/reproduce.hpp"

#include "analysis/report/describe.hpp"
#include "app/cli/commands.hpp"
#include "app/cli/keep/recorded_plan.hpp"
#include "app/cli/planning/plan_text.hpp"
#include "app/cli/progress/progress.hpp"
#include "app/cli/reading.hpp"
#include "app/cli/real_world.hpp"
#include "app/cli/say.hpp"
#include "app/session/project.hpp"
#include "core/base/text.hpp"
#include "results/store/layout.hpp"
#include "results/store/store.hpp"

#include <CLI/CLI.hpp>

namespace orch::cli {

namespace {

namespace fs = std::filesystem;

// The matrix of the experiment as recorded; the present files are not read.
matrix::Matrix parse_recorded(const keep::RecordedPoint& recorded,
                              const std::vector<session::RunnerFile>& runners, Errors& errors) {
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
        return not_found(
            fmt::format("run {} does not have the text of the base {}", recorded.run, path));
      },
      [&](const std::string& preset) {
        return session::find_preset(real_host().files, runners, preset);
      });
  session::make_paths_absolute(matrix);
  return matrix;
}

Result<std::string> matrix_text(const keep::RecordedPoint& recorded, const RunnerPlaces& places,
                                const std::string& near) {
  system::Files& files = real_host().files;
  Errors errors;
  const auto runners = find_runners(files, places, near, errors);
  const matrix::Matrix matrix = parse_recorded(recorded, runners, errors);
  const auto file =
      std::ranges::find_if(runners, [&](const auto& one) { return one.name == recorded.runner; });
  if (file == runners.end() && errors.empty())
    return invalid(fmt::format("no runner {} was found from here; name its folder with --runners",
                               quoted(recorded.runner)));
  if (!errors.empty()) return errors.front();
  const auto manifest = session::read_manifest(files, *file, errors);
  if (!manifest) return errors.front();
  return keep::one_point_matrix(matrix, manifest->vocabulary(), recorded.runner, recorded.point);
}

// `orchestrate reproduce`: a matrix of one point with everything pinned, and its plan as a script.

namespace fs = std::filesystem;

struct ReproduceOptions {
  std::string name;
  std::string store = "results";
  std::string out;
  RunnerPlaces places;
};

// Prints how today's plan compares with the record. Returns Exit::failed if digests differ.
Exit tell(const keep::RecordedPoint& recorded, const plan::Plan& plan, const std::string& folder) {
  const auto differing = keep::differences(recorded, plan);
  say(stdout, "{0}/matrix.yaml\n{0}/reproduce.sh\n", folder);
  if (differing.empty()) {
    say(stderr,
        "all {} stages have the digests that they had in run {}\n"
        "`orchestrate run {} --store DIR` makes them again in an empty store\n",
        recorded.stages.size(), recorded.run, printable_line(shell_quote(folder + "/matrix.yaml")));
    return Exit::done;
  }
  say(stderr, "{} of {} stages have digests that differ from those of run {}:\n", differing.size(),
      recorded.stages.size(), recorded.run);
  for (const keep::Difference& one : differing) {
    say(stderr, "  {}\n", one.stage);
    for (const std::string& what : one.what) say(stderr, "    {}\n", printable_line(what));
  }
  return Exit::failed;
}

Status write_files(const std::string& folder, const std::string& script) {
  system::Files& files = real_host().files;
  ORCH_TRY(files.write(folder + "/reproduce.sh", script));
  std::error_code code;
  fs::permissions(folder + "/reproduce.sh", fs::perms::owner_exec, fs::perm_options::add, code);
  return code ? Status(io_error("make executable", folder + "/reproduce.sh", code.value()))
              : Status();
}

Exit plan_and_write(store::Store& store, const keep::RecordedPoint& recorded,
                    const ReproduceOptions& options) {
  const std::string folder = options.out.empty() ? "reproduce-" + recorded.point.name : options.out;
  if (const Status may = store::check_output(folder); !may) return fail_command(may.error());
  Exit status = Exit::refused;
  const Errors errors = plan_recorded(
      {.store = store, .recorded = recorded, .places = options.places, .folder = folder},
      [&](session::World&, session::Planning& planning) -> Status {
        ORCH_TRY(write_files(folder, script_text(planning, "reproduce.sh")));
        status = tell(recorded, planning.current(), folder);
        return {};
      });
  if (errors.empty()) return status;
  print_errors(errors);
  return Exit::refused;
}

Exit reproduce(const ReproduceOptions& options) {
  Exit status = Exit::done;
  const Exit read = read_store(options.store, [&](store::Store& store) -> Status {
    ORCH_ASSIGN(const report::Named named, report::find_named(store.database(), options.name));
    if (named.kind != report::Named::Kind::point)
      return invalid(
          fmt::format("{} is a stage; name one of its points, which `orchestrate show {}` lists",
                      named.name, named.name));
    ORCH_ASSIGN(const keep::RecordedPoint recorded,
                keep::recorded_point(store.database(), named.name));
    status = plan_and_write(store, recorded, options);
    return {};
  });
  return read != Exit::done ? read : status;
}

}  // namespace

Errors plan_recorded(
    const Recorded& of,
    const std::function<Status(session::World& world, session::Planning& planning)>& use) {
  const std::string near =
      (fs::path(of.recorded.folder) / of.recorded.matrix_file).lexically_normal().string();
  const auto text = matrix_text(of.recorded, of.places, near);
  if (!text) return {text.error()};
  RealWorld world;
  const std::string file = of.folder + "/matrix.yaml";
  Status done = world->files.make_folder(of.folder);
  if (done) done = world->files.write(file, *text);
  if (!done) return {done.error()};
  Errors errors;
  const session::Experiment loaded = session::load_experiment(
      *world,
      {.matrix_file = file, .runners = of.places.folder, .site_file = of.places.site, .near = near},
      errors);
  session::Planning planning(world->files, loaded, of.store.layout().root.string(), {});
  planning.use(of.store);
  HashingLine line("hashing inputs", screen_of(stderr));
  planning.facts().digests().hash_by(line.shown(world->workers));
  if (errors.empty()) planning.plan(errors);
  sort_by_place(errors);
  if (!errors.empty()) return errors;
  done = use(*world, planning);
  return done ? Errors() : Errors{done.error()};
}

void add_reproduce(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand("reproduce",
                                         "Write a matrix of one point with everything pinned, and "
                                         "its plan as a bash script");
  auto options = std::make_shared<ReproduceOptions>();
  command->add_option("POINT", options->name, "A point: its name or a unique prefix")->required();
  command->add_option("--out", options->out,
                      "The folder for matrix.yaml and reproduce.sh (default: reproduce-POINT)");
  add_runner_places(*command, options->places);
  add_store_option(*command, options->store);
  command->callback([options, &exit_code] { exit_code = status_of(reproduce(*options)); });
}

}  // namespace orch::cli
