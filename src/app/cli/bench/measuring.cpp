#include "app/cli/bench/measuring.hpp"

#include "app/cli/bench/bench_output.hpp"
#include "app/cli/real_world.hpp"
#include "app/cli/say.hpp"
#include "bench/load/bench.hpp"
#include "bench/wire/exchange.hpp"
#include "core/base/digest.hpp"
#include "core/base/text.hpp"
#include "os/system/process.hpp"
#include "run/execute/executor.hpp"

#include <atomic>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>

#include <unistd.h>

namespace orch::cli {

namespace {

static_assert(status_of(Exit::not_valid) == execute::k_not_valid_status);

std::atomic<bool> g_stopped = false;
std::atomic<std::int64_t> g_stopped_ns = 0;  // the time of the first signal; 0: no signal
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may store it");

// Writes to stderr, which may be closed.
void print_line(std::string_view line) { say(stderr, "{}\n", line); }

// Redraws the progress line of a load; "" erases it. The line is kept narrower than the terminal,
// because a line of full width could not be redrawn.
void redraw(std::string_view text) {
  draw(stderr, "\r\x1b[K" + printable(text.substr(0, terminal_columns() - 1)));
}

// The progress on stderr. If an orchestrator names a file for the status of its measurement, the
// progress is also written there, without the name of the load.
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

// The second signal ends the process, unless it follows the first immediately: `timeout` signals
// both the process and its group.
void on_signal(int number) {
  constexpr std::int64_t k_same_ns = 500'000'000;
  const std::int64_t now_ns = wire::monotonic_ns();
  std::int64_t first = 0;  // exchanged atomically, because another handler may interrupt this one
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
  // SIGHUP: the terminal is gone. Under nohup the signal is ignored, and the measurement continues.
  if (before.sa_handler != SIG_IGN) sigaction(SIGHUP, &action, nullptr);
  // If stdout is closed, the files and the database must still be written.
  std::signal(SIGPIPE, SIG_IGN);
}

std::string absolute_path(const std::string& path) {
  return path.empty() ? "" : std::filesystem::absolute(path).lexically_normal().string();
}

// Prepares the prompts, and sets the options that follow from them.
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
  // Prompts are prepared before the server can be asked for its inputs; this model takes ids.
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

Exit fail(const Measuring& how, const Error& error) {
  const std::string text = error.text();
  print_line(fmt::format("orchestrate {}: {}", how.name,
                         how.in_its_words ? how.in_its_words(text) : text));
  if (error.kind == ErrorKind::interrupted) return Exit::interrupted;
  return error.kind == ErrorKind::invalid ? Exit::refused : Exit::failed;
}

// A spool for the answers beside the files that will have them; null if neither answers nor values
// are kept.
Result<std::unique_ptr<record::AnswerSpool>> open_spool(const BenchCommand& command,
                                                        system::Files& files) {
  if (!command.options.keep_answers && !command.options.keep_values)
    return std::unique_ptr<record::AnswerSpool>();
  std::string folder = command.out.empty() ? command.db : command.out;
  if (folder.empty()) {
    ORCH_ASSIGN(folder, system::temporary_folder());
  }
  ORCH_TRY(files.make_folder(folder));
  return record::AnswerSpool::open(
      files, folder, [secrets = command.secrets](std::string& text, std::span<std::size_t> ends) {
        wire::black_out({.secrets = secrets->in_strings}, text, ends);
      });
}

// Completes and checks the options.
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
    one.reuse_prompts = true;  // because the next load sends them again
  }
  return {};
}

constexpr std::size_t k_digest_characters = 6;

class Parameters {
 public:
  void text(const std::string& name, const std::string& value) {
    if (!value.empty()) all_.emplace(name, matrix::Value{matrix::Type::text, value});
  }
  void integer(const std::string& name, std::int64_t value) {
    all_.emplace(name, matrix::Value{matrix::Type::integer, std::to_string(value)});
  }
  void real(const std::string& name, double value) {
    all_.emplace(name, matrix::Value{matrix::Type::real, fmt::format("{:.17g}", value)});
  }
  // Sets a length from TYPED, a number or MEAN:SD ("512:64").
  void length(const std::string& name, const std::string& typed) {
    if (const auto number = to_integer(typed)) integer(name, *number);
    else text(name, typed);
  }

  std::map<std::string, matrix::Value> take() { return std::move(all_); }

 private:
  std::map<std::string, matrix::Value> all_;
};

void add_load(const record::Load& load, Parameters& to) {
  if (load.kind == record::Load::Kind::closed) return to.integer("concurrency", load.concurrency);
  if (load.kind == record::Load::Kind::max) return to.integer("max_in_flight", load.concurrency);
  to.text("arrival", std::string(record::name_of(load.arrival)));
  if (load.arrival != record::Arrival::trace) to.real("request_rate", load.request_rate);
  if (load.arrival == record::Arrival::gamma) to.real("burstiness", load.burstiness);
  if (load.concurrency > 0) to.integer("max_in_flight", load.concurrency);
}

