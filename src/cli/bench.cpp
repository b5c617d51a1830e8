#include "base/text.hpp"
#include "cli/bench/bench_options.hpp"
#include "cli/bench/bench_output.hpp"
#include "cli/bench/record_files.hpp"
#include "cli/commands.hpp"
#include "cli/real_world.hpp"
#include "cli/say.hpp"
#include "cli/terminal.hpp"
#include "execute/executor.hpp"
#include "load/bench_check.hpp"
#include "wire/clock.hpp"

#include <CLI/CLI.hpp>
#include <unistd.h>

#include <atomic>
#include <cmath>
#include <csignal>
#include <cstdio>

namespace orch::cli {
namespace {

constexpr int k_success = 0;
constexpr int k_not_measured = 1;
constexpr int k_usage = 2;
constexpr int k_not_valid = execute::k_not_valid_status;
constexpr int k_interrupted = 130;

std::atomic<bool> g_stopped = false;
std::atomic<std::int64_t> g_stopped_ns = 0;  // time of the first signal; 0 before it
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may store it");

// Writes to stderr, which may be closed.
void print_line(std::string_view line) { say(stderr, "{}\n", line); }

// Redraws the progress line of a load; "" erases it. The line is kept narrower than the terminal,
// because a full line could not be redrawn.
void redraw(std::string_view text) {
  draw(stderr, "\r\x1b[K" + printable(text.substr(0, terminal_columns() - 1)));
}

// Where an orchestrator asks for the status of its measurement: the status goes there as well,
// without the name of the load.
load::Progress progress(system::Files& files) {
  const bool terminal = ::isatty(STDERR_FILENO) == 1;
  const char* wanted = std::getenv(execute::k_progress_variable);
  const std::string file = wanted ? wanted : "";
  load::Progress progress{.line = print_line, .status = nullptr};
  if (!terminal && file.empty()) return progress;
  progress.status = [terminal, file, &files](std::string_view text) {
    if (terminal) redraw(text);
    if (file.empty()) return;
    const std::size_t label = text.find(": ");
    if (label != std::string_view::npos && !text.starts_with("first request"))
      text.remove_prefix(label + 2);
    (void)files.replace(file, fmt::format("{}\n", text)).ok();
  };
  return progress;
}

// The second signal ends the process, unless it follows the first at once: `timeout` signals both
// the process and its group.
void on_signal(int number) {
  constexpr std::int64_t k_same_ns = 500'000'000;
  const std::int64_t now_ns = wire::monotonic_ns();
  std::int64_t first = 0;  // compared atomically: another handler may interrupt this one
  const bool is_first = g_stopped_ns.compare_exchange_strong(first, now_ns);
  g_stopped.store(true, std::memory_order_relaxed);
  if (is_first || now_ns - first < k_same_ns) return;
  std::signal(number, SIG_DFL);
  std::raise(number);
}

void catch_signals() {
  struct sigaction action {};
  action.sa_handler = on_signal;  // without SA_RESTART: blocking calls return
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  struct sigaction before {};
  sigaction(SIGHUP, nullptr, &before);
  // The terminal is gone. Under nohup the measurement goes on without it.
  if (before.sa_handler != SIG_IGN) sigaction(SIGHUP, &action, nullptr);
  // A closed stdout must not prevent writing the files and the database.
  std::signal(SIGPIPE, SIG_IGN);
}

std::string absolute_path(const std::string& path) {
  return path.empty() ? "" : std::filesystem::absolute(path).lexically_normal().string();
}

// Also sets the options that follow from the prompts.
Result<prompt::PromptSet> find_prompts(BenchCommand& command) {
  load::BenchOptions& options = command.options;
  ORCH_ASSIGN(prompt::PromptOptions prompts, prompt_options(command.prompts));
  const auto loads = static_cast<std::int64_t>(options.loads.size());
  prompts.seed = options.seed;
  prompts.reuse = options.reuse_prompts && !prompts.file.empty();
  prompts.helper.withheld = command.token_env;
  options.send_ids = prompts.ids;
  const auto host = std::make_shared<system::RealHost>();  // shared with count_texts
  if (!prompts.tokenizer.empty())
    options.count_texts = [prompts, host](std::span<const std::string_view> texts) {
      return prompt::count_texts(prompts, texts, {.host = host->host(), .stopped = g_stopped});
    };
  // Prompts are prepared before the server is asked for its inputs; this model takes ids.
  prompts.ids = prompts.ids || options.model == "tensorrt_llm";
  prompts.special_tokens = options.protocol != "openai-chat";
  prompts.warmup = options.warmup * loads * options.batch;
  prompts.measured = options.requests * loads * options.batch;
  options.prompts_name = prompts.file.empty() ? "the synthetic prompts of --isl" : prompts.file;
  options.prompts = {.file = absolute_path(prompts.file),
                     .tokenizer = absolute_path(prompts.tokenizer),
                     .shared_prefix = prompts.shared_prefix};
  options.block = prompts.block;
  ORCH_ASSIGN(prompt::PromptSet set,
              prompt::find_prompts(
                  prompts, {.host = host->host(), .stopped = g_stopped, .progress = print_line}));
  options.osl = prompts.osl ? std::llround(prompts.osl->mean) : 0;
  for (const prompt::Prompt& prompt : set.measured)
    if (!prompts.osl) options.osl = std::max(options.osl, prompt.osl.value_or(0));
  for (const std::string& notice : set.notices) print_line(notice);
  return set;
}

int fail_bench(const Error& error) {
  print_line(fmt::format("orchestrate bench: {}", error.text()));
  return error.kind == ErrorKind::interrupted ? k_interrupted
         : error.kind == ErrorKind::invalid   ? k_usage
                                              : k_not_measured;
}

// Writes the files, tables and records of each measurement as soon as it is complete, so that a
// later failure loses none.
class Outcome {
 public:
  Outcome(const BenchCommand& command, const prompt::PromptSet& prompts)
      : command_(command), prompts_(prompts) {}

