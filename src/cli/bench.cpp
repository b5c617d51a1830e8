#include "cli/bench.hpp"

#include <CLI/CLI.hpp>
#include <unistd.h>

#include <atomic>
#include <cmath>
#include <csignal>
#include <cstdio>

#include "base/text.hpp"
#include "cli/bench_options.hpp"
#include "cli/bench_output.hpp"
#include "cli/say.hpp"
#include "cli/terminal.hpp"
#include "execute/executor.hpp"
#include "load/bench_check.hpp"
#include "record/record_json.hpp"
#include "wire/clock.hpp"

namespace orch::cli {
namespace {

constexpr int k_made = 0;
constexpr int k_not_measured = 1;
constexpr int k_usage = 2;
constexpr int k_not_valid = execute::k_not_valid_status;
constexpr int k_interrupted = 130;

std::atomic<bool> g_stopped = false;
std::atomic<std::int64_t> g_stopped_ns = 0;  // by the first signal; 0: none came
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may store it");

// To stderr, which may be closed.
void tell(std::string_view line) {
  std::fwrite(line.data(), 1, line.size(), stderr);
  std::fputc('\n', stderr);
}

// How far a load is, in a line that is redrawn; "" takes it away. Shorter than the terminal is
// wide, or it could not be.
void stand(std::string_view text) {
  say(stderr, "\r\x1b[K{}", text.substr(0, terminal_columns() - 1));
}

load::Progress progress() {
  return {
      .line = tell,
      .status = ::isatty(STDERR_FILENO) ? std::function<void(std::string_view)>(stand) : nullptr};
}

// A second one ends the process as it stands, but not at once: `timeout` sends one to the process
// and one to its group.
void on_signal(int number) {
  constexpr std::int64_t k_same_ns = 500'000'000;
  const std::int64_t now_ns = wire::monotonic_ns();
  std::int64_t first = 0;  // as it was, and as another handler may have interrupted this one here
  const bool is_first = g_stopped_ns.compare_exchange_strong(first, now_ns);
  g_stopped.store(true, std::memory_order_relaxed);
  if (is_first || now_ns - first < k_same_ns) return;
  std::signal(number, SIG_DFL);
  std::raise(number);
}

void catch_signals() {
  struct sigaction action {};
  action.sa_handler = on_signal;  // without SA_RESTART: what waits is woken
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  struct sigaction before {};
  sigaction(SIGHUP, nullptr, &before);
  if (before.sa_handler != SIG_IGN)
    sigaction(SIGHUP, &action,
              nullptr);  // a terminal that went away, unless nohup is to outlive it
  std::signal(SIGPIPE,
              SIG_IGN);  // whoever read stdout may have had enough; files and the database have not
}

std::string whole_path(const std::string& path) {
  return path.empty() ? "" : std::filesystem::absolute(path).lexically_normal().string();
}

// Sets what the run takes from its prompts, too.
Result<prompt::PromptSet> find_prompts(BenchCommand& command) {
  load::BenchOptions& options = command.options;
  ORCH_ASSIGN(prompt::PromptOptions prompts, prompt_options(command.prompts));
  const auto loads = static_cast<std::int64_t>(options.loads.size());
  prompts.seed = options.seed;
  prompts.helper.withheld = command.token_env;
  options.send_ids = prompts.ids;
  const auto host = std::make_shared<system::RealHost>();  // shared with count_texts
  if (!prompts.tokenizer.empty())
    options.count_texts = [prompts, host](std::span<const std::string_view> texts) {
      return prompt::count_texts(prompts, texts, {.host = host->host(), .stopped = g_stopped});
    };
  prompts.ids = prompts.ids ||
                options.model == "tensorrt_llm";  // prompts are found before the server is asked
  prompts.special_tokens = options.protocol != "openai-chat";
  prompts.warmup = options.warmup * loads * options.batch;
  prompts.measured = options.requests * loads * options.batch;
  options.prompts_name = prompts.file.empty() ? "the set that --isl made" : prompts.file;
  options.prompts = {.file = whole_path(prompts.file),
                     .tokenizer = whole_path(prompts.tokenizer),
                     .shared_prefix = prompts.shared_prefix};
  options.block = prompts.block;
  ORCH_ASSIGN(prompt::PromptSet set,
              prompt::find_prompts(prompts,
                                   {.host = host->host(), .stopped = g_stopped, .progress = tell}));
  options.osl = prompts.osl ? std::llround(prompts.osl->mean) : 0;
  for (const prompt::Prompt& prompt : set.measured)
    if (!prompts.osl) options.osl = std::max(options.osl, prompt.osl.value_or(0));
  for (const std::string& notice : set.notices) tell(notice);
  return set;
}

int fail(const Error& error) {
  tell(fmt::format("orchestrate bench: {}", error.text()));
  return error.kind == ErrorKind::interrupted ? k_interrupted
         : error.kind == ErrorKind::invalid   ? k_usage
                                              : k_not_measured;
}

// Files, table and records of the measurements, each as soon as it can be made: whatever happens
// later finds them there.
class Outcome {
 public:
  Outcome(const BenchCommand& command, const prompt::PromptSet& prompts)
      : command_(command), prompts_(prompts) {}

