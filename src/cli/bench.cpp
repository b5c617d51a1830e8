#include "cli/bench.hpp"

#include <CLI/CLI.hpp>
#include <atomic>
#include <csignal>
#include <cstdio>

#include "cli/bench_options.hpp"
#include "cli/bench_output.hpp"
#include "load/record_json.hpp"
#include "system/files.hpp"

namespace orch::cli {
namespace {

constexpr int k_made = 0;
constexpr int k_not_measured = 1;
constexpr int k_usage = 2;
constexpr int k_interrupted = 130;

std::atomic<bool> g_stopped = false;
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may store it");

void on_signal(int) { g_stopped.store(true, std::memory_order_relaxed); }

void catch_signals() {
  struct sigaction action {};
  action.sa_handler = on_signal;  // without SA_RESTART: what waits is woken
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

Result<load::PromptSet> read_prompts(const BenchCommand& command) {
  ORCH_ASSIGN(const std::string text, system::RealFiles().read(command.prompts));
  return load::parse_prompts(text, command.prompts, command.options.block);
}

int fail(const Error& error) {
  fmt::print(stderr, "orchestrate bench: {}\n", error.text());
  return error.kind == ErrorKind::interrupted ? k_interrupted : error.kind == ErrorKind::invalid ? k_usage : k_not_measured;
}

int execute(BenchCommand& command) {
  g_stopped = false;
  if (const Status options = make_options(command); !options.ok()) return fail(options.error());
  const Result<load::PromptSet> prompts = read_prompts(command);
  if (!prompts.ok()) return fail(prompts.error());
  catch_signals();
  const auto progress = [](std::string_view line) { fmt::print(stderr, "{}\n", line); };
  const auto measurements = load::run_bench(command.options, *prompts, g_stopped, progress);
  if (g_stopped) return k_interrupted;
  if (!measurements.ok()) return fail(measurements.error());
  if (const Status written = write_record(command, *measurements); !written.ok()) return fail(written.error());
  if (const Status published = publish_record(command, *measurements); !published.ok()) return fail(published.error());
  if (command.format == "json") fmt::print("{}", load::measurement_json(command.options, *measurements));
  else if (command.format == "csv") fmt::print("{}", bench_csv(*measurements));
  else
    for (const load::Measurement& measurement : *measurements) fmt::print("{}", bench_table(measurement));
  return k_made;
}

}  // namespace

void add_bench(CLI::App& app, int& exit_code) {
  CLI::App* sub = app.add_subcommand("bench", "Measure an endpoint under load");
  const auto command = std::make_shared<BenchCommand>();  // shared: lives as long as the subcommand that fills it
  declare_bench(*sub, *command);
  sub->callback([command, &exit_code] { exit_code = execute(*command); });
}

}  // namespace orch::cli
