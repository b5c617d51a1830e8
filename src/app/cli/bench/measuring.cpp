#include "app/cli/bench/measuring.hpp"

#include "core/base/text.hpp"
#include "app/cli/bench/bench_output.hpp"
#include "app/cli/real_world.hpp"
#include "app/cli/say.hpp"
#include "app/cli/terminal.hpp"
#include "run/execute/executor.hpp"
#include "bench/load/bench_check.hpp"
#include "bench/wire/clock.hpp"

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

int fail(const Measuring& how, const Error& error) {
  const std::string text = error.text();
  print_line(fmt::format("orchestrate {}: {}", how.name,
                         how.in_its_words ? how.in_its_words(text) : text));
  return error.kind == ErrorKind::interrupted ? k_interrupted
         : error.kind == ErrorKind::invalid   ? k_usage
                                              : k_not_measured;
}

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

// Completes the options.
Status prepare(BenchCommand& command, system::Cpus& cpus) {
  ORCH_TRY(make_options(command));
  if (command.cpus != k_all_cpus) command.options.host_cpus = &cpus;
  ORCH_TRY(load::check_before_prompts(command.options));
  return check_places(command);
}

Status run_loads(const BenchCommand& command, const prompt::PromptSet& prompts,
                 const load::Progress& progress, Outcome& outcome) {
  const load::Keep keep = [&](record::Measurement one) { outcome.add(std::move(one)); };
  if (!command.every_prompt)
    return load::run_bench(command.options, prompts, g_stopped, progress, keep);
  load::BenchOptions one = command.options;
  one.requests = std::ssize(prompts.measured);
  for (const record::Load& load : command.options.loads) {
    one.loads = {load};
    ORCH_TRY(load::run_bench(one, prompts, g_stopped, progress, keep));
    one.first_request = false;
    one.reuse_prompts = true;  // the next load sends them again
  }
  return {};
}

}  // namespace

int measure(BenchCommand& command, const Measuring& how) {
  g_stopped = false;
  g_stopped_ns = 0;
  system::RealCpus cpus;
  if (const Status ready = prepare(command, cpus); !ready.ok()) return fail(how, ready.error());
  command.options.gpu_sources = real_gpu_sources();
  catch_signals();
  const Result<prompt::PromptSet> prompts = find_prompts(command);
  if (!prompts.ok()) return fail(how, prompts.error());
  system::RealFiles files;
  const bool makes_folder = !command.out.empty() && !files.exists(command.out);
  const auto spool = open_spool(command, files);
  if (!spool.ok()) return fail(how, spool.error());
  command.options.answers = spool->get();
  const std::unique_ptr<Outcome> outcome = how.outcome(*prompts);
  const Status ended = run_loads(command, *prompts, progress(files), *outcome);
  const bool written = outcome->finish();
  // It was made for the answers, and holds no record.
  if (makes_folder) static_cast<void>(::rmdir(command.out.c_str()));
  if (!ended.ok()) return fail(how, ended.error());
  if (!written) return k_not_measured;
  return outcome->all_valid() ? k_success : k_not_valid;
}

}  // namespace orch::cli