void add_sampling(const protocol::Sampling& sampling, Parameters& to) {
  if (sampling.temperature) to.real("temperature", *sampling.temperature);
  if (sampling.top_k) to.integer("top_k", *sampling.top_k);
  if (sampling.top_p) to.real("top_p", *sampling.top_p);
  if (sampling.repetition_penalty) to.real("repetition_penalty", *sampling.repetition_penalty);
  if (sampling.seed) to.text("random_seed", std::to_string(*sampling.seed));
  if (sampling.beam_width) to.integer("beam_width", *sampling.beam_width);
  if (sampling.lora_task_id) to.text("lora_task_id", std::to_string(*sampling.lora_task_id));
  to.text("lora_weights_sha256", sampling.lora_weights_sha256);
  to.text("stop_words", join(sampling.stop_words, " "));
  to.text("bad_words", join(sampling.bad_words, " "));
  std::vector<std::string> returned;
  if (sampling.log_probs) returned.emplace_back("log_probs");
  if (sampling.context_logits) returned.emplace_back("context_logits");
  if (sampling.generation_logits) returned.emplace_back("generation_logits");
  to.text("returned", join(returned, " "));
}

void add_requests(const BenchCommand& command, Parameters& to) {
  const load::BenchOptions& options = command.options;
  to.length("isl", command.prompts.isl);
  if (!command.prompts.options.file.empty())
    to.text("prompts",
            std::filesystem::absolute(command.prompts.options.file).lexically_normal().string());
  if (command.prompts.options.shared_prefix > 0)
    to.real("shared_prefix", command.prompts.options.shared_prefix);
  if (command.prompts.osl.empty()) to.integer("osl", options.osl);
  else to.length("osl", command.prompts.osl);
  if (options.batch > 1) to.integer("batch", options.batch);
  if (options.eos) to.text("eos", "true");
  if (options.send_ids) to.text("ids", "true");
  if (options.tokens_per_event != 1) to.integer("tokens_per_event", options.tokens_per_event);
  if (options.stop_after_ms > 0) to.real("stop_after_ms", options.stop_after_ms);
  if (options.stop_by_request) to.text("stop_by", "request");
  add_sampling(options.sampling, to);
  std::vector<std::string> inputs;
  for (const auto& [name, value] : options.inputs) inputs.push_back(name + "=" + value);
  to.text("inputs", join(inputs, " "));
}

std::string name_of(const BenchCommand& command, const record::Load& load) {
  const std::string of =
      load.kind == record::Load::Kind::closed ? fmt::format("c{}", load.concurrency)
      : load.kind == record::Load::Kind::max  ? fmt::format("max{}", load.concurrency)
      : load.arrival == record::Arrival::trace
          ? "trace"
          : fmt::format("{:g}rps-{}", load.request_rate, record::name_of(load.arrival));
  std::string name = fmt::format(
      "{}_{}{}_osl{}", command.options.model, of,
      command.prompts.isl.empty() ? "" : "_isl" + command.prompts.isl,
      command.prompts.osl.empty() ? std::to_string(command.options.osl) : command.prompts.osl);
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '.' && c != '-') c = '_';
  return name;
}

struct Wording {
  std::string_view bench, matrix;
};

// Options whose keys differ from their names by more than dashes, and phrases with options. Longer
// texts come before their prefixes.
constexpr Wording k_words[] = {
    {"check --url, --protocol, --model and the options of the request, or leave this request out "
     "with --no-first-request",
     "check the server, bench_protocol, bench_model and the parameters of the request"},
    {"give a token with --token-file or --token-env",
     "name the variable with its bearer token under service (token_env: NAME)"},
    {"the token of --token-file or --token-env is not accepted; give another one",
     "it does not accept the token of the variable that token_env names; export the right one"},
    {"give --eos", "set eos: true"},
    {"with --input ", "with inputs: "},
    {"use --protocol openai-chat or openai-completions",
     "use a runner of the OpenAI protocol, such as openai-server"},
    {"use --protocol ", "use bench_protocol: "},
    {"--prompts FILE", "measure: {prompts: NAME}"},
    {"--tokenizer DIR", "the model of the matrix"},
    {"--tokens-per-event N", "tokens_per_event: N"},
    {"--requests", "num_prompts"},
    {"--stop-word", "stop_words"},
    {"--bad-word", "bad_words"},
    {"--input", "inputs"},
    {"--ids", "prompt_ids"},
    {"--url", "service: url"},
    {"--protocol", "bench_protocol"},
    {"--model", "bench_model"},
    {"--metrics-url", "metrics_path"},
    {"--token-env", "service: token_env"},
    {"--header", "service: headers"},
    {"--prompts", "measure: prompts"},
    {"--tokenizer", "the tokenizer of the model"},
    {"--warmup", "measure: warmup"},
    {"--seed", "measure: seed"},
    {"--wake-lag-ms-limit", "measure: limits: wake_lag_ms"},
    {"--send-lag-ms-limit", "measure: limits: send_lag_ms"},
    {"--client-cpu-limit", "measure: limits: client_cpu_share"},
};

