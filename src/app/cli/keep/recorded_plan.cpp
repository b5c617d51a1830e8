#include "app/cli/keep/recorded_plan.hpp"

#include "core/base/text.hpp"
#include "app/cli/progress/console.hpp"
#include "app/cli/real_world.hpp"
#include "app/session/presets.hpp"

#include <filesystem>

namespace orch::cli {

namespace {

namespace fs = std::filesystem;

// The matrix of the experiment as the record has it, without a look at today's files.
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
        return Error{
            ErrorKind::not_found,
            fmt::format("run {} does not have the text of the base {}", recorded.run, path),
            {}};
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
    return invalid(fmt::format("no runner {} is found from here; name its folder with --runners",
                               quoted(recorded.runner)));
  if (!errors.empty()) return errors.front();
  const auto manifest = session::read_manifest(files, *file, errors);
  if (!manifest) return errors.front();
  return keep::one_point_matrix(matrix, manifest->vocabulary(), recorded.runner, recorded.point);
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
  const session::Experiment loaded = session::load_experiment(*world,
                                                              {.matrix_file = file,
                                                               .where = {},
                                                               .runners = of.places.folder,
                                                               .machine_file = {},
                                                               .site_file = of.places.site,
                                                               .near = near},
                                                              errors);
  session::Planning planning(world->files, loaded, of.store.layout().root.string(), {});
  planning.use(of.store);
  HashingLine line("hashing inputs", screen_of(stderr));
  planning.hash_by(line.shown(world->workers));
  if (errors.empty()) planning.plan(errors);
  sort_by_place(errors);
  if (!errors.empty()) return errors;
  done = use(*world, planning);
  return done ? Errors() : Errors{done.error()};
}

}  // namespace orch::cli
