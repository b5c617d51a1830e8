#include "bench/load/bench.hpp"

#include "bench/load/bench_target.hpp"
#include "bench/load/client_cpus.hpp"
#include "bench/load/judgement.hpp"
#include "bench/load/load_run.hpp"
#include "bench/load/precision_monitor.hpp"
#include "bench/load/request_supply.hpp"
#include "bench/measure/goodput.hpp"
#include "bench/protocol/protocol.hpp"
#include "core/base/text.hpp"

namespace orch::load {

namespace {

// Each slot is a connection; there are no more ports than this to one server.
constexpr std::int64_t k_most_concurrency = 65'536;
constexpr std::size_t k_most_servers = 256;
constexpr double k_least_rate = 1e-6, k_most_rate = 1e6;
constexpr double k_most_duration_s = 30 * 86'400.0;
constexpr std::int64_t k_most_batch = 4'096;
constexpr std::int64_t k_most_tokens_per_event = 1'000'000;
constexpr std::int64_t k_most_osl = 100'000'000;
// Per load: all requests and due times are in memory before the first one is sent.
constexpr double k_most_requests = 1e8;
constexpr double k_most_timeout_s = 30 * 86'400.0;

Status at_least_one(std::string_view name, std::int64_t value) {
  if (value < 1) return invalid(fmt::format("{} must be at least 1, it is {}", name, value));
  return {};
}

Status check_urls(const BenchOptions& options) {
  if (options.urls.empty()) return invalid("--url names no server");
  if (options.urls.size() > k_most_servers)
    return invalid(fmt::format("--url names {} servers; give at most {}", options.urls.size(),
                               k_most_servers));
  const std::set<std::string_view> different(options.urls.begin(), options.urls.end());
  if (different.size() < options.urls.size())
    return invalid("--url names a server twice; name each once");
  if (!options.metrics_urls.empty() && options.metrics_urls.size() < options.urls.size())
    return invalid(fmt::format("--metrics-url names {} for {} servers; name one for each, or none",
                               plural(options.metrics_urls.size(), "page"), options.urls.size()));
  return {};
}

Status check_load(const record::Load& load) {
  if (load.kind == record::Load::Kind::closed)
    ORCH_TRY(at_least_one("--concurrency", load.concurrency));
  if (load.kind == record::Load::Kind::max)
    ORCH_TRY(at_least_one("--max-in-flight", load.concurrency));
  if (load.concurrency < 0)
    return invalid(fmt::format("--max-in-flight must not be negative, it is {}", load.concurrency));
  if (load.concurrency > k_most_concurrency)
    return invalid(fmt::format("--concurrency must be at most {}, it is {}", k_most_concurrency,
                               load.concurrency));
  if (load.kind != record::Load::Kind::open) return {};
  if (load.arrival != record::Arrival::trace &&
      !(load.request_rate >= k_least_rate && load.request_rate <= k_most_rate))
    return invalid(
        fmt::format("--request-rate must be between {:g} and {:g} requests per second, it is {:g}",
                    k_least_rate, k_most_rate, load.request_rate));
  if (!(load.burstiness >= 0.001 && load.burstiness <= 1000))
    return invalid(fmt::format(
        "--burstiness must be between 0.001 and 1000, it is {:g}; 1 is Poisson, less is burstier",
        load.burstiness));
  return {};
}

Status check_end(const BenchOptions& options) {
  if (options.requests < 0)
    return invalid(fmt::format("--requests must be at least 1, it is {}", options.requests));
  if (static_cast<double>(options.requests) > k_most_requests)
    return invalid(fmt::format("--requests must be at most {:g}, it is {}", k_most_requests,
                               options.requests));
  if (!(options.duration_s >= 0 && options.duration_s <= k_most_duration_s))
    return invalid(fmt::format("--duration must be between 0 and {:g} seconds, it is {:g}",
                               k_most_duration_s, options.duration_s));
  if (options.until && !(options.until->percent > 0))
    return invalid(fmt::format("--until {}:{:g} must be more than 0 percent", options.until->metric,
                               options.until->percent));
  if (options.until) ORCH_TRY(check_precision_metric(options.until->metric, options.loads));
  for (const record::Load& load : options.loads)
    if (load.kind == record::Load::Kind::open && options.requests == 0 &&
        load.request_rate * options.duration_s > k_most_requests)
      return invalid(
          fmt::format("--request-rate {:g} for {:g} s gives more than {:g} requests; lower one of "
                      "them, or give --requests",
                      load.request_rate, options.duration_s, k_most_requests));
  const bool traced = std::ranges::all_of(options.loads, &record::Load::is_trace);
  if (options.requests == 0 && options.duration_s == 0 && !traced)
    return invalid(
        options.until ? "--until needs --requests or --duration as its upper limit; add one of them"
                      : "no end of the load is given; add --requests or --duration");
  return {};
}

Status check_adapter(const BenchOptions& options) {
  if (!options.sampling.lora_task_id)
    return invalid(
        "--lora needs the number by which requests name the adapter; add --lora-task-id");
  if (!protocol::is_triton(options.protocol))
    return invalid(
        fmt::format("--lora sends an adapter to Triton's model, but --protocol is {}; "
                    "leave out --lora, and start the server with its adapters",
                    options.protocol));
  if (!options.first_request)
    return invalid("--lora sends the adapter with the first request; leave out --no-first-request");
  return {};
}

}  // namespace

Status run_bench(const BenchOptions& options, const prompt::PromptSet& prompts,
                 const std::atomic<bool>& stopped, const Progress& progress, const Keep& keep) {
  ORCH_TRY(check_options(options));
  ORCH_ASSIGN(BenchTarget target, open_target(options, stopped));
  const protocol::Protocol& of_first =
      target.adapter_protocol ? *target.adapter_protocol : *target.protocol;
  ORCH_ASSIGN(const RequestSupply supply,
              RequestSupply::make(options, prompts, *target.protocol, of_first));
  std::vector<std::string> notes = prompts.notices;
  notes.insert(notes.end(), target.notes.begin(), target.notes.end());
  notes.insert(notes.end(), supply.notes().begin(), supply.notes().end());

  ClientCpus cpus(options.host_cpus);
  if (std::string warning = cpus.quota_warning(); !warning.empty())
    notes.push_back(std::move(warning));
  FirstRequests first;
  const RunContext context{.options = options,
                           .target = target,
                           .supply = supply,
                           .stopped = stopped,
                           .progress = progress,
                           .cpus = cpus,
                           .first = first};
  for (std::size_t i = 0; i < options.loads.size(); ++i) {
    if (stopped.load(std::memory_order_relaxed)) return interrupted_error(options, i);
    if (!options.cpus.empty()) ORCH_TRY(cpus.use(options.cpus));
    Result<RawRun> run = run_load(context, i);
    cpus.leave();
    if (!run.ok()) return i == 0 ? run.error() : run.error().within(options.loads[i].text());
    record::Measurement measurement = judge_run(context, i, std::move(*run), notes);
    measurement.isl_requested = prompts.isl_requested;
    const bool interrupted = measurement.interrupted;
    keep(std::move(measurement));
    if (interrupted) return interrupted_error(options, i);
  }
  return {};
}

Status check_before_prompts(const BenchOptions& options) {
  ORCH_TRY(check_urls(options));
  if (options.loads.empty())
    return invalid("no load is given; add --concurrency, --request-rate or --max");
  for (const record::Load& load : options.loads) ORCH_TRY(check_load(load));
  ORCH_TRY(check_end(options));
  ORCH_TRY(at_least_one("--batch", options.batch));
  if (options.batch > k_most_batch)
    return invalid(
        fmt::format("--batch must be at most {}, it is {}", k_most_batch, options.batch));
  if (!(options.metrics_interval_s >= 0 && options.metrics_interval_s <= k_most_timeout_s))
    return invalid(
        fmt::format("--metrics-interval-s must be between 0 and {:g} seconds, it is {:g}",
                    k_most_timeout_s, options.metrics_interval_s));
  if (options.tokens_per_event < 0 || options.tokens_per_event > k_most_tokens_per_event)
    return invalid(fmt::format("--tokens-per-event must be between 0 and {}, it is {}",
                               k_most_tokens_per_event, options.tokens_per_event));
  if (options.warmup < 0 || static_cast<double>(options.warmup) > k_most_requests)
    return invalid(fmt::format("--warmup must be between 0 and {:g}, it is {}", k_most_requests,
                               options.warmup));
  if (!options.goodput.empty()) ORCH_TRY(measure::check_goodput(options.goodput));
  if (!(options.stop_after_ms >= 0 && options.stop_after_ms <= 1000 * k_most_timeout_s))
    return invalid(fmt::format("--stop-after-ms must be between 0 and {:g}, it is {:g}",
                               1000 * k_most_timeout_s, options.stop_after_ms));
  if (options.stop_by_request && options.stop_after_ms == 0)
    return invalid("--stop-by request has no effect without --stop-after-ms; give both");
  if (!(options.timeout_s > 0 && options.timeout_s <= k_most_timeout_s))
    return invalid(
        fmt::format("--timeout-s must be more than 0 and at most {:g} seconds, it is {:g}",
                    k_most_timeout_s, options.timeout_s));
  if (!options.adapter.empty()) ORCH_TRY(check_adapter(options));
  if (options.host_cpus) ORCH_TRY(check_asked_cpus(*options.host_cpus, options.cpus));
  return {};
}

Status check_options(const BenchOptions& options) {
  ORCH_TRY(check_before_prompts(options));
  ORCH_TRY(at_least_one("--osl", options.osl));
  if (options.osl > k_most_osl)
    return invalid(fmt::format("--osl must be at most {}, it is {}", k_most_osl, options.osl));
  return {};
}

Result<std::int64_t> share_per_load(const BenchOptions& options, std::string_view kind,
                                    std::int64_t requested, std::size_t available) {
  const auto loads = static_cast<std::int64_t>(options.loads.size());
  const std::int64_t available_requests = static_cast<std::int64_t>(available) / options.batch;
  const bool ends_by_itself = options.duration_s > 0 || requested == 0;
  if (kind == "measured" && (ends_by_itself || options.reuse_prompts)) {
    const std::int64_t share = requested > 0 ? std::min(requested, available_requests / loads)
                                             : available_requests / loads;
    if (share < 1)
      return invalid(fmt::format(
          "{} has {} {} prompts in block {}, too few for {} with {} per request; make more",
          options.prompts_name, available, kind, options.block, plural(loads, "load"),
          options.batch));
    return share;
  }
  const std::int64_t needs =
      requested * loads * options.batch;  // check_options() limits each factor
  if (static_cast<std::int64_t>(available) >= needs) return requested;
  std::string sum;
  if (loads > 1 || options.batch > 1)
    sum = fmt::format(" ({} of {}{})", plural(loads, "load"), requested,
                      options.batch > 1 ? fmt::format(" with {} per request", options.batch) : "");
  return invalid(fmt::format(
      "the loads need {} {} prompts{}, but {} has {} in block {}; prompts are not reused "
      "in a session, so make more or send fewer requests{}",
      needs, kind, sum, options.prompts_name, available, options.block,
      kind == "measured" ? ", or give --reuse-prompts" : ""));
}

}  // namespace orch::load
