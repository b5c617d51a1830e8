#include "cli/bench_options.hpp"

#include <charconv>
#include <cmath>
#include <CLI/CLI.hpp>
#include <cstdlib>

#include "base/text.hpp"
#include "protocol/protocol.hpp"
#include "system/files.hpp"

namespace orch::cli {
namespace {

// Names under which --help sorts options; of the last one it prints the names alone.
constexpr const char* k_target = "Server";
constexpr const char* k_load = "Load (of each one that is named, a measurement)";
constexpr const char* k_end = "Length";
constexpr const char* k_requests = "Requests";
constexpr const char* k_results = "Results";
constexpr const char* k_rare = "Rarely needed (--help-all says what each does)";

std::string protocol_names() {
  std::vector<std::string> names;
  for (const protocol::ProtocolRow& row : protocol::protocol_table()) names.emplace_back(row.name);
  return join(names, ", ");
}

template <typename T> bool is_a(std::string_view word) {
  T value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  return error == std::errc() && end == word.data() + word.size();
}

// What an option whose type has that name takes. CLI11 would say that it "could not convert".
struct Kind {
  std::string_view type;
  bool (*fits)(std::string_view word);
  std::string_view taken;
};
constexpr Kind k_kinds[] = {
    {"N", is_a<std::int64_t>, "a whole number, such as 8"},
    {"N,..", is_a<std::int64_t>, "whole numbers, such as 1,2,4,8"},
    {"SEED", is_a<std::uint64_t>, "a whole number, at least 0"},
    {"S", is_a<double>, "seconds, such as 10 or 0.5"},
    {"MS", is_a<double>, "milliseconds, such as 250"},
    {"R,..", is_a<double>, "requests per second, such as 1,2.5,4"},
    {"SHARE", is_a<double>, "a share, such as 0.5"},
    {"X", is_a<double>, "a number, such as 0.5"},
};

void say_what_is_taken(CLI::App& app) {
  for (CLI::Option* option : app.get_options())
    for (const Kind& kind : k_kinds)
      if (kind.type == option->get_type_name())
        option->check([&kind](const std::string& word) {
          return kind.fits(word)
                     ? ""
                     : fmt::format("{} is not taken; write {}", quoted(word), kind.taken);
        });
}

CLI::Option* list(CLI::Option* option) {
  return option->delimiter(',')->allow_extra_args(false)->take_all();
}

void declare_target(CLI::App& app, BenchCommand& command) {
  load::BenchOptions& options = command.options;
  list(app.add_option("--url", options.urls, "http://HOST:PORT; several share the load"))
      ->type_name("URL,..")
      ->required()
      ->group(k_target);
  options.protocol.clear();  // what the URLs say, unless it is named
  app.add_option("--protocol", options.protocol, protocol_names())
      ->type_name("NAME")
      ->default_str("triton-http")
      ->group(k_target);
  app.add_option("-m,--model", options.model, "Model name")
      ->type_name("NAME")
      ->required()
      ->group(k_target);
  app.add_flag("--stream,!--no-stream", options.stream,
               "Answers as streams of events (default), or in one body")
      ->group(k_target);
  app.add_option("--token-file", command.token_file, "File with a bearer token")
      ->type_name("FILE")
      ->group(k_target);
  app.add_option("--token-env", command.token_env, "Environment variable with a bearer token")
      ->type_name("VAR")
      ->excludes("--token-file")
      ->group(k_target);
  app.add_option("--ca-file", options.ca_file,
                 "Certificates to trust (PEM) in place of the system's")
      ->type_name("FILE")
      ->group(k_rare);
  app.add_flag("--insecure", options.insecure, "Check no certificate; the results say so")
      ->excludes("--ca-file")
      ->group(k_rare);
}

void declare_load(CLI::App& app, BenchCommand& command) {
  list(app.add_option("-c,--concurrency", command.concurrency, "Requests kept open"))
      ->type_name("N,..")
      ->group(k_load);
  list(app.add_option("--request-rate", command.request_rate,
                      "Requests per second, whatever is open"))
      ->type_name("R,..")
      ->group(k_load);
  app.add_option("--arrival", command.arrival,
                 "Of those: constant, poisson, gamma, or trace (timestamp in ms, or timestamp_s)")
      ->type_name("NAME")
      ->capture_default_str()
      ->group(k_load);
  app.add_option("--burstiness", command.burstiness, "Of gamma: 1 is Poisson, less is burstier")
      ->type_name("X")
      ->capture_default_str()
      ->group(k_load);
  app.add_flag("--max", command.max, "As fast as it goes")->group(k_load);
  app.add_option("--max-in-flight", command.max_in_flight,
                 "Most requests open with --max (default 512) or --request-rate (no limit)")
      ->type_name("N")
      ->group(k_load);
}

void declare_length(CLI::App& app, BenchCommand& command) {
  load::BenchOptions& options = command.options;
  app.add_option("--requests", options.requests, "Measured requests per load")
      ->type_name("N")
      ->group(k_end);
  app.add_option("--duration", options.duration_s, "Seconds per load, in which requests are sent")
      ->type_name("S")
      ->group(k_end);
  app.add_option(
         "--until", command.until,
         "Stop once the mean of a latency, or a closed loop's throughput, is known to PERCENT")
      ->type_name("METRIC:PERCENT")
      ->group(k_end);
  app.add_option("--warmup", options.warmup,
                 "Requests before the window, with prompts of their own")
      ->type_name("N")
      ->capture_default_str()
      ->group(k_end);
  app.add_option("--seed", options.seed, "Of everything that is drawn")
      ->type_name("SEED")
      ->capture_default_str()
      ->group(k_end);
}

void declare_requests(CLI::App& app, BenchCommand& command) {
  load::BenchOptions& options = command.options;
  add_prompt_options(app, command.prompts, k_requests, k_rare);
  app.add_flag("--eos", options.eos, "Let the model's end token end an answer before --osl")
      ->group(k_requests);
  app.add_option("--batch", options.batch, "Prompts in one request")
      ->type_name("N")
      ->capture_default_str()
      ->group(k_requests);
  app.add_option("--input", command.inputs, "Further input of the model; VALUE may be JSON")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false)
      ->take_all()
      ->group(k_requests);
}

void declare_results(CLI::App& app, BenchCommand& command) {
  load::BenchOptions& options = command.options;
  list(app.add_option("--metrics-url", options.metrics_urls,
                      "Prometheus page of the server, read before, during and after"))
      ->type_name("URL,..")
      ->group(k_results);
  app.add_option("--goodput", options.goodput,
                 "Requests that count as good, such as \"ttft_ms < 500 AND itl_ms < 50\"")
      ->type_name("SQL")
      ->group(k_results);
  app.add_option("--format", command.format, "What goes to stdout: table, json or csv")
      ->check(CLI::IsMember({"table", "json", "csv"}).description(""))
      ->type_name("NAME")
      ->capture_default_str()
      ->group(k_results);
  app.add_option("--out", command.out,
                 "Folder for measurement.json, requests.jsonl and answers.jsonl.zst")
      ->type_name("DIR")
      ->group(k_results);
  app.add_option(
         "--db", command.db,
         "Results folder that gets the records as well, as points of the experiment 'bench'")
      ->type_name("DIR")
      ->group(k_results);
}

void declare_rare(CLI::App& app, BenchCommand& command) {
  load::BenchOptions& options = command.options;
  protocol::Sampling& sampling = options.sampling;
  app.add_option("--temperature", sampling.temperature, "Of the choice of tokens")
      ->type_name("X")
      ->group(k_rare);
  app.add_option("--top-k", sampling.top_k, "Tokens to choose among")
      ->type_name("N")
      ->group(k_rare);
  app.add_option("--top-p", sampling.top_p, "Probability to choose among")
      ->type_name("SHARE")
      ->group(k_rare);
  app.add_option("--random-seed", sampling.seed, "The model's seed")
      ->type_name("SEED")
      ->group(k_rare);
  app.add_option("--beam-width", sampling.beam_width, "Beams per request")
      ->type_name("N")
      ->group(k_rare);
  app.add_option("--lora-task-id", sampling.lora_task_id,
                 "Adapter that the server knows by this number")
      ->type_name("N")
      ->group(k_rare);
  app.add_option("--stop-word", sampling.stop_words, "Ends an answer; may be given several times")
      ->type_name("TEXT")
      ->allow_extra_args(false)
      ->take_all()
      ->group(k_rare);
  app.add_option("--bad-word", sampling.bad_words, "Never generated; may be given several times")
      ->type_name("TEXT")
      ->allow_extra_args(false)
      ->take_all()
      ->group(k_rare);
  app.add_flag("--return-log-probs", sampling.log_probs, "Ask for the tokens' log probabilities")
      ->group(k_rare);
  app.add_flag("--return-context-logits", sampling.context_logits, "Ask for the prompt's logits")
      ->group(k_rare);
  app.add_flag("--return-generation-logits", sampling.generation_logits,
               "Ask for the answer's logits")
      ->group(k_rare);
  app.add_option("--stop-after-ms", options.stop_after_ms, "End each request after that time")
      ->type_name("MS")
      ->group(k_rare);
  app.add_option("--stop-by", command.stop_by,
                 "How: close (its stream), or request (a second one with its id, for models with "
                 "an input stop: tensorrt_llm)")
      ->check(CLI::IsMember({"close", "request"}).description(""))
      ->type_name("NAME")
      ->capture_default_str()
      ->group(k_rare);
  app.add_option("--timeout-s", options.timeout_s,
                 "Longest time for one request; it fails after that, and counts in error_rate")
      ->type_name("S")
      ->capture_default_str()
      ->group(k_rare);
  app.add_option(
         "--tokens-per-event", options.tokens_per_event,
         "Tokens in one event of a stream; 0: it differs, and answers count as long as was asked")
      ->type_name("N")
      ->capture_default_str()
      ->group(k_rare);
  app.add_flag("--reuse-prompts", options.reuse_prompts,
               "Send prompts again when there are fewer than requests")
      ->group(k_rare);
  options.statistics = true;
  app.add_flag("--statistics,!--no-statistics", options.statistics,
               "Ask a Triton server what it counted of each model (default), or not")
      ->group(k_rare);
  list(app.add_option("--gpus", options.gpus,
                      "The servers' GPUs, indices or uuids; without it, those that their processes "
                      "are seen to use"))
      ->type_name("GPU,..")
      ->group(k_rare);
  app.add_flag("--no-answers", command.no_answers, "Do not keep what the model answered")
      ->group(k_rare);
  app.add_option("--export", command.exported,
                 "Files as genai-perf leaves them, in artifacts/ of --out or of the working "
                 "folder: genai-perf")
      ->check(CLI::IsMember({"genai-perf"}).description(""))
      ->type_name("NAME")
      ->group(k_rare);
  app.add_option("--metrics-interval-s", options.metrics_interval_s,
                 "Time between two looks at the gauges of --metrics-url; 0: none")
      ->type_name("S")
      ->capture_default_str()
      ->group(k_rare);
  app.add_option("--wake-lag-ms-limit", options.limits.wake_lag_ms,
                 "A p99 wake-up lag of the client above this, and above 5 % of the mean TTFT "
                 "(unstreamed: latency), makes a closed load's record invalid")
      ->type_name("MS")
      ->capture_default_str()
      ->group(k_rare);
  app.add_option("--send-lag-ms-limit", options.limits.send_lag_ms,
                 "A p99 lag behind the schedule above this, and above 10 % of the mean gap, makes "
                 "an open load's record invalid")
      ->type_name("MS")
      ->capture_default_str()
      ->group(k_rare);
  app.add_option("--client-cpu-limit", options.limits.client_cpu_share,
                 "So does a client thread that works for more than this share")
      ->type_name("SHARE")
      ->capture_default_str()
      ->group(k_rare);
}

// One screen: a line for each option that people need, the names of the others.
class OneScreen final : public CLI::Formatter {
 public:
  explicit OneScreen(bool all) : all_(all) { column_width(34); }

