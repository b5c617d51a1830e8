#include "app/cli/reading.hpp"

#include "app/cli/planning/plan_text.hpp"
#include "app/cli/real_world.hpp"
#include "app/cli/say.hpp"
#include "app/session/site.hpp"
#include "bench/measure/metrics.hpp"
#include "core/base/text.hpp"
#include "core/secret/token_shapes.hpp"
#include "results/query/query.hpp"
#include "results/store/layout.hpp"
#include "run/slurm/slurm.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>

#include <CLI/CLI.hpp>

namespace orch::cli {

namespace {

void print_reasons(const plan::Plan& plan, plan::Status status, std::string_view word) {
  for (const auto& [reason, count] : reasons_of(plan, status))
    say(stderr, "{} {} of {} points: {}\n", word, count, plan.points.size(), reason);
}

constexpr std::int64_t k_rows_of_summary = 20;  // more would not be a summary

struct SummaryColumn {
  std::string name;
  int digits;
  bool is_percentile = false;
  bool has_low = false, has_high = false;  // the view has a column for that limit of its interval
};

// SQL for " (38.2–61)", or " (≥38.2)" if the requests bound the percentile on one side only.
std::string limits_of_percentile(const SummaryColumn& column) {
  const auto limit = [&column](bool is_there, std::string_view side) {
    return is_there ? fmt::format("round({}_interval_{}, {})", column.name, side, column.digits)
                    : std::string("NULL");
  };
  const std::string low = limit(column.has_low, "low"), high = limit(column.has_high, "high");
  return fmt::format(
      "coalesce(' (' || {0} || '–' || {1} || ')', ' (≥' || {0} || ')', ' (≤' || {1} || ')', '')",
      low, high);
}

// SQL that rounds COLUMN and adds half of its 95 % interval; for a percentile, a mark if n is too
// small, and the limits of the interval.
std::string expression_of(const SummaryColumn& column) {
  const std::string rounded = fmt::format("round({}, {})", column.name, column.digits);
  if (column.is_percentile)
    return fmt::format(
        "{0} || CASE WHEN instr(' ' || unsupported || ' ', ' {1} ') THEN '*' ELSE '' END || {2} AS "
        "{1}",
        rounded, column.name, limits_of_percentile(column));
  if (!column.has_low || !column.has_high) return fmt::format("{} AS {}", rounded, column.name);
  return fmt::format(
      "{0} || coalesce(' ±' || round(({1}_interval_high - {1}_interval_low) / 2, {2}), '') AS {1}",
      rounded, column.name, column.digits);
}

Result<std::int64_t> count_columns(sql::Database& database, const std::string& name) {
  return database.query_int(
      fmt::format("SELECT count(*) FROM pragma_table_info('results') WHERE name = '{}'", name));
}

// The columns in which a point of the run has a value. The view may lack some columns.
Result<std::vector<SummaryColumn>> non_empty_columns(sql::Database& database, std::int64_t run_id) {
  std::vector<SummaryColumn> there, out;
  std::string counts;
  for (const measure::Column& one : measure::columns_in(&measure::Lists::summary)) {
    SummaryColumn column{.name = one.name(),
                         .digits = one.metric->shown.digits,
                         .is_percentile = one.statistic != Statistic::mean};
    ORCH_ASSIGN(const auto has, count_columns(database, column.name));
    if (has == 0) continue;
    ORCH_ASSIGN(const auto low,
                count_columns(database, fmt::format("{}_interval_low", column.name)));
    ORCH_ASSIGN(const auto high,
                count_columns(database, fmt::format("{}_interval_high", column.name)));
    column.has_low = low > 0;
    column.has_high = high > 0;
    // The error rate is shown only if a request failed.
    const bool is_share = column.name == metric::error_rate;
    counts += fmt::format("{}count({}{})", there.empty() ? "" : ", ", column.name,
                          is_share ? " > 0 OR NULL" : "");
    there.push_back(column);
  }
  if (there.empty()) return out;
  ORCH_ASSIGN(auto row, database.prepare(
                            fmt::format("SELECT {} FROM results WHERE run = {}", counts, run_id)));
  ORCH_TRY(row.step());
  for (std::size_t i = 0; i < there.size(); ++i)
    if (row.column_int(static_cast<int>(i)) > 0) out.push_back(there[i]);
  return out;
}

Result<std::int64_t> count_rows(sql::Database& database, std::int64_t run_id,
                                std::string_view condition) {
  return database.query_int(
      fmt::format("SELECT count(*) FROM results WHERE run = {} AND {}", run_id, condition));
}

// Prints which values of `precision` cover several weight formats in the results of a run.
void print_formats(sql::Database& database, std::int64_t run_id) {
  for (const char* column : {"precision", "weights"})
    if (count_columns(database, column).value_or(0) == 0) return;
  auto rows =
      database.prepare(fmt::format("SELECT precision, group_concat(DISTINCT runner || ' ' || "
                                   "weights) FROM results WHERE run = {} "
                                   "GROUP BY precision HAVING count(DISTINCT weights) > 1",
                                   run_id));
  while (rows) {
    const auto more = rows->step();
    if (!more || !*more) return;
    say(stderr, "precision {} stands for several weight formats: {}\n", rows->column_text(0),
        rows->column_text(1));
  }
}

// Prints the cost of sharing the host for points that a run also measured alone.
void print_sharing(sql::Database& database, std::int64_t run_id) {
  const auto rows =
      database.query_int(fmt::format("SELECT count(*) FROM sharing_cost WHERE run = {}", run_id));
  if (!rows || *rows == 0) return;
  const auto table = report::run_query(
      database,
      fmt::format("SELECT point, metric, round(shared, 3) AS shared, round(alone, 3) AS alone, "
                  "printf('%+.1f %%', 100 * change) || iif(change_low IS NULL, ' (interval "
                  "unknown)', printf(' (%+.1f to %+.1f)', 100 * change_low, 100 * change_high)) || "
                  "iif(beyond, ' !', '') AS change FROM sharing WHERE run = {} AND metric IN "
                  "('output_tps', 'ttft_ms', 'request_latency_ms') ORDER BY point, metric",
                  run_id),
      report::Format::table);
  if (!table) return;
  say(stderr, "\nCost of sharing the host, with 95 % intervals (! the interval excludes 0):\n");
  say(stdout, "{}", *table);
}

// Explains the marks in TABLE and how to see more.
void print_marks(sql::Database& database, const std::string& table, std::int64_t run_id) {
  if (table.find("±") != std::string::npos)
    say(stderr, "± half of the 95 % interval of the mean{}\n",
        count_rows(database, run_id, "repeats > 1").value_or(0) > 0
            ? ""
            : " within this run; --repeats 3 shows how runs differ");
  if (table.find(" (≥") != std::string::npos || table.find("–") != std::string::npos)
    say(stderr, "( ) 95 % interval of a percentile; ≥ where the requests bound it on one side\n");
  if (table.find('*') != std::string::npos)
    say(stderr, "* n is too small for this percentile: p99 needs 100 requests\n");
  const auto warned = count_rows(database, run_id, "warnings <> ''");
  if (!warned || *warned == 0) return;
  say(stderr,
      "! {} {} a warning: orchestrate query \"SELECT point, warnings FROM results WHERE run = "
      "{} AND warnings <> ''\"\n",
      plural(*warned, "point"), *warned == 1 ? "carries" : "carry", run_id);
}

Exit exit_for(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::conflict: return Exit::in_use;
    case ErrorKind::interrupted: return Exit::interrupted;
    case ErrorKind::invalid:
    case ErrorKind::not_found: return Exit::refused;
    default: return Exit::failed;
  }
}

}  // namespace

