#include "results/query/query.hpp"

#include "analysis/report/describe.hpp"
#include "app/cli/commands.hpp"
#include "app/cli/reading.hpp"
#include "app/cli/real_world.hpp"
#include "app/cli/say.hpp"
#include "app/session/project.hpp"
#include "app/session/site.hpp"
#include "core/base/text.hpp"
#include "core/base/yaml/yaml.hpp"
#include "results/store/store.hpp"
#include "spec/matrix/runners.hpp"

#include <CLI/CLI.hpp>
#include <unistd.h>

namespace orch::cli {

namespace {

constexpr std::uint64_t k_rows_for_people = 10'000;

struct QueryOptions {
  std::string sql;
  std::string store = "results";
  std::string format = "table";
  bool json = false;
  double timeout_s = 60;
  std::uint64_t most_mib = 1024;
  std::optional<std::uint64_t> rows;
  std::optional<double> watch_s;

  report::Format shape() const {
    return json ? report::Format::json : *parse_name<report::Format>(format);
  }
  sql::QueryLimits limits() const {
    const bool for_people = shape() == report::Format::table || shape() == report::Format::markdown;
    return {.seconds = timeout_s,
            .bytes = most_mib << 20,
            .rows = rows.value_or(for_people ? k_rows_for_people : 0)};
  }
};

Result<report::QueryOutput> answer_of(store::Store& store, const QueryOptions& options) {
  if (!options.sql.empty())
    return report::query_output(store.database(), options.sql, options.shape(), options.limits());
  ORCH_ASSIGN(std::string list, report::list_views(store.database(), options.shape()));
  return report::QueryOutput{.text = std::move(list)};
}

void print(const report::QueryOutput& answer) {
  print_out(answer.text);
  if (!answer.note.empty()) say(stderr, "note: {}\n", answer.note);
}

Exit query(const QueryOptions& options) {
  return read_store(options.store, [&](store::Store& store) -> Status {
    ORCH_ASSIGN(const report::QueryOutput answer, answer_of(store, options));
    print(answer);
    return {};
  });
}

// The state of a watched query, which outlives single connections.
struct Watch {
  std::optional<std::string> printed;
  bool is_over = false;  // a signal ended the watching
};

// Prints ANSWER if it differs from the previous one: on a terminal in its place, in a file or a
// pipe after it.
void print_change(Watch& watch, const report::QueryOutput& answer) {
  if (watch.printed == answer.text) return;
  if (::isatty(STDOUT_FILENO) == 1) draw(stdout, "\x1b[H\x1b[2J");
  else if (watch.printed) print_out("\n");
  print(answer);
  watch.printed = answer.text;
}

// Returns after a signal, or when a different database file has replaced this one. `PRAGMA
// data_version` changes with each commit of another connection and reads no rows, so polling does
// not disturb a run that measures.
Status watch_database(store::Store& store, const QueryOptions& options, Watch& watch) {
  const std::string file = store.layout().database().string();
  ORCH_ASSIGN(const auto opened, system::FileStamp::of(file));
  std::optional<std::int64_t> seen;
  while (true) {
    ORCH_ASSIGN(const std::int64_t version, store.database().query_int("PRAGMA data_version"));
    if (seen != version) {
      ORCH_ASSIGN(const report::QueryOutput answer, answer_of(store, options));
      print_change(watch, answer);
      seen = version;
    }
    watch.is_over = wait_for_signal(*options.watch_s);
    if (watch.is_over) return {};
    const auto now = system::FileStamp::of(file);
    if (now && now->inode != opened.inode) return {};
  }
}

Exit watch_query(const QueryOptions& options) {
  Watch watch;
  while (!watch.is_over) {
    const Exit status = read_store(
        options.store, [&](store::Store& store) { return watch_database(store, options, watch); });
    if (status != Exit::done) return status;
  }
  return Exit::interrupted;
}

struct SchemaOptions {
  std::string kind;
  std::string matrix;
  std::string runner;
  RunnerPlaces places;
  std::string store = "results";
  std::string format = "table";

  bool of_database() const { return kind == "views" || kind == "tables"; }
};

// The runner that the matrix names; "" if its points have several. The matrix may be half written,
// so its other errors do not matter here.
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

Exit print_database(const SchemaOptions& options) {
  if (!options.runner.empty())
    return fail_command(invalid("--runner is for the schema of a matrix"));
  return read_store(options.store, [&](store::Store& store) -> Status {
    ORCH_ASSIGN(const report::Table table,
                report::schema_table(
                    store.database(),
                    options.kind == "views" ? report::Relations::views : report::Relations::tables,
                    options.matrix));
    print_out(report::to_text(table, *parse_name<report::Format>(options.format)));
    return {};
  });
}

Exit print_schema(const SchemaOptions& options) {
  if (options.of_database()) return print_database(options);
  const auto schema = schema_of(options);
  if (schema) return print_out(*schema) ? Exit::done : Exit::failed;
  return fail_command(schema.error());
}

}  // namespace

void add_query(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand(
      "query", "Query the results database in SQL, or print a view; without SQL: list the views");
  auto options = std::make_shared<QueryOptions>();
  command->add_option("SQL", options->sql, "One SELECT, or the name of a view");
  command
      ->add_option("--format", options->format,
                   "table, csv, json (an array of objects) or markdown")
      ->capture_default_str()
      ->check(CLI::IsMember(all_names<report::Format>()));
  command->add_flag("--json", options->json, "The same as --format json");
  command
      ->add_option("--timeout", options->timeout_s,
                   "Seconds after which the query ends with an error; 0: never")
      ->capture_default_str()
      ->check(number_in(0, 1e9));
  command
      ->add_option("--max-memory", options->most_mib,
                   "MiB of memory above which the query ends with an error; 0: without limit")
      ->capture_default_str()
      ->check(CLI::Range(0, 1 << 30));
  command->add_option(
      "--rows", options->rows,
      "At most this many rows; 0: all (default: 10000 in a table or markdown, all in "
      "csv and json)");
  command
      ->add_option("--watch", options->watch_s,
                   "Seconds between checks for changes to the database; print the answer again "
                   "after each change, until interrupted")
      ->check(number_in(0.1, 86400));
  add_store_option(*command, options->store);
  command->callback([options, &exit_code] {
    exit_code = status_of(options->watch_s ? watch_query(*options) : query(*options));
  });
}

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
      "A matrix: include the parameters, values and facts of its runner. With views or tables: "
      "print only this one");
  command->add_option("--runner", options->runner, "The same for this runner, without a matrix");
  add_runner_places(*command, options->places);
  add_store_option(*command, options->store);
  command
      ->add_option("--format", options->format, "Of views and tables: table, csv, json, markdown")
      ->capture_default_str()
      ->check(CLI::IsMember(all_names<report::Format>()));
  command->footer(
      "An editor with yaml-language-server completes and checks a file whose first line names its "
      "schema:\n"
      "  orchestrate schema matrix --runner triton-trtllm > matrix.schema.json\n"
      "  # yaml-language-server: $schema=matrix.schema.json");
  command->callback([options, &exit_code] { exit_code = status_of(print_schema(*options)); });
}

}  // namespace orch::cli