  std::string make_group(std::string group, bool,
                         std::vector<const CLI::Option*> options) const override {
    std::string out = group + ":\n";
    if (all_ || group != k_rare)
      for (const CLI::Option* option : options) out += make_option(option, false);
    else out += names_of(options);
    return out;
  }
  std::string make_option_opts(const CLI::Option* option) const override {
    std::string out = option->get_type_name().empty() ? "" : " " + option->get_type_name();
    if (option->get_required()) out += " (required)";
    if (!option->get_default_str().empty()) out += " [" + option->get_default_str() + "]";
    return out;
  }
  std::string make_usage(const CLI::App*, std::string) const override {
    return "orchestrate bench --url URL --model NAME --concurrency 1,8 --requests N --isl N --osl "
           "N --tokenizer DIR [options]\n\n";
  }

 private:
  static constexpr std::size_t k_width = 110;

  static std::string names_of(const std::vector<const CLI::Option*>& options) {
    std::string out, line = " ";
    for (const CLI::Option* option : options) {
      const std::string name = " " + option->get_name(false, true);
      if (line.size() + name.size() > k_width) out += std::exchange(line, " ") + "\n";
      line += name;
    }
    return out + line + "\n";
  }

  bool all_;
};

bool is_grpc(const std::string& url) {
  return url.starts_with("grpc://") || url.starts_with("grpcs://");
}

Status read_protocol(BenchCommand& command) {
  std::string& protocol = command.options.protocol;
  const auto grpc = std::find_if(command.options.urls.begin(), command.options.urls.end(), is_grpc);
  const bool any = grpc != command.options.urls.end();
  if (protocol.empty()) protocol = any ? "triton-grpc" : "triton-http";
  if (any && protocol != "triton-grpc")
    return invalid(fmt::format(
        "{} is a URL of gRPC, which {} does not speak; use http://, or --protocol triton-grpc",
        *grpc, protocol));
  return {};
}

Status read_loads(BenchCommand& command) {
  std::vector<record::Load>& loads = command.options.loads;
  for (const std::int64_t concurrency : command.concurrency)
    loads.push_back({.kind = record::Load::Kind::closed, .concurrency = concurrency});
  ORCH_ASSIGN(const record::Arrival arrival, record::parse_arrival(command.arrival));
  for (const double rate : command.request_rate)
    loads.push_back({.kind = record::Load::Kind::open,
                     .concurrency = command.max_in_flight,
                     .request_rate = rate,
                     .arrival = arrival,
                     .burstiness = command.burstiness});
  if (arrival == record::Arrival::trace) {
    if (!command.request_rate.empty())
      return invalid("--arrival trace has its own times; leave out --request-rate");
    loads.push_back({.kind = record::Load::Kind::open,
                     .concurrency = command.max_in_flight,
                     .request_rate = 0,
                     .arrival = arrival});
  }
  if (command.max_in_flight < 0)
    return invalid(
        fmt::format("--max-in-flight must not be negative, it is {}", command.max_in_flight));
  constexpr std::int64_t k_default_in_flight = 512;
  if (command.max)
    loads.push_back(
        {.kind = record::Load::Kind::max,
         .concurrency = command.max_in_flight > 0 ? command.max_in_flight : k_default_in_flight});
  if (command.burstiness != 1 && arrival != record::Arrival::gamma)
    return invalid(fmt::format("--burstiness {:g} is of --arrival gamma, and --arrival is {}",
                               command.burstiness, command.arrival));
  return {};
}

Status read_inputs(BenchCommand& command) {
  for (const std::string& input : command.inputs) {
    const std::size_t equals = input.find('=');
    if (equals == 0 || equals == std::string::npos)
      return invalid(fmt::format("--input {} is not NAME=VALUE", input));
    command.options.inputs.emplace_back(input.substr(0, equals), input.substr(equals + 1));
  }
  return {};
}

Status read_until(BenchCommand& command) {
  if (command.until.empty()) return {};
  const std::size_t colon = command.until.rfind(':');
  const auto percent = colon == std::string::npos
                           ? std::nullopt
                           : to_real(std::string_view(command.until).substr(colon + 1));
  if (!percent)
    return invalid(
        fmt::format("--until {} is not METRIC:PERCENT, such as ttft_ms:5", command.until));
  command.options.until =
      record::PrecisionTarget{.metric = command.until.substr(0, colon), .percent = *percent};
  return {};
}

// Never on the command line: anybody on the machine can read that.
Status read_token(BenchCommand& command) {
  std::string token;
  if (!command.token_file.empty()) {
    ORCH_ASSIGN(token, system::RealFiles().read(command.token_file));
  } else if (!command.token_env.empty()) {
    const char* value = std::getenv(command.token_env.c_str());
    if (value == nullptr)
      return invalid(
          fmt::format("--token-env {}: there is no such environment variable", command.token_env));
    token = value;
  } else {
    return {};
  }
  token = trim(token);
  const bool plain =
      std::all_of(token.begin(), token.end(), [](unsigned char c) { return c > ' ' && c < 127; });
  if (token.empty() || !plain)
    return invalid(
        fmt::format("{} holds no token: one line of visible characters is needed",
                    command.token_file.empty() ? command.token_env : command.token_file));
  command.options.authorization = "Bearer " + token;
  return {};
}

Status check_limits(const load::BenchOptions& options) {
  const measure::ValidityLimits& limits = options.limits;
  for (const auto& [name, value] : {std::pair{"--wake-lag-ms-limit", limits.wake_lag_ms},
                                    {"--send-lag-ms-limit", limits.send_lag_ms},
                                    {"--client-cpu-limit", limits.client_cpu_share}})
    if (!(value >= 0))
      return invalid(fmt::format("{} must not be negative, it is {:g}", name, value));
  const protocol::Sampling& sampling = options.sampling;
  for (const auto& [name, value] :
       {std::pair{"--temperature", sampling.temperature}, {"--top-p", sampling.top_p}})
    if (value && !std::isfinite(*value))
      return invalid(fmt::format("{} {:g} is no number that can be sent", name, *value));
  return {};
}

Status read_export(BenchCommand& command) {
  if (command.exported.empty()) return {};
  if (command.no_answers)
    return invalid(
        fmt::format("--export {} writes the answers; leave out --no-answers", command.exported));
  if (command.options.batch > 1)
    return invalid(fmt::format(
        "--export {} has one prompt in a request, and --batch is {}; leave out one of them",
        command.exported, command.options.batch));
  command.options.keep_text_ends = true;
  return {};
}

}  // namespace