void add_store_option(CLI::App& command, std::string& folder) {
  command.add_option("--store", folder, "The results folder")->capture_default_str();
}

std::function<std::string(const std::string&)> not_empty(const std::string& option) {
  return [option](const std::string& text) -> std::string {
    if (!text.empty()) return "";
    return fmt::format("it is empty; write an SQL predicate, or leave {} out", option);
  };
}

std::function<std::string(const std::string&)> number_in(double least, double most) {
  return [least, most](const std::string& text) -> std::string {
    const auto value = to_real(text);
    if (value && *value >= least && *value <= most) return "";
    return fmt::format("{} is not a number from {} to {}", quoted(text), least, most);
  };
}

Exit read_store(const std::string& folder, const std::function<Status(store::Store&)>& work) {
  auto store = store::Store::open(real_host(), folder, store::Mode::read);
  Status status = store ? work(*store) : Status(store.error());
  if (store && !status) status = store->corruption_error(status.error());
  return status ? Exit::done : fail_command(status.error());
}

Exit fail_command(const Error& error, Exit exit) {
  print_errors({error});
  return exit;
}

Exit fail_on_store(const Error& error, Exit io) {
  return fail_command(error, error.kind == ErrorKind::conflict ? Exit::in_use
                             : error.kind == ErrorKind::io     ? io
                                                               : Exit::refused);
}

Result<store::Store> open_existing(const std::string& folder, bool writing) {
  auto store = store::Store::open(real_host(), folder, store::Mode::read);
  if (!store || !writing) return store;
  return store::Store::open(real_host(), folder, store::Mode::write);
}

