#include "cli/run.hpp"

#include "base/text.hpp"
#include "cli/experiment.hpp"
#include "cli/interrupts.hpp"
#include "cli/plan.hpp"
#include "cli/progress.hpp"
#include "cli/say.hpp"
#include "cli/version.hpp"
#include "report/query.hpp"
#include "report/status.hpp"
#include "store/run_journal.hpp"
#include "system/machine.hpp"

#include <CLI/CLI.hpp>

#include <sys/ioctl.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <random>

extern char** environ;

namespace orch::cli {

namespace {

struct RunOptions {
  std::string file;
  std::string store = "results";
  std::size_t jobs = 0;
  bool fail_fast = false;
  std::vector<std::string> command;
};

// What a run works with beyond the experiment; made once, in one place.
struct World {
  system::RealFiles files;
  system::RealClock clock;
  system::RealProcesses processes;
  system::CurlHttp http;
  system::Machine machine = system::detect_machine();
};

std::map<std::string, std::string> own_environment() {
  std::map<std::string, std::string> variables;
  for (char** entry = environ; *entry; ++entry) {
    const std::string_view text = *entry;
    if (const auto equals = text.find('='); equals != std::string_view::npos) variables.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return variables;
}

std::vector<std::string> own_command_line() {
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> words;
  for (std::string word; std::getline(file, word, '\0');) words.push_back(word);
  return words;
}

// Names of attempts: unique also among runs that share a host, and nothing but letters and digits.
std::function<std::string()> token_maker() {
  auto random = std::make_shared<std::mt19937_64>(std::random_device{}());
  return [random] { return fmt::format("o{:016x}", (*random)()); };
}

std::size_t terminal_columns() {
  winsize size{};
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 20 ? size.ws_col : 80;
}

int exit_code_for(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::conflict: return 3;
    case ErrorKind::invalid:
    case ErrorKind::not_found: return 2;
    default: return 1;
  }
}

int fail(const Errors& errors) {
  print_errors(errors);
  return exit_code_for(errors.front().kind);
}

int fail(const Error& error) { return fail(Errors{error}); }

void print_rejected(const plan::Plan& plan) {
  std::map<std::string, std::size_t> why;
  for (const plan::PlannedPoint& point : plan.points)
    if (point.status == plan::Status::reject) ++why[point.why];
  for (const auto& [reason, count] : why) say(stderr, "rejected {} of {} points by {}\n", count, plan.points.size(), reason);
}

void print_summary(const plan::Plan& plan, const schedule::Outcome& outcome, double seconds) {
  say(stderr, "\n{}: {} done, {} reused, {} failed, {} skipped{} in {}\n", plan.matrix_name, outcome.done, outcome.reused, outcome.failed, outcome.skipped,
             outcome.cancelled ? fmt::format(", {} stopped", outcome.cancelled) : "", human_duration(seconds));
  print_rejected(plan);
  if (outcome.cancelled) say(stderr, "The same command goes on from here.\n");
  for (const auto& [klass, count] : outcome.failures_by_class) say(stderr, "  {} failed: {}\n", count, klass);
  if (!outcome.failures_by_class.empty()) say(stderr, "See `orchestrate query failures` and `orchestrate logs STAGE`.\n");
}

// A statistic of METRIC that n is too small for is marked, as everywhere.
std::string p99_of(std::string_view metric) {
  return fmt::format("round({0}_p99, 2) || CASE WHEN instr(' ' || unsupported || ' ', ' {0}_p99 ') THEN '*' ELSE '' END AS {0}_p99", metric);
}

// The main numbers of the points that this run asked for, best throughput first.
void print_results(store::Store& store, const Experiment& experiment, std::int64_t run_id) {
  std::vector<std::string> columns;
  for (const matrix::Axis& axis : experiment.matrix.axes)
    for (const auto& [name, value] : axis.values.front().sets) columns.push_back('"' + name + '"');
  const std::string sql = fmt::format(
      "SELECT {}, round(output_tps, 1) AS output_tps, round(ttft_ms, 2) AS ttft_ms, {}, round(itl_ms, 3) AS itl_ms, "
      "round(request_latency_ms, 1) AS request_latency_ms, round(requests_per_s, 2) AS requests_per_s FROM results WHERE run = {} ORDER BY output_tps DESC",
      join(columns, ", "), p99_of("ttft_ms"), run_id);
  const auto table = report::run_query(store.database(), sql, report::Format::table);
  if (!table || table->find('\n') + 1 == table->size()) return;  // no rows
  say(stdout, "{}", *table);
  if (table->find('*') != std::string::npos) say(stderr, "* n is too small for this percentile: p99 needs 100 requests\n");
}

schedule::Options schedule_options(const RunOptions& options, const system::Machine& machine, store::Store& store) {
  schedule::Options out;
  out.expected_s = report::usual_seconds(store.database()).value_or({});
  out.jobs = options.jobs ? options.jobs : static_cast<std::size_t>(std::clamp(machine.cpus, 1, 4));
  out.fail_fast = options.fail_fast;
  return out;
}

store::Outcome stored_outcome(const schedule::Outcome& outcome) {
  if (outcome.interrupted) return store::Outcome::interrupted;
  return outcome.failed || outcome.skipped || outcome.cancelled ? store::Outcome::failed : store::Outcome::done;
}

// Drives PLAN with real processes until nothing is left to do.
Result<schedule::Outcome> drive(World& world, const plan::Plan& plan, const execute::Layout& layout, schedule::Journal& journal, const schedule::Options& options) {
  SignalInterrupts interrupts;
  ProgressLines progress(plan, stderr, ::isatty(STDERR_FILENO), terminal_columns());
  execute::LocalExecutor executor(world.processes);
  execute::Workspace workspace(world.files, layout, own_environment());
  execute::HttpReadiness readiness(world.http);
  system::RealPorts ports(fmt::format("/tmp/orchestrate-ports-{}", ::getuid()));
  schedule::Scheduler scheduler(plan,
                                {.journal = journal, .executor = executor, .workspace = workspace, .readiness = readiness, .ports = ports, .clock = world.clock,
                                 .interrupts = interrupts, .observers = {&progress}, .make_token = token_maker()},
                                options);
  return scheduler.run();
}

int exit_status(const schedule::Outcome& outcome) {
  if (outcome.interrupted) return 130;
  return outcome.failed || outcome.skipped || outcome.cancelled ? 1 : 0;
}

int run(const RunOptions& options) {
  World world;
  const double started_s = world.clock.now_s();
  Errors errors;
  const Experiment experiment = load_experiment(world.files, options.file, errors);
  for (const std::string& warning : experiment.expansion.warnings) say(stderr, "warning: {}\n", warning);
  if (!errors.empty()) return fail(errors);

  if (options.store.empty()) return fail(invalid("--store is empty; name a folder"));
  auto store = store::Store::open(options.store, store::Mode::write);
  if (!store) return fail(store.error());
  for (const std::string& notice : store->notices()) say(stderr, "note: {}\n", notice);
  const execute::Layout layout = layout_of(experiment, store->layout().root.string());
  const plan::Plan plan = make_plan(experiment, layout, world.machine, world.files, &*store, errors);
  if (!errors.empty()) return fail(errors);
  auto journal = store->begin_run(plan, {.matrix_file = options.file, .matrix_text = experiment.matrix_text, .command = options.command, .version = k_version,
                                         .machine = world.machine.facts(), .started_at = world.clock.wall_s()});
  if (!journal) return fail(journal.error());

  const auto outcome = drive(world, plan, layout, **journal, schedule_options(options, world.machine, *store));
  const Status finished = (*journal)->finish(outcome ? stored_outcome(*outcome) : store::Outcome::error, world.clock.wall_s());
  if (!outcome) return fail(outcome.error());
  if (!finished) return fail(finished.error());
  print_summary(plan, *outcome, world.clock.now_s() - started_s);
  print_results(*store, experiment, (*journal)->run_id());
  say(stderr, "Database: {}\n", store->layout().database().string());
  return exit_status(*outcome);
}

}  // namespace

void add_run(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand("run", "Do what the plan says; running it again resumes it");
  auto options = std::make_shared<RunOptions>();
  command->add_option("MATRIX", options->file, "The matrix file")->required();
  command->add_option("--store", options->store, "The results folder")->capture_default_str();
  command->add_option("--jobs", options->jobs, "Tasks at a time (default: the processors, at most 4)")->check(CLI::Range(1, 1024));
  command->add_flag("--fail-fast", options->fail_fast, "Start nothing more after the first failure");
  command->callback([options, &exit_code] {
    options->command = own_command_line();
    // Whoever reads what we print may leave; the run goes on.
    std::signal(SIGPIPE, SIG_IGN);
    exit_code = run(*options);
  });
}

}  // namespace orch::cli