void declare_bench(CLI::App& app, BenchCommand& command) {
  declare_target(app, command);
  declare_load(app, command);
  declare_length(app, command);
  declare_requests(app, command);
  declare_results(app, command);
  declare_rare(app, command);
  say_what_is_taken(app);
  app.formatter(std::make_shared<OneScreen>(false));
  app.set_help_flag();
  app.set_help_flag("-h,--help", "This page")->group(k_results);  // last of its group
  app.add_flag_callback(
         "--help-all",
         [&app] {
           app.formatter(std::make_shared<OneScreen>(true));
           throw CLI::CallForHelp();
         },
         "Every option in words")
      ->group(k_rare)
      ->trigger_on_parse();
}

Status make_options(BenchCommand& command) {
  for (const auto* urls : {&command.options.urls, &command.options.metrics_urls})
    for (const std::string& url : *urls) ORCH_TRY(wire::parse_url(url));
  ORCH_TRY(read_protocol(command));
  ORCH_TRY(read_loads(command));
  ORCH_TRY(read_inputs(command));
  ORCH_TRY(read_until(command));
  ORCH_TRY(read_token(command));
  ORCH_TRY(check_limits(command.options));
  command.options.keep_answers = !command.no_answers;
  command.options.stop_by_request = command.stop_by == "request";
  ORCH_TRY(read_export(command));
  return {};
}

}  // namespace orch::cli