  void add(record::Measurement measurement) {
    measurements_.push_back(std::move(measurement));
    note_failure(write_record(command_, measurements_));
    if (command_.format == "table") print(bench_table(measurements_.back()));
    if (command_.format == "csv") print_csv(measurements_.back());
  }

  bool all_valid() const {
    return std::all_of(measurements_.begin(), measurements_.end(),
                       [](const auto& one) { return one.verdict.valid; });
  }

  // False when something could not be written; a message has been printed.
  bool finish() {
    if (!measurements_.empty()) {
      note_failure(write_export(command_, prompts_.measured, measurements_));
      note_failure(publish_record(command_, measurements_));
      if (command_.format == "table" && measurements_.size() > 1)
        print("\n" + bench_summary(measurements_));
      if (command_.format == "json") print(measurement_json(command_, measurements_));
    }
    // Repeated last, where a user looks for the reason.
    if (!first_failure_.empty() && command_.format == "json") print_line(first_failure_);
    return first_failure_.empty();
  }

 private:
  // Reasons and warnings go to stderr, because the CSV has no column for them.
  void print_csv(const record::Measurement& one) {
    for (const std::string& reason : one.verdict.reasons)
      print_line(fmt::format("{}: not valid: {}", one.load.text(), reason));
    for (const std::string& warning : one.verdict.warnings)
      print_line(fmt::format("{}: warning: {}", one.load.text(), warning));
    print(bench_csv(one, measurements_.size() == 1));
  }

  void print(const std::string& text) {
    if (stdout_closed_) return;
    const std::string shown = safe_for(stdout, text);
    const bool written = std::fwrite(shown.data(), 1, shown.size(), stdout) == shown.size() &&
                         std::fflush(stdout) == 0;
    if (written) return;
    stdout_closed_ = true;
    if (errno != EPIPE) note_failure(io_error("write to", "standard output", errno));
  }

  void note_failure(const Status& status) {
    if (status.ok()) return;
    const std::string message = fmt::format("orchestrate bench: {}", status.error().text());
    print_line(message);
    if (first_failure_.empty()) first_failure_ = message;
  }

  const BenchCommand& command_;
  const prompt::PromptSet& prompts_;
  std::vector<record::Measurement> measurements_;
  std::string first_failure_;  // to write something, with the reason
  bool stdout_closed_ = false;
};

// A spool beside the files that the answers will be in; null when they are not kept.
Result<std::unique_ptr<record::AnswerSpool>> open_spool(const BenchCommand& command,
                                                        system::Files& files) {
  if (!command.options.keep_answers && !command.options.keep_values)
    return std::unique_ptr<record::AnswerSpool>();
  std::string folder = command.out.empty() ? command.db : command.out;
  if (folder.empty()) folder = std::filesystem::temp_directory_path().string();
  ORCH_TRY(files.make_folder(folder));
  return record::AnswerSpool::open(
      files, folder, [secrets = command.secrets](std::string& text, std::span<std::size_t> ends) {
        wire::black_out({.secrets = secrets->in_strings}, text, ends);
      });
}

int execute(BenchCommand& command) {
  g_stopped = false;
  g_stopped_ns = 0;
  if (const Status options = make_options(command); !options.ok())
    return fail_bench(options.error());
  system::RealCpus cpus;
  if (command.cpus != k_all_cpus) command.options.host_cpus = &cpus;
  if (const Status checked = load::check_before_prompts(command.options); !checked.ok())
    return fail_bench(checked.error());
  if (const Status places = check_places(command); !places.ok()) return fail_bench(places.error());
  command.options.gpu_sources = real_gpu_sources();
  catch_signals();
  const Result<prompt::PromptSet> prompts = find_prompts(command);
  if (!prompts.ok()) return fail_bench(prompts.error());
  system::RealFiles files;
  const bool makes_folder = !command.out.empty() && !files.exists(command.out);
  const auto spool = open_spool(command, files);
  if (!spool.ok()) return fail_bench(spool.error());
  command.options.answers = spool->get();
  Outcome outcome(command, *prompts);
  const Status ended =
      load::run_bench(command.options, *prompts, g_stopped, progress(files),
                      [&](record::Measurement one) { outcome.add(std::move(one)); });
  const bool written = outcome.finish();
  // It was made for the answers, and holds no record.
  if (makes_folder) static_cast<void>(::rmdir(command.out.c_str()));
  if (!ended.ok()) return fail_bench(ended.error());
  if (!written) return k_not_measured;
  return outcome.all_valid() ? k_success : k_not_valid;
}

}  // namespace

void add_bench(CLI::App& app, int& exit_code) {
  CLI::App* sub = app.add_subcommand("bench", "Measure an endpoint under load");
  // Shared with the callback: it lives as long as the subcommand that fills it.
  const auto command = std::make_shared<BenchCommand>();
  declare_bench(*sub, *command);
  sub->callback([command, &exit_code] { exit_code = execute(*command); });
}

}  // namespace orch::cli