Status write_output(const std::string& path, const std::string& text) {
  namespace fs = std::filesystem;
  ORCH_TRY(store::check_output(path));
  std::error_code code;
  const fs::file_status target = fs::status(path, code);
  if (!fs::exists(target) || fs::is_directory(target)) return real_host().files.write(path, text);
  if (fs::is_regular_file(target))
    return real_host().files.write(fs::canonical(path, code).string(), text);
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "we"),
                                                             std::fclose);
  if (!file) return io_error("open", path, errno);
  const bool whole = std::fwrite(text.data(), 1, text.size(), file.get()) == text.size() &&
                     std::fflush(file.get()) == 0;
  return whole ? Status() : Status(io_error("write", path, errno));
}

bool print_out(const std::string& text) {
  const std::string shown = safe_for(stdout, text);
  const bool whole = std::fwrite(shown.data(), 1, shown.size(), stdout) == shown.size() &&
                     std::fflush(stdout) == 0;
  if (!whole) say(stderr, "the output could not be written: {}\n", std::strerror(errno));
  return whole;
}

void add_runners_option(CLI::App& command, std::string& folder) {
  command
      .add_option(
          "--runners", folder,
          "A folder of runners (NAME/runner.yaml), searched first; then come runners/ at or "
          "above the matrix, runners/ at or above the working folder, `runners:` of the "
          "site file, the installed runners, and those of the build")
      ->check([](const std::string& path) {
        std::error_code code;
        return std::filesystem::is_directory(path, code)
                   ? std::string()
                   : fmt::format("{} is not a folder; name one that has NAME/runner.yaml",
                                 quoted(path));
      });
}

void add_executor_option(CLI::App& command, execute::Placement& placement,
                         const std::string& what) {
  static const std::map<std::string, execute::Placement> k_executors = {{"local", {}},
                                                                        {"slurm", slurm::k_jobs}};
  command
      .add_option_function<std::string>(
          "--executor", [&placement](const std::string& name) { placement = k_executors.at(name); },
          what)
      ->check(CLI::IsMember(k_executors).description(""))
      ->default_str("local");
}

CLI::Option* add_log_level(CLI::App& command, system::LogLevel& level) {
  return command
      .add_option_function<std::string>(
          "--log-level",
          [&level](const std::string& word) { level = parse_name<system::LogLevel>(word).value(); },
          "How much goes to diagnostics.log in the store and to the guardians' logs, for bug "
          "reports: off, error, warning, info, debug")
      ->default_str(std::string(to_string(level)))
      ->envname("ORCHESTRATE_LOG")
      ->take_last()
      ->check([](const std::string& word) {
        constexpr auto k_levels = names_of(Tag<system::LogLevel>());
        const std::vector<std::string> known(k_levels.begin(), k_levels.end());
        return parse_name<system::LogLevel>(word)
                   ? std::string()
                   : fmt::format("{} is not a log level{}; known: {}", quoted(word),
                                 did_you_mean(word, known), join(known, ", "));
      });
}

void add_site_option(CLI::App& command, std::string& file) {
  command.add_option("--site", file, "The site file (default: ~/.config/orchestrate/site.yaml)");
}

void add_runner_places(CLI::App& command, RunnerPlaces& places) {
  add_runners_option(command, places.folder);
  add_site_option(command, places.site);
}

std::vector<session::RunnerFile> find_runners(system::Files& files, const RunnerPlaces& places,
                                              const std::string& near, Errors& errors) {
  const session::Site site = session::read_site(files, places.site, errors);
  return session::runners_near(files,
                               {.chosen = places.folder, .near = near, .site = site.runners});
}

namespace {

// A check of the value of OPTION, an SQL predicate over points.
auto predicate_of(const char* option) {
  return [option](const std::string& sql) -> std::string {
    if (std::string error = not_empty(option)(sql); !error.empty()) return error;
    return find_secret(sql) ? "it contains what looks like a token, and commands are stored" : "";
  };
}

}  // namespace

void add_experiment_options(CLI::App& command, session::ExperimentOptions& options) {
  command.add_option("MATRIX", options.matrix_file, "The matrix file")->required();
  command
      .add_option("--where", options.where,
                  "Only points for which this SQL is true: \"isl = 128 AND precision <> 'f16'\"")
      ->check(predicate_of("--where"));
  add_runners_option(command, options.runners);
  command.add_option("--machine", options.machine_file,
                     "A YAML file that describes the machine: gpus, gpu_model, gpu_memory_gib, "
                     "mig, cpu_model, cpus");
  add_site_option(command, options.site_file);
  command
      .add_option("--gpus", options.gpus,
                  "Use only these GPUs: indices or UUIDs, as nvidia-smi -L prints them "
                  "(default: gpu_ids of the site file, else "
                  "CUDA_VISIBLE_DEVICES, else all)")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("GPU,..")
      ->check([](const std::string& id) { return session::why_no_gpu_id(id); });
  command
      .add_option("--repeats", options.repeats,
                  "Measurements of each load, instead of the matrix's repeats.measure")
      ->check(CLI::Range(1, 1000));
}