bool is_in_option(char c) { return is_letter_or_digit(c) || c == '-'; }

// The option that begins at AT in TEXT: "--stop-after-ms".
std::string_view option_at(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && is_in_option(text[end])) ++end;
  while (text[end - 1] == '-') --end;
  return text.substr(at, end - at);
}

}  // namespace

void Outcome::add(record::Measurement measurement) {
  if (is_stage_of_run())
    for (auto* texts : {&measurement.verdict.reasons, &measurement.verdict.warnings})
      for (std::string& text : *texts) text = in_words_of_matrix(text);
  measurements_.push_back(std::move(measurement));
  added();
}

bool Outcome::finish() {
  if (!measurements_.empty()) completed();
  return first_failure_.empty();
}

bool Outcome::all_valid() const {
  return std::ranges::all_of(measurements_, [](const auto& one) { return one.verdict.valid; });
}

void Outcome::print(const std::string& text) {
  if (stdout_closed_) return;
  const std::string shown = safe_for(stdout, text);
  const bool written = std::fwrite(shown.data(), 1, shown.size(), stdout) == shown.size() &&
                       std::fflush(stdout) == 0;
  if (written) return;
  stdout_closed_ = true;
  if (errno != EPIPE) note_failure(io_error("write to", "standard output", errno));
}

void Outcome::print_verdict(const record::Measurement& one) {
  for (const std::string& reason : one.verdict.reasons)
    say(stderr, "{}: not valid: {}\n", one.load.text(), reason);
  for (const std::string& warning : one.verdict.warnings)
    say(stderr, "{}: warning: {}\n", one.load.text(), warning);
}

void Outcome::note_failure(const Status& status) {
  if (status.ok()) return;
  const std::string message = fmt::format("orchestrate {}: {}", command_, status.error().text());
  say(stderr, "{}\n", message);
  if (first_failure_.empty()) first_failure_ = message;
}

Exit measure(BenchCommand& command, const Measuring& how) {
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
  // The folder was created for the answers. It is removed if it is empty.
  if (makes_folder) static_cast<void>(::rmdir(command.out.c_str()));
  if (!ended.ok()) return fail(how, ended.error());
  if (!written) return Exit::failed;
  return outcome->all_valid() ? Exit::done : Exit::not_valid;
}

BenchPoint bench_point(const BenchCommand& command, const record::Load& load) {
  const load::BenchOptions& options = command.options;
  Parameters parameters;
  parameters.text("model", options.model);
  parameters.text("protocol", options.protocol);
  parameters.text("stream", options.stream ? "true" : "false");
  parameters.text("url", join(options.urls, " "));
  add_load(load, parameters);
  add_requests(command, parameters);
  BenchPoint point{.name = name_of(command, load), .parameters = parameters.take()};
  Components all;
  for (const auto& [name, value] : point.parameters) all.add(name, std::string_view(value.text));
  point.name += "-" + all.digest().prefix(k_digest_characters);
  return point;
}

bool is_stage_of_run() { return std::getenv(system::k_token_variable) != nullptr; }

std::string in_words_of_matrix(std::string_view message) {
  std::string out;
  for (std::size_t at = 0; at < message.size();) {
    const std::string_view rest = message.substr(at);
    const auto* const known = std::ranges::find_if(k_words, [&](const Wording& words) {
      if (!rest.starts_with(words.bench)) return false;
      const bool ends = rest.size() == words.bench.size() ||
                        !is_in_option(rest[words.bench.size()]) ||
                        !is_in_option(words.bench.back());
      return ends && (at == 0 || !is_in_option(message[at - 1]));
    });
    if (known != std::end(k_words)) {
      out += known->matrix;
      at += known->bench.size();
    } else if (rest.starts_with("--") && rest.size() > 2 && is_letter(rest[2]) &&
               (at == 0 || !is_in_option(message[at - 1]))) {
      const std::string_view option = option_at(message, at);
      std::string key(option.substr(2));
      std::replace(key.begin(), key.end(), '-', '_');
      out += key;
      at += option.size();
    } else {
      out += message[at++];
    }
  }
  return out;
}

}  // namespace orch::cli
