#include "cli/bench.hpp"

#include <CLI/CLI.hpp>
#include <atomic>
#include <csignal>
#include <cstdio>

#include "base/text.hpp"
#include "cli/bench_prompts.hpp"
#include "cli/command_line.hpp"
#include "cli/version.hpp"
#include "load/bench.hpp"
#include "load/protocol.hpp"
#include "load/record_json.hpp"
#include "store/inbox.hpp"
#include "store/store.hpp"
#include "system/clock.hpp"
#include "system/files.hpp"
#include "system/machine.hpp"

namespace orch::cli {
namespace {

constexpr int k_made = 0;
constexpr int k_not_measured = 1;
constexpr int k_usage = 2;
constexpr int k_interrupted = 130;

struct Command {
  load::BenchOptions options;
  PromptFlags prompts;
  std::vector<std::int64_t> concurrency;
  std::vector<std::string> inputs;  // NAME=VALUE
  std::string out;
  std::string db;
  std::string format = "table";
};

std::atomic<bool> g_stopped = false;
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may store it");

void on_signal(int) { g_stopped.store(true, std::memory_order_relaxed); }

void catch_signals() {
  struct sigaction action {};
  action.sa_handler = on_signal;  // without SA_RESTART: what waits is woken
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

std::string protocol_help() {
  std::string text = "Wire protocol:";
  for (const load::ProtocolRow& row : load::protocol_table()) text += fmt::format(" {} ({})", row.name, row.summary);
  return text;
}

void declare(CLI::App& app, Command& command) {
  load::BenchOptions& options = command.options;
  app.add_option("--url", options.urls, "Server, http://HOST:PORT; of several, given by commas or one by one, each has its share of the load")
      ->delimiter(',')->allow_extra_args(false)->take_all()->required();
  app.add_option("--protocol", options.protocol, protocol_help())->capture_default_str();
  app.add_option("--model", options.model, "Model name")->required();
  app.add_flag("--stream,!--no-stream", options.stream, "Ask for the answer as a stream of events (default) or in one body");
  app.add_option("--concurrency", command.concurrency, "Requests under way at a time; N,N,... are measured one after another")->delimiter(',')->required();
  app.add_option("--requests", options.requests, "Measured requests per load")->required();
  app.add_option("--warmup", options.warmup, "Requests before the window, with prompts of their own")->capture_default_str();
  add_prompt_options(app, command.prompts);
  app.add_flag("--eos", options.eos, "Let the model's end token end an answer before --osl");
  app.add_option("--tokens-per-event", options.tokens_per_event, "Tokens that one event of a stream carries; 0: it differs, and answers count as long as was asked")->capture_default_str();
  app.add_option("--metrics-url", options.metrics_urls, "Prometheus page of the server, one for each server, read before and after each window")
      ->delimiter(',')->allow_extra_args(false)->take_all();
  app.add_option("--metrics-interval-s", options.metrics_interval_s, "Time between two looks at the gauges of that page while a window lasts; 0: none")->capture_default_str();
  app.add_option("--timeout-s", options.timeout_s, "Longest time for one request; it fails after that, and counts in error_rate")->capture_default_str();
  app.add_option("--wake-lag-ms-limit", options.limits.wake_lag_ms, "A p99 wake-up lag of the client above this, and above 5 % of the mean TTFT, makes the record invalid")->capture_default_str();
  app.add_option("--client-cpu-limit", options.limits.client_cpu_share, "So does a client thread that works for more than this share")->capture_default_str();
  app.add_option("--input", command.inputs, "Further model input NAME=VALUE; VALUE may be JSON")->allow_extra_args(false)->take_all();
  app.add_option("--out", command.out, "Folder for measurement.json and requests.jsonl");
  app.add_option("--db", command.db, "Results folder that gets the records as well, each load as a point of the experiment 'bench'");
  app.add_option("--format", command.format, "What goes to stdout")->check(CLI::IsMember({"table", "json"}))->capture_default_str();
}

Status split_inputs(Command& command) {
  for (const std::string& input : command.inputs) {
    const std::size_t equals = input.find('=');
    if (equals == 0 || equals == std::string::npos) return invalid(fmt::format("--input {} is not NAME=VALUE", input));
    command.options.inputs.emplace_back(input.substr(0, equals), input.substr(equals + 1));
  }
  return {};
}

// Sets what the run takes from its prompts, too.
Result<load::PromptSet> find_prompts(Command& command, const load::Progress& progress) {
  load::BenchOptions& options = command.options;
  ORCH_ASSIGN(load::PromptOptions prompts, prompt_options(command.prompts));
  const auto loads = static_cast<std::int64_t>(options.loads.size());
  prompts.seed = options.seed;
  prompts.warmup = options.warmup * loads * options.batch;
  prompts.measured = options.requests * loads * options.batch;
  options.prompts_name = prompts.file.empty() ? "the set that --isl made" : prompts.file;
  options.block = prompts.block;
  ORCH_ASSIGN(load::PromptSet set, load::find_prompts(prompts, g_stopped, progress));
  options.osl = prompts.osl ? std::llround(prompts.osl->mean) : 0;
  for (const load::Prompt& prompt : set.measured)
    if (!prompts.osl) options.osl = std::max(options.osl, prompt.osl.value_or(0));
  for (const std::string& notice : set.notices) progress(notice);
  return set;
}

std::string cell(double value) { return value != 0 && std::abs(value) < 0.1 ? fmt::format("{:.4f}", value) : fmt::format("{:.3f}", value); }

void print_table(const load::Measurement& measurement) {
  std::vector<std::string> header{"metric", "unit"};
  for (const measure::StatisticField& field : measure::k_statistic_fields) header.emplace_back(field.name);
  TextTable table(std::move(header));
  for (const measure::Metric& metric : measurement.metrics) {
    std::vector<std::string> row{std::string(metric.row->name), std::string(metric.row->unit)};
    const auto* all = std::get_if<measure::Statistics>(&metric.value);
    if (all == nullptr) row.push_back(cell(std::get<double>(metric.value)));
    else
      for (const measure::StatisticField& field : measure::k_statistic_fields)
        row.push_back(cell(all->*field.value) + (field.per_mille > 0 && all->n < measure::records_needed(field.per_mille) ? "*" : ""));
    table.add(std::move(row));
  }
  fmt::print("concurrency {}: {}, {} requests in {:.3f} s\n{}", measurement.load.concurrency, measurement.verdict.valid ? "valid" : "NOT VALID",
             std::count_if(measurement.records.begin(), measurement.records.end(), [](const auto& r) { return !r.warmup; }),
             measurement.duration_s, table.text());
  for (const std::string& reason : measurement.verdict.reasons) fmt::print("not valid: {}\n", reason);
  for (const std::string& warning : measurement.verdict.warnings) fmt::print("warning: {}\n", warning);
  if (!measurement.unsupported.empty()) fmt::print("*: too few records for this percentile\n");
}

Status write_files(const Command& command, std::span<const load::Measurement> measurements) {
  if (command.out.empty()) return {};
  system::RealFiles files;
  ORCH_TRY(files.make_folder(command.out));
  ORCH_TRY(files.write(command.out + "/requests.jsonl", load::requests_jsonl(measurements)));
  return files.write(command.out + "/measurement.json", load::measurement_json(command.options, measurements));
}

matrix::Value text_value(const std::string& text) { return {matrix::Type::text, text}; }
matrix::Value number_value(std::int64_t number) { return {matrix::Type::integer, std::to_string(number)}; }

// "llama_c8_osl128": what a person would call the load, in the letters of a point's name.
std::string point_name(const load::BenchOptions& options, std::int64_t concurrency) {
  std::string name = fmt::format("{}_c{}_osl{}", options.model, concurrency, options.osl);
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '.' && c != '-') c = '_';
  return name;
}

store::Publication publication_of(const Command& command, std::span<const load::Measurement> measurements) {
  store::Publication publication{.token = {}, .experiment = "bench", .info = {}, .points = {}};
  publication.info.command = own_command_line();
  publication.info.version = k_version;
  publication.info.machine = system::detect_machine().facts();
  publication.info.started_at = system::RealClock().wall_s();
  for (const load::Measurement& measurement : measurements) {
    const std::span<const load::Measurement> one(&measurement, 1);
    publication.points.push_back({.name = point_name(command.options, measurement.load.concurrency),
                                  .parameters = {{"model", text_value(command.options.model)},
                                                 {"protocol", text_value(command.options.protocol)},
                                                 {"url", text_value(join(command.options.urls, " "))},
                                                 {"concurrency", number_value(measurement.load.concurrency)},
                                                 {"osl", number_value(command.options.osl)}},
                                  .measurement = load::measurement_json(command.options, one),
                                  .requests = load::requests_jsonl(one)});
  }
  return publication;
}

// Into the inbox, and from there into the database unless somebody else writes to it now.
Status publish(const Command& command, std::span<const load::Measurement> measurements) {
  if (command.db.empty()) return {};
  ORCH_ASSIGN(const std::string uid, store::publish({std::filesystem::absolute(command.db)}, publication_of(command, measurements)));
  auto opened = store::Store::open(command.db, store::Mode::write);
  if (!opened && opened.error().kind == ErrorKind::conflict) {
    fmt::print(stderr, "{} is in use: the records wait in its inbox ({}) for the next run that begins there\n", command.db, uid);
    return {};
  }
  if (!opened) return opened.error().within(fmt::format("the records are in {}/inbox/{}", command.db, uid));
  ORCH_TRY(opened->ingest());
  for (const std::string& notice : opened->notices()) fmt::print(stderr, "note: {}\n", notice);
  return {};
}

int fail(const Error& error) {
  fmt::print(stderr, "orchestrate bench: {}\n", error.text());
  return error.kind == ErrorKind::interrupted ? k_interrupted : error.kind == ErrorKind::invalid ? k_usage : k_not_measured;
}

int execute(Command& command) {
  g_stopped = false;
  if (const Status inputs = split_inputs(command); !inputs.ok()) return fail(inputs.error());
  for (const std::int64_t concurrency : command.concurrency) command.options.loads.push_back({.kind = load::Load::Kind::closed, .concurrency = concurrency});
  catch_signals();
  const auto progress = [](std::string_view line) { fmt::print(stderr, "{}\n", line); };
  const Result<load::PromptSet> prompts = find_prompts(command, progress);
  if (!prompts.ok()) return fail(prompts.error());
  const auto measurements = load::run_bench(command.options, *prompts, g_stopped, progress);
  if (g_stopped) return k_interrupted;
  if (!measurements.ok()) return fail(measurements.error());
  if (const Status written = write_files(command, *measurements); !written.ok()) return fail(written.error());
  if (const Status published = publish(command, *measurements); !published.ok()) return fail(published.error());
  if (command.format == "json") fmt::print("{}", load::measurement_json(command.options, *measurements));
  else
    for (const load::Measurement& measurement : *measurements) print_table(measurement);
  return k_made;
}

}  // namespace

void add_bench(CLI::App& app, int& exit_code) {
  CLI::App* sub = app.add_subcommand("bench", "Measure an endpoint under load");
  const auto command = std::make_shared<Command>();  // shared: lives as long as the subcommand that fills it
  declare(*sub, *command);
  sub->callback([command, &exit_code] { exit_code = execute(*command); });
}

}  // namespace orch::cli
