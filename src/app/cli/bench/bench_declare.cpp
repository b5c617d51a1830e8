#include "app/cli/bench/bench_options.hpp"
#include "bench/protocol/protocol.hpp"
#include "core/base/text.hpp"
#include "run/execute/executor.hpp"

#include <charconv>

#include <CLI/CLI.hpp>

namespace orch::cli {
namespace {

// The groups of --help.
constexpr const char* k_target = "Server";
constexpr const char* k_load = "Load (each value is a measurement)";
constexpr const char* k_end = "Length";
constexpr const char* k_requests = "Requests";
constexpr const char* k_results = "Results";

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

// The values that options of a type accept, for error messages: the parser's own message is only
// "could not convert".
struct ValueKind {
  std::string_view type;
  bool (*fits)(std::string_view word);
  std::string_view accepted;
};
constexpr ValueKind k_value_kinds[] = {
    {"N", is_a<std::int64_t>, "a whole number, such as 8"},
    {"N,..", is_a<std::int64_t>, "whole numbers, such as 1,2,4,8"},
    {"SEED", is_a<std::uint64_t>, "a whole number, at least 0"},
    {"S", is_a<double>, "seconds, such as 10 or 0.5"},
    {"MS", is_a<double>, "milliseconds, such as 250"},
    {"R,..", is_a<double>, "requests per second, such as 1,2.5,4"},
    {"SHARE", is_a<double>, "a share, such as 0.5"},
    {"X", is_a<double>, "a number, such as 0.5"},
};

CLI::Option* list(CLI::Option* option) {
  return option->delimiter(',')->allow_extra_args(false)->take_all();
}

void declare_target(CLI::App& app, BenchCommand& command) {
  app.option_defaults()->group(k_target);
  load::BenchOptions& options = command.options;
  list(app.add_option("--url", options.urls, "http://HOST:PORT; several share the load"))
      ->type_name("URL,..")
      ->required();
  options.protocol.clear();  // if it is not given, it follows from the URLs
  app.add_option("--protocol", options.protocol, protocol_names())
      ->type_name("NAME")
      ->default_str("triton-http");
  app.add_option("-m,--model", options.model, "Model name")->type_name("NAME")->required();
  app.add_flag("--stream,!--no-stream", options.stream,
               "Stream answers as events (default), or take them in one body");
  app.add_option("--token-file", command.token_file, "File with a bearer token")->type_name("FILE");
  app.add_option("--token-env", command.token_env, "Environment variable with a bearer token")
      ->type_name("VAR")
      ->excludes("--token-file");
  app.add_option("--header", command.headers,
                 "Further header, \"NAME: VALUE\", with environment variables as $VAR; repeatable")
      ->type_name("HEADER")
      ->allow_extra_args(false)
      ->take_all()
      ->group(k_rare);
  app.add_option("--ca-file", options.ca_file,
                 "Certificates to trust (PEM) instead of those of the system")
      ->type_name("FILE")
      ->group(k_rare);
  app.add_flag("--insecure", options.insecure,
               "Do not verify certificates; the results record this")
      ->excludes("--ca-file")
      ->group(k_rare);
}

void declare_load(CLI::App& app, BenchCommand& command) {
  app.option_defaults()->group(k_load);
  list(app.add_option("-c,--concurrency", command.concurrency, "Requests kept open"))
      ->type_name("N,..");
  list(app.add_option("--request-rate", command.request_rate,
                      "Requests per second, independent of open requests"))
      ->type_name("R,..");
  app.add_option("--arrival", command.arrival,
                 "constant, poisson, gamma or trace (timestamp: ms, or timestamp_s)")
      ->type_name("NAME")
      ->capture_default_str();
  app.add_option("--burstiness", command.burstiness,
                 "With --arrival gamma: 1 is Poisson, less is burstier")
      ->type_name("X")
      ->capture_default_str();
  app.add_flag("--max", command.max, "As fast as possible");
  app.add_option("--max-in-flight", command.max_in_flight,
                 "Limit of open requests with --max [512] or --request-rate [none]")
      ->type_name("N")
      ->group(k_rare);
}

void declare_length(CLI::App& app, BenchCommand& command) {
  app.option_defaults()->group(k_end);
  load::BenchOptions& options = command.options;
  app.add_option("--requests", options.requests, "Measured requests per load")->type_name("N");
  app.add_option("--duration", options.duration_s,
                 "Seconds per load during which requests are sent")
      ->type_name("S");
  app.add_option("--until", command.until,
                 "Stop once METRIC's 95 % interval is within PERCENT of its mean")
      ->type_name("METRIC:PERCENT");
  app.add_option("--warmup", options.warmup, "Warm-up requests per load, with prompts of their own")
      ->type_name("N")
      ->capture_default_str();
  app.add_option("--seed", options.seed, "Random seed for arrivals and prompts")
      ->type_name("SEED")
      ->capture_default_str();
}

void declare_requests(CLI::App& app, BenchCommand& command) {
  app.option_defaults()->group(k_requests);
  load::BenchOptions& options = command.options;
  add_prompt_options(app, command.prompts, k_rare);
  app.add_flag("--eos", options.eos, "Let the end token stop an answer before --osl");
  app.add_option("--batch", options.batch, "Prompts in one request")
      ->type_name("N")
      ->capture_default_str();
  app.add_option("--input", command.inputs, "Sets a further input of the model; VALUE may be JSON")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false)
      ->take_all();
}

void declare_results(CLI::App& app, BenchCommand& command) {
  app.option_defaults()->group(k_results);
  load::BenchOptions& options = command.options;
  list(app.add_option("--metrics-url", options.metrics_urls,
                      "Prometheus page of the server, read before, during and after load"))
      ->type_name("URL,..");
  app.add_option("--goodput", options.goodput,
                 "Condition for goodput, such as \"ttft_ms < 500 AND itl_ms < 50\"")
      ->type_name("SQL");
  app.add_option("--format", command.format, "Output on stdout: table, json or csv")
      ->check(CLI::IsMember({"table", "json", "csv"}).description(""))
      ->type_name("NAME")
      ->capture_default_str();
  app.add_option("--out", command.out,
                 "Folder for measurement.json, requests.jsonl and answers.jsonl.zst")
      ->type_name("DIR");
  app.add_option("--db", command.db,
                 "Results folder that ingests the records, as experiment 'bench'")
      ->type_name("DIR");
}

void declare_sampling(CLI::App& app, BenchCommand& command) {
  app.option_defaults()->group(k_rare);
  protocol::Sampling& sampling = command.options.sampling;
  app.add_option("--temperature", sampling.temperature, "Sampling temperature")->type_name("X");
  app.add_option("--top-k", sampling.top_k, "Sample among this many tokens")->type_name("N");
  app.add_option("--top-p", sampling.top_p, "Sample among tokens of this total probability")
      ->type_name("SHARE");
  app.add_option("--repetition-penalty", sampling.repetition_penalty,
                 "Penalty on tokens that occurred; 1: none")
      ->type_name("X");
  app.add_option("--random-seed", sampling.seed, "Random seed of the model")->type_name("SEED");
  app.add_option("--beam-width", sampling.beam_width, "Beams per request")->type_name("N");
  app.add_option("--lora-task-id", sampling.lora_task_id,
                 "Number of the LoRA adapter in the server")
      ->type_name("N");
  app.add_option("--lora", command.lora,
                 "Adapter that the first request to each server carries: the folder that "
                 "hf_lora_convert.py wrote, or its weights (.npy); later requests name it by "
                 "--lora-task-id")
      ->type_name("DIR|FILE");
  app.add_option("--stop-word", sampling.stop_words, "Word that ends an answer; may be repeated")
      ->type_name("TEXT")
      ->allow_extra_args(false)
      ->take_all();
  app.add_option("--bad-word", sampling.bad_words, "Word that is never generated; may be repeated")
      ->type_name("TEXT")
      ->allow_extra_args(false)
      ->take_all();
  app.add_flag("--return-log-probs", sampling.log_probs, "Ask for the tokens' log probabilities");
  app.add_flag("--return-context-logits", sampling.context_logits, "Ask for the prompt's logits");
  app.add_flag("--return-generation-logits", sampling.generation_logits,
               "Ask for the answer's logits");
  app.add_flag("--keep-values", command.options.keep_values,
               "Keep the log probabilities and logits that Triton returns, in values.jsonl.zst of "
               "--out");
}

void declare_ends(CLI::App& app, BenchCommand& command) {
  app.option_defaults()->group(k_rare);
  load::BenchOptions& options = command.options;
  app.add_option("--stop-after-ms", options.stop_after_ms, "Stop each request after this time")
      ->type_name("MS");
  app.add_option(
         "--stop-by", command.stop_by,
         "How --stop-after-ms stops a request: close (closes its stream), or request (sends a stop "
         "request with its id; the model needs an input `stop`, as tensorrt_llm has)")
      ->check(CLI::IsMember({"close", "request"}).description(""))
      ->type_name("NAME")
      ->capture_default_str();
  app.add_option("--timeout-s", options.timeout_s,
                 "Time limit of a request; one that exceeds it fails and counts in error_rate")
      ->type_name("S")
      ->capture_default_str();
}

void declare_details(CLI::App& app, BenchCommand& command) {
  app.option_defaults()->group(k_rare);
  load::BenchOptions& options = command.options;
  app.add_option("--tokens-per-event", options.tokens_per_event,
                 "Tokens per event of a stream; 0: the number varies, and an answer counts as "
                 "having the requested length")
      ->type_name("N")
      ->capture_default_str();
  app.add_flag("--reuse-prompts", options.reuse_prompts,
               "Repeat prompts when there are fewer prompts than requests");
  app.add_flag("--prefix-cache-off", options.prefix_cache_off,
               "The server keeps no KV cache of prefixes: prompts sent again count as cold");
  app.add_flag("--running-server", options.running_server,
               "The server was already running and is not under control: a warning says so, its "
               "prefix cache counts as unknown, and its processes and GPUs are not sampled");
  options.first_request = true;
  app.add_flag("--first-request,!--no-first-request", options.first_request,
               "Before the first load, send each server one short request that no figure includes "
               "(on by default)");
  options.statistics = true;
  app.add_flag("--statistics,!--no-statistics", options.statistics,
               "Read Triton's statistics of each model (on by default)");
  list(app.add_option("--gpus", options.gpus,
                      "GPUs of the servers, by index or uuid (default: those that their processes "
                      "use)"))
      ->type_name("GPU,..");
  app.add_option("--gpu-clock", options.gpu_clock_mhz,
                 "The SM clock to which the GPUs are locked; a warning says if they ran at another")
      ->envname(std::string(execute::k_gpu_clock_variable))
      ->check(CLI::Range(0, 10000).description(""))
      ->type_name("MHZ");
  declare_cpus(app, command);
  app.add_flag("--no-answers", command.no_answers, "Do not keep the text of the answers");
  app.add_option("--export", command.exported,
                 "Also write the files of another tool, in artifacts/ of --out or of the working "
                 "folder: genai-perf")
      ->check(CLI::IsMember({"genai-perf"}).description(""))
      ->type_name("NAME");
  app.add_option("--metrics-interval-s", options.metrics_interval_s,
                 "Time between two reads of the gauges of --metrics-url; 0: never")
      ->type_name("S")
      ->capture_default_str();
}

}  // namespace