  void add(record::Measurement measurement) {
    measurements_.push_back(std::move(measurement));
    note(write_record(command_, measurements_));
    if (command_.format == "table") print(bench_table(measurements_.back()));
    if (command_.format == "csv") print_csv(measurements_.back());
  }

  bool all_valid() const {
    return std::all_of(measurements_.begin(), measurements_.end(),
                       [](const auto& one) { return one.verdict.valid; });
  }

  // False: something could not be kept, as was said.
  bool finish() {
    if (!measurements_.empty()) {
      note(write_export(command_, prompts_.measured, measurements_));
      note(publish_record(command_, measurements_));
      if (command_.format == "table" && measurements_.size() > 1)
        print("\n" + bench_summary(measurements_));
      if (command_.format == "json")
        print(record::measurement_json(command_.options, measurements_));
    }
    // Whoever looks for a reason looks at the end.
    if (!failed_.empty() && command_.format == "json") tell(failed_);
    return failed_.empty();
  }

 private:
  // What a CSV has no place for.
  void print_csv(const record::Measurement& one) {
    for (const std::string& reason : one.verdict.reasons)
      tell(fmt::format("{}: not valid: {}", one.load.text(), printable(reason)));
    for (const std::string& warning : one.verdict.warnings)
      tell(fmt::format("{}: warning: {}", one.load.text(), printable(warning)));
    print(bench_csv(one, measurements_.size() == 1));
  }

  void print(const std::string& text) {
    if (deaf_) return;
    const bool written =
        std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
    if (written) return;
    deaf_ = true;
    if (errno != EPIPE) note(io_error("write to", "standard output", errno));
  }

  void note(const Status& status) {
    if (status.ok()) return;
    const std::string what = fmt::format("orchestrate bench: {}", status.error().text());
    tell(what);
    if (failed_.empty()) failed_ = what;
  }

  const BenchCommand& command_;
  const prompt::PromptSet& prompts_;
  std::vector<record::Measurement> measurements_;
  std::string failed_;  // what could not be kept first, and why
  bool deaf_ = false;   // nobody reads stdout any more
};

int execute(BenchCommand& command) {
  g_stopped = false;
  g_stopped_ns = 0;
  if (const Status options = make_options(command); !options.ok()) return fail(options.error());
  if (const Status checked = load::check_before_prompts(command.options); !checked.ok())
    return fail(checked.error());
  if (const Status places = check_places(command); !places.ok()) return fail(places.error());
  catch_signals();
  const Result<prompt::PromptSet> prompts = find_prompts(command);
  if (!prompts.ok()) return fail(prompts.error());
  Outcome outcome(command, *prompts);
  const Status ended =
      load::run_bench(command.options, *prompts, g_stopped, progress(),
                      [&](record::Measurement one) { outcome.add(std::move(one)); });
  const bool kept = outcome.finish();
  if (!ended.ok()) return fail(ended.error());
  if (!kept) return k_not_measured;
  return outcome.all_valid() ? k_made : k_not_valid;
}

}  // namespace

void add_bench(CLI::App& app, int& exit_code) {
  CLI::App* sub = app.add_subcommand("bench", "Measure an endpoint under load");
  const auto command =
      std::make_shared<BenchCommand>();  // shared: lives as long as the subcommand that fills it
  declare_bench(*sub, *command);
  sub->callback([command, &exit_code] { exit_code = execute(*command); });
}

}  // namespace orch::cli
