#include "core/base/text.hpp"
#include "core/base/yaml.hpp"
#include "app/cli/commands.hpp"
#include "app/cli/experiment_options.hpp"
#include "app/cli/reading.hpp"
#include "app/cli/say.hpp"
#include "app/session/file_schema.hpp"
#include "app/session/presets.hpp"
#include "app/session/project.hpp"
#include "spec/matrix/runners.hpp"
#include "analysis/report/schema_table.hpp"
#include "results/store/store.hpp"

#include <CLI/CLI.hpp>

#include <memory>

namespace orch::cli {

namespace {

struct SchemaOptions {
  std::string kind;
  std::string matrix;
  std::string runner;
  RunnerPlaces places;
  std::string store = "results";
  std::string format = "table";

  bool of_database() const { return kind == "views" || kind == "tables"; }
};

// The runner that the matrix names; "" where its points have several. Its other errors do not
// matter here: it may be half written.
Result<std::string> runner_of_matrix(system::Files& files, const SchemaOptions& options,
                                     const std::vector<session::RunnerFile>& runners) {
  const std::string& file = options.matrix;
  const auto read = [&](const std::string& path) {
    return files.read_text(path, YamlLimits{}.bytes);
  };
  ORCH_ASSIGN(const std::string text, read(file));
  Errors ignored;
  const matrix::Matrix matrix = matrix::parse_matrix(
      text, file, ignored, read,
      [&](const std::string& preset) { return session::find_preset(files, runners, preset); });
  if (matrix::has_runner_axis(matrix)) return std::string();
  if (!matrix.runner.empty()) return matrix.runner;
  return invalid(fmt::format("{} names no runner; write runner: NAME, or use --runner", file));
}

Result<std::string> schema_of_matrix(system::Files& files, const SchemaOptions& options) {
  std::string name = options.runner;
  if (name.empty() && options.matrix.empty()) return session::matrix_schema(nullptr);
  std::vector<std::string> names;
  Errors site_errors;
  const auto runners = find_runners(files, options.places, options.matrix, site_errors);
  if (!site_errors.empty()) return site_errors.front();
  if (name.empty()) {
    ORCH_ASSIGN(name, runner_of_matrix(files, options, runners));
    if (name.empty()) return session::matrix_schema(nullptr);
  }
  for (const session::RunnerFile& found : runners) {
    names.push_back(found.name);
    if (found.name != name) continue;
    Errors errors;
    const auto manifest = session::read_manifest(files, found, errors);
    if (!manifest) return errors.front();
    return session::matrix_schema(&*manifest);
  }
  return invalid(fmt::format("no runner {}; the runners are: {}", quoted(name), join(names, ", ")));
}

Result<std::string> schema_of(const SchemaOptions& options) {
  system::RealFiles files;
  if (options.kind == "matrix") return schema_of_matrix(files, options);
  if (!options.matrix.empty() || !options.runner.empty())
    return invalid(fmt::format(
        "MATRIX and --runner are for the schema of a matrix; write `orchestrate schema {}`",
        options.kind));
  return options.kind == "runner" ? session::runner_schema() : session::site_schema();
}

int print_database(const SchemaOptions& options) {
  if (!options.runner.empty()) {
    print_errors({invalid("--runner is for the schema of a matrix")});
    return 2;
  }
  return read_store(options.store, [&](store::Store& store) -> Status {
    ORCH_ASSIGN(const report::Table table,
                report::schema_table(
                    store.database(),
                    options.kind == "views" ? report::Relations::views : report::Relations::tables,
                    options.matrix));
    print_out(report::to_text(table, *report::format_from(options.format)));
    return {};
  });
}

int print_schema(const SchemaOptions& options) {
  if (options.of_database()) return print_database(options);
  const auto schema = schema_of(options);
  if (schema) return print_out(*schema) ? 0 : 1;
  print_errors({schema.error()});
  return 2;
}

}  // namespace

void add_schema(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand("schema",
                                         "Print the JSON Schema of a file, for editors, or "
                                         "what the views and tables of a store have");
  auto options = std::make_shared<SchemaOptions>();
  command
      ->add_option("KIND", options->kind,
                   "matrix, runner (runner.yaml) or site; views or tables of a store")
      ->required()
      ->check(CLI::IsMember({"matrix", "runner", "site", "views", "tables"}));
  command->add_option(
      "MATRIX", options->matrix,
      "A matrix: know the parameters, values and facts of its runner. Of a store: the one "
      "view or table");
  command->add_option("--runner", options->runner, "The same for this runner, without a matrix");
  add_runner_places(*command, options->places);
  add_store_option(*command, options->store);
  command
      ->add_option("--format", options->format, "Of views and tables: table, csv, json, markdown")
      ->capture_default_str()
      ->check(CLI::IsMember(std::vector<std::string>(std::begin(report::k_format_names),
                                                     std::end(report::k_format_names))));
  command->footer(
      "An editor with yaml-language-server completes and checks a file whose first line names its "
      "schema:\n"
      "  orchestrate schema matrix --runner triton-trtllm > matrix.schema.json\n"
      "  # yaml-language-server: $schema=matrix.schema.json");
  command->callback([options, &exit_code] { exit_code = print_schema(*options); });
}

}  // namespace orch::cli