void check_kinds(CLI::App& app) {
  for (CLI::Option* option : app.get_options())
    for (const ValueKind& kind : k_value_kinds)
      if (kind.type == option->get_type_name())
        option->check([&kind](const std::string& word) {
          return kind.fits(word)
                     ? ""
                     : fmt::format("{} is not accepted; write {}", quoted(word), kind.accepted);
        });
}

void declare_cpus(CLI::App& app, BenchCommand& command) {
  app.add_option("--cpus", command.cpus,
                 "CPUs for the client, such as 0-3,7, or all (default: those that the servers of "
                 "this host leave free)")
      ->type_name("LIST");
}

void declare_limits(CLI::App& app, BenchCommand& command) {
  measure::ValidityLimits& limits = command.options.limits;
  app.add_option("--wake-lag-ms-limit", limits.wake_lag_ms,
                 "A closed-loop measurement is invalid when the client's p99 wake-up lag exceeds "
                 "both this and 5 % of the mean TTFT (unstreamed: latency)")
      ->type_name("MS")
      ->capture_default_str();
  app.add_option("--send-lag-ms-limit", limits.send_lag_ms,
                 "An open-loop measurement is invalid when the p99 send lag exceeds both this and "
                 "10 % of the mean gap between requests")
      ->type_name("MS")
      ->capture_default_str();
  app.add_option("--client-cpu-limit", limits.client_cpu_share,
                 "A measurement is invalid when a client thread is busy for more than this share "
                 "of the time")
      ->type_name("SHARE")
      ->capture_default_str();
}

void declare_bench(CLI::App& app, BenchCommand& command) {
  declare_target(app, command);
  declare_load(app, command);
  declare_length(app, command);
  declare_requests(app, command);
  declare_results(app, command);
  declare_sampling(app, command);
  declare_ends(app, command);
  declare_details(app, command);
  declare_limits(app, command);
  check_kinds(app);
  app.formatter(one_screen_help());
  app.set_help_flag();
  // Added last, to be the last of its group.
  app.set_help_flag("-h,--help", "Print this page")->group(k_results);
  app.add_flag_callback(
         "--help-all",
         [&app] {
           app.formatter(full_help());
           throw CLI::CallForHelp();
         },
         "Every option with its description")
      ->trigger_on_parse();
}

}  // namespace orch::cli
