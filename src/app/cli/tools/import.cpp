#include "app/cli/bench/bench_output.hpp"
#include "app/cli/commands.hpp"
#include "app/cli/reading.hpp"
#include "app/cli/real_world.hpp"
#include "app/cli/say.hpp"
#include "app/cli/tools/tool_files.hpp"
#include "bench/record/record_json.hpp"
#include "core/base/digest.hpp"
#include "core/base/text.hpp"
#include "core/base/version.hpp"
#include "core/sql/database.hpp"
#include "results/imports/gather.hpp"
#include "results/store/inbox.hpp"
#include "results/store/store.hpp"
#include "spec/matrix/name_rules.hpp"

#include <CLI/CLI.hpp>

namespace orch::cli {
namespace {

constexpr std::size_t k_uid_digits = 32;

struct ImportOptions {
  std::vector<std::string> files;
  std::string experiment = "import", store = "results";
  ToolFileFlags tool_files;
  std::vector<std::string> sets;  // NAME=VALUE
  bool dry_run = false;
};

// The values of --set: labels, and values that the files do not state.
using Labels = std::map<std::string, matrix::Value>;

matrix::Value value_of(const std::string& text) {
  if (to_integer(text)) return {matrix::Type::integer, text};
  if (to_real(text)) return {matrix::Type::real, text};
  return {matrix::Type::text, text};
}

Result<Labels> labels_of(const std::vector<std::string>& sets) {
  Labels out;
  for (const std::string& written : sets) {
    const auto equals = written.find('=');
    const std::string name = written.substr(0, equals);
    if (equals == std::string::npos || equals + 1 == written.size())
      return invalid(fmt::format("--set {}: write NAME=VALUE, such as gpus=1", quoted(written)));
    if (const auto why = matrix::refuse_column_name(name))
      return invalid(fmt::format("--set {}: {}", quoted(written), *why));
    const matrix::Value value = value_of(written.substr(equals + 1));
    if (!out.emplace(name, value).second)
      return invalid(fmt::format("--set {}: {} is set twice", quoted(written), quoted(name)));
  }
  return out;
}

// Adds LABELS to ONE. Error: a file states a different value, which is then the right one.
Status label(imports::Gathered& one, const Labels& labels) {
  for (const auto& [name, value] : labels) {
    const auto [at, is_new] = one.reading.parameters.emplace(name, value);
    if (!is_new && at->second.text != value.text)
      return invalid(
          fmt::format("{}: the file says {} {}, but --set says {}; import it without --set",
                      one.files.front().path, name, at->second.text, value.text));
  }
  return {};
}

// The measurements whose figures come from one file.
struct FileImport {
  std::string path;
  std::string sha256;
  std::vector<imports::Gathered> measured;
};

std::vector<FileImport> by_file(std::vector<imports::Gathered> all) {
  std::vector<FileImport> imports;
  std::map<std::string, std::size_t> places;
  for (imports::Gathered& one : all) {
    const imports::FileOrigin& file = one.files.front();
    const auto [place, is_new] = places.emplace(file.sha256, imports.size());
    if (is_new) imports.push_back({file.path, file.sha256, {}});
    imports[place->second].measured.push_back(std::move(one));
  }
  return imports;
}

store::PublishedPoint point_of(imports::Gathered& one) {
  store::PublishedPoint point{.name = imports::name_point(one.reading),
                              .parameters = one.reading.parameters,
                              .measured_at = imports::ended_at(one.reading)};
  const auto measurements = imports::measurements_of(one);
  point.measurement = record::measurement_json({}, measurements);
  static_cast<void>(record::give_requests(measurements, [&](std::string_view line) {
    point.requests += line;
    return Status();
  }));
  return point;
}

// The run's uid is derived from the content, so that repeated or concurrent imports of the same
// file result in the same run.
store::Publication publication_of(FileImport& file, const std::string& experiment) {
  store::Publication publication{
      .experiment = experiment,
      .by = "import",
      .uid = sha256("import " + file.sha256).hex().substr(0, k_uid_digits)};
  publication.info.command = own_command_line();
  publication.info.version = k_version;
  publication.info.started_at = real_host().clock.wall_s();
  for (imports::Gathered& one : file.measured) publication.points.push_back(point_of(one));
  return publication;
}

// Where the store already has the content of FILE; "" if it is new.
Result<std::string> present(store::Store& store, const FileImport& file) {
  ORCH_ASSIGN(sql::Statement row,
              store.database().prepare(
                  "SELECT a.run_id, r.experiment FROM measurement m JOIN attempt a ON a.id = "
                  "m.attempt_id JOIN run r ON r.id = a.run_id WHERE m.origin_sha256 = ? LIMIT 1"));
  ORCH_TRY(row.bind(1, file.sha256));
  ORCH_ASSIGN(const bool found, row.step());
  if (!found) return std::string();
  return fmt::format("run {}, experiment {}", row.column_int(0), row.column_text(1));
}

// Removes from FILES those that the store already has, with a message.
Status drop_present(const std::string& folder, std::vector<FileImport>& files) {
  const auto store = store::Store::open(real_host(), folder, store::Mode::read);
  if (!store) return store.error().kind == ErrorKind::not_found ? Status() : store.error();
  std::vector<FileImport> left;
  for (FileImport& file : files) {
    ORCH_ASSIGN(const std::string where, present(const_cast<store::Store&>(*store), file));
    if (where.empty()) left.push_back(std::move(file));
    else say(stderr, "{}: imported already ({}); nothing to do\n", file.path, where);
  }
  files = std::move(left);
  return {};
}

void print_plan(std::vector<FileImport>& files) {
  TextTable table({"file", "format", "tool", "point", "figures", "requests", "missing"});
  for (FileImport& file : files)
    for (imports::Gathered& one : file.measured) {
      const std::string name = imports::name_point(one.reading);
      const std::size_t requests = one.reading.requests.records.size();
      const std::size_t figures = one.reading.figures.size();
      const auto measurements = imports::measurements_of(one);
      table.add({file.path, std::string(one.format->name), one.reading.tool, name,
                 std::to_string(figures), std::to_string(requests),
                 join(measurements.front().by.missing, " ")});
    }
  print_out(table.text());
}

Status publish_all(const ImportOptions& options, std::vector<FileImport>& files) {
  // Opens the store first, so that no records are left in the inbox of a store that cannot be
  // written to.
  const auto writable = store::Store::open(real_host(), options.store, store::Mode::write);
  if (!writable && writable.error().kind != ErrorKind::conflict) return writable.error();
  std::size_t count = 0;
  for (FileImport& file : files) {
    const auto publication = publication_of(file, options.experiment);
    ORCH_ASSIGN(
        const std::string uid,
        store::publish(real_host().files, {std::filesystem::absolute(options.store)}, publication));
    count += publication.points.size();
  }
  say(stderr, "imported {}: orchestrate query results_by_tool\n", plural(count, "measurement"));
  if (!writable) {
    say(stderr, "{} is in use: the next run there ingests the records from its inbox\n",
        options.store);
    return {};
  }
  auto& store = const_cast<store::Store&>(*writable);
  ORCH_TRY(store.ingest());
  for (const std::string& notice : store.notices()) say(stderr, "note: {}\n", notice);
  return {};
}

// Prints, for each file, why rows are not valid, and what was unexpected.
void say_warnings(const std::vector<FileImport>& files) {
  constexpr std::size_t k_most = 10;
  for (const FileImport& file : files) {
    std::vector<std::string> said;
    std::set<std::string> known;
    const auto add = [&](const std::string& words) {
      if (known.insert(words).second) said.push_back(words);
    };
    for (const imports::Gathered& one : file.measured) {
      if (!one.reading.invalid.empty()) add("not valid: " + one.reading.invalid);
      for (const std::string& words : one.reading.warnings) add(words);
    }
    for (std::size_t i = 0; i < std::min(said.size(), k_most); ++i)
      say(stderr, "warning: {}: {}\n", file.path, said[i]);
    if (said.size() > k_most)
      say(stderr, "warning: {}: {} more in the column `warnings`\n", file.path,
          said.size() - k_most);
  }
}

// Prints one line for each file: its tool, and how it was recognised.
void say_how_known(const std::vector<imports::Gathered>& all) {
  std::set<std::string> said;
  for (const imports::Gathered& one : all)
    for (const imports::FileOrigin& file : one.files)
      if (said.insert(file.path).second) say(stderr, "{}: {}\n", file.path, file.known_as);
}

Status import_files(const ImportOptions& options) {
  if (const auto why = matrix::refuse_free_name(options.experiment))
    return invalid(fmt::format("--experiment {}: {}", quoted(options.experiment), *why));
  ORCH_ASSIGN(const Labels labels, labels_of(options.sets));
  Notes notes;
  ORCH_ASSIGN(auto all, read_tool_files(options.files, options.tool_files,
                                        imports::Together::by_name, notes));
  print_warnings(notes);
  say_how_known(all);
  for (imports::Gathered& one : all) ORCH_TRY(label(one, labels));
  auto files = by_file(std::move(all));
  if (files.empty()) return invalid("none of the files has a known format; name it with --format");
  say_warnings(files);
  if (options.dry_run) {
    print_plan(files);
    return Status();
  }
  ORCH_TRY(drop_present(options.store, files));
  return files.empty() ? Status() : publish_all(options, files);
}

}  // namespace

void add_import(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand(
      "import", "Bring the result files of other tools into the store, under their definitions");
  auto options = std::make_shared<ImportOptions>();
  command
      ->add_option(
          "FILE", options->files,
          "Files, or folders of files, of genai-perf, perf_analyzer, aiperf, vLLM, SGLang, "
          "LMDeploy, benchmark_core_model, llm_perf, Model Analyzer, AIConfigurator or InferenceX")
      ->required();
  command->add_option("--experiment", options->experiment, "Experiment that the points belong to")
      ->type_name("NAME")
      ->capture_default_str();
  command
      ->add_option("--set", options->sets,
                   "A parameter of every point that the files lack, or a label: --set gpus=1 --set "
                   "isl=512 --set system=dgx")
      ->allow_extra_args(false)
      ->type_name("NAME=VALUE");
  add_tool_file_options(*command, options->tool_files);
  command->add_flag("--dry-run", options->dry_run, "Print what the files hold, and import nothing");
  add_store_option(*command, options->store);
  command->callback([options, &exit_code] {
    const Status done = import_files(*options);
    if (!done) print_errors({done.error()});
    exit_code = status_of(done ? Exit::done : Exit::refused);
  });
}

}  // namespace orch::cli