void add_again_options(CLI::App& command, session::ExperimentOptions& experiment,
                       plan::Options& options) {
  command
      .add_option("--again", experiment.again,
                  "Measure the points for which this SQL is true once more, in a new session of "
                  "their server; earlier measurements count as well (\"1\": all points)")
      ->check(predicate_of("--again"));
  command
      .add_option("--sessions", options.new_sessions,
                  "New sessions of each point that --again chooses (default: 1)")
      ->check(CLI::Range(1, 100))
      ->needs("--again");
}

void add_plan_options(CLI::App& command, plan::Options& options) {
  command.add_option("--until", options.until, "The last stage to run, in the runner's order")
      ->check([](const std::string& stage) {
        return stage.empty() ? "it is empty; name a stage, or leave --until out" : "";
      });
  command.add_flag(
      "--retry-failed", options.retry_failed,
      "Retry stages where the system under test failed; otherwise such a failure stays a result");
  command
      .add_option(
          "--refresh", options.refresh,
          "Repeat measurements made with a different driver, kernel, host, system or orchestrate")
      ->check(CLI::IsMember({"driver", "kernel", "host", "system", "orchestrate"}));
}

Exit fail_run(const Errors& errors) {
  print_errors(errors);
  return exit_for(errors.front().kind);
}

void print_summary(const plan::Plan& plan, const schedule::Outcome& outcome,
                   const std::string& until, double seconds) {
  const auto points = std::ranges::count_if(
      plan.points, [](const auto& point) { return point.status != plan::Status::reject; });
  say(stderr, "\n{}: {}; {}: {} done, {} reused, {} failed, {} skipped{} in {}\n", plan.matrix_name,
      plural(points, "point"), until.empty() ? "stages" : "stages up to " + until, outcome.done,
      outcome.reused, outcome.failed, outcome.skipped,
      outcome.cancelled ? fmt::format(", {} stopped", outcome.cancelled) : "",
      human_duration(seconds));
  print_reasons(plan, plan::Status::reject, "rejected");
  print_reasons(plan, plan::Status::undecided, "undecided");
  print_reasons(plan, plan::Status::failed, "failed before:");
  if (outcome.cancelled) say(stderr, "Run the same command again to continue.\n");
  for (const auto& [failure_class, count] : outcome.failures_by_class)
    say(stderr, "  {} failed: {}\n", plural(count, "stage"), failure_class);
  if (!outcome.failures_by_class.empty())
    say(stderr, "See `orchestrate query failures` and `orchestrate logs STAGE`.\n");
}

void print_results(store::Store& store, const matrix::Matrix& matrix, std::int64_t run_id) {
  sql::Database& database = store.database();
  std::vector<std::string> columns;
  for (const std::string& name : matrix::varied_parameters(matrix))
    columns.push_back(sql::quote_name(name));
  const auto metrics = non_empty_columns(database, run_id);
  if (!metrics || metrics->empty()) return;
  for (const SummaryColumn& column : *metrics) columns.push_back(expression_of(column));
  if (count_rows(database, run_id, "repeats > 1").value_or(0) > 0) columns.emplace_back("repeats");
  if (count_rows(database, run_id, "warnings <> ''").value_or(0) > 0)
    columns.emplace_back("CASE WHEN warnings <> '' THEN '!' ELSE '' END AS marks");
  const std::string sql =
      fmt::format("SELECT {} FROM results r WHERE run = {} ORDER BY r.output_tps DESC LIMIT {}",
                  join(columns, ", "), run_id, k_rows_of_summary);
  const auto table = report::run_query(database, sql, report::Format::table);
  if (!table || table->find('\n') + 1 == table->size()) return;  // no rows
  say(stdout, "{}", *table);
  const std::int64_t rows = count_rows(database, run_id, "1").value_or(0);
  if (rows > k_rows_of_summary)
    say(stderr,
        "The best {} of {} points by output_tps. All of them: orchestrate query \"SELECT * FROM "
        "results WHERE run = {}\" --format csv, or orchestrate report\n",
        k_rows_of_summary, rows, run_id);
  print_marks(database, *table, run_id);
  print_formats(database, run_id);
  print_sharing(database, run_id);
}

}  // namespace orch::cli
