#include "load/bench.hpp"

#include "wire/clock.hpp"
#include "load/load_loop.hpp"
#include "load/prompt_thread.hpp"
#include "load/protocol.hpp"

namespace orch::load {
namespace {

// Each slot is a connection; a machine has no more ports than this to one server.
constexpr std::int64_t k_most_concurrency = 65'536;
constexpr std::size_t k_most_servers = 256;

Status check_urls(const BenchOptions& options) {
  if (options.urls.empty()) return invalid("--url names no server");
  if (options.urls.size() > k_most_servers) return invalid(fmt::format("--url names {} servers, at most {} go", options.urls.size(), k_most_servers));
  const std::set<std::string_view> different(options.urls.begin(), options.urls.end());
  if (different.size() < options.urls.size()) return invalid("--url names a server twice; name each once");
  if (!options.metrics_urls.empty() && options.metrics_urls.size() < options.urls.size())
    return invalid(fmt::format("--metrics-url names {} page{} for {} servers; name one for each, or none", options.metrics_urls.size(),
                               options.metrics_urls.size() == 1 ? "" : "s", options.urls.size()));
  return {};
}

Status at_least_one(std::string_view name, std::int64_t value) {
  if (value < 1) return invalid(fmt::format("{} must be at least 1, it is {}", name, value));
  return {};
}

Status check_load(const Load& load) {
  if (load.kind == Load::Kind::closed) ORCH_TRY(at_least_one("--concurrency", load.concurrency));
  if (load.concurrency > k_most_concurrency) return invalid(fmt::format("--concurrency must be at most {}, it is {}", k_most_concurrency, load.concurrency));
  return {};
}

Status check(const BenchOptions& options) {
  if (options.loads.empty()) return invalid("nothing says how requests come; give --concurrency, --request-rate or --max");
  for (const Load& load : options.loads) ORCH_TRY(check_load(load));
  ORCH_TRY(at_least_one("--requests", options.requests));
  ORCH_TRY(at_least_one("--osl", options.osl));
  ORCH_TRY(check_urls(options));
  if (options.metrics_interval_s < 0) return invalid("--metrics-interval-s must not be negative");
  if (options.tokens_per_event < 0) return invalid("--tokens-per-event must not be negative");
  if (options.warmup < 0) return invalid("--warmup must not be negative");
  if (!(options.timeout_s > 0)) return invalid("--timeout-s must be more than 0");
  return {};
}

Status check_supply(const BenchOptions& options, std::string_view what, std::int64_t per_load, std::size_t has) {
  const auto loads = static_cast<std::int64_t>(options.loads.size());
  const std::int64_t needs = per_load * loads;
  if (static_cast<std::int64_t>(has) >= needs) return {};
  std::string sum = loads > 1 ? fmt::format(" ({} loads of {})", loads, per_load) : "";
  return invalid(fmt::format("needs {} {} prompts{}, {} has {} in block {}; prompts are not used twice in a session, so make more or ask for fewer",
                             needs, what, sum, options.prompts_name, has, options.block));
}

std::int64_t succeeded(const std::vector<measure::RequestRecord>& records) {
  return std::count_if(records.begin(), records.end(), [](const auto& record) { return record.ok(); });
}

void rebase(std::vector<measure::RequestRecord>& records, std::int64_t start_ns) {
  for (measure::RequestRecord& record : records) {
    record.sent_ns -= start_ns;
    record.end_ns -= start_ns;
    if (record.due_ns) *record.due_ns -= start_ns;
    for (std::int64_t& event_ns : record.event_ns) event_ns -= start_ns;
  }
}

// The servers' URLs, which differ in host and port alone: every request is made once, for all of them.
Result<std::vector<wire::Url>> parse_urls(const std::vector<std::string>& texts, bool one_path) {
  std::vector<wire::Url> out;
  for (const std::string& text : texts) {
    ORCH_ASSIGN(wire::Url url, wire::parse_url(text));
    if (one_path && !out.empty() && url.path != out.front().path)
      return invalid(fmt::format("the servers {} and {} differ in their paths; servers that share a load have one path", texts.front(), text));
    out.push_back(std::move(url));
  }
  return out;
}

std::vector<ServerShare> shares(const std::vector<std::string>& urls, std::span<const measure::RequestRecord> records) {
  std::vector<ServerShare> out;
  for (const std::string& url : urls) out.push_back({.url = url});
  for (const measure::RequestRecord& record : records) {
    ServerShare& share = out[static_cast<std::size_t>(record.server)];
    ++share.requests;
    share.failed += !record.ok();
    share.lost += record.lost_server;
  }
  return out;
}

class Bench {
 public:
  Bench(const BenchOptions& options, const std::atomic<bool>& stopped, const Progress& progress)
      : options_(options), stopped_(stopped), progress_(progress) {}

  Result<std::vector<Measurement>> run(const PromptSet& prompts) {
    ORCH_TRY(prepare(prompts));
    std::vector<Measurement> out;
    for (const Load& load : options_.loads) {
      ORCH_ASSIGN(Measurement measurement, measure_one(load));
      out.push_back(std::move(measurement));
    }
    return out;
  }

 private:
  Status prepare(const PromptSet& prompts) {
    ORCH_TRY(check(options_));
    ORCH_ASSIGN(const std::vector<wire::Url> urls, parse_urls(options_.urls, true));
    for (const wire::Url& url : urls) {
      ORCH_ASSIGN(wire::Endpoint endpoint, wire::resolve(url));
      endpoints_.push_back(std::move(endpoint));
    }
    ORCH_ASSIGN(std::vector<wire::Url> metrics_urls, parse_urls(options_.metrics_urls, false));
    ORCH_TRY(watch_servers(urls, std::move(metrics_urls)));
    // The Host header is the first server's in all requests: servers that share a load do not tell themselves apart by it.
    ORCH_ASSIGN(protocol_, make_protocol(options_.protocol, {.url = urls.front(), .model = options_.model, .stream = options_.stream, .osl = options_.osl,
                                                             .forced_osl = !options_.eos, .inputs = options_.inputs}));
    ORCH_TRY(check_supply(options_, "measured", options_.requests, prompts.measured.size()));
    ORCH_TRY(check_supply(options_, "warm-up", options_.warmup, prompts.warmup.size()));
    warmup_ = made(prompts.warmup, options_.warmup);
    measured_ = made(prompts.measured, options_.requests);
    return {};
  }

  Status watch_servers(std::vector<wire::Url> urls, std::vector<wire::Url> metrics_urls) {
    const bool triton = options_.protocol.starts_with("triton-");
    ORCH_ASSIGN(ServerWatch watch, ServerWatch::make({.urls = std::move(urls), .metrics_urls = std::move(metrics_urls), .metrics_interval_s = options_.metrics_interval_s,
                                                      .model = options_.model, .statistics = triton && options_.statistics ? read_triton_statistics : nullptr,
                                                      .gpus = options_.gpus, .gpu_memory = {}, .gpu_probe = {}}));
    servers_.emplace(std::move(watch));
    return {};
  }

  std::vector<PreparedRequest> made(const std::vector<Prompt>& prompts, std::int64_t per_load) const {
    std::vector<PreparedRequest> out;
    const std::size_t needed = static_cast<std::size_t>(per_load) * options_.loads.size();
    out.reserve(needed);
    for (std::size_t i = 0; i < needed; ++i) out.push_back({.bytes = protocol_->request(prompts[i]), .isl = prompts[i].isl});
    return out;
  }

  // The next COUNT of REQUESTS, from NEXT on.
  static std::span<const PreparedRequest> take(const std::vector<PreparedRequest>& requests, std::size_t& next, std::int64_t count) {
    const std::span<const PreparedRequest> all(requests);
    const std::size_t begin = next;
    next += static_cast<std::size_t>(count);
    return all.subspan(begin, static_cast<std::size_t>(count));
  }

  Result<Measurement> measure_one(const Load& load) {
    LoadLoop loop({.protocol = protocol_.get(), .stopped = &stopped_, .endpoints = endpoints_, .concurrency = static_cast<wire::SlotId>(load.concurrency),
                   .stream = options_.stream, .osl = options_.osl, .forced_osl = forced_osl(), .tokens_per_event = options_.tokens_per_event,
                   .timeout_ns = static_cast<std::int64_t>(options_.timeout_s * 1e9)});
    ORCH_TRY(loop.open());
    const PromptThread prompt;
    Measurement out;
    out.load = load;
    servers_->look_first();
    if (options_.warmup > 0) tell(fmt::format("{}: {} warm-up requests", load.text(), options_.warmup));
    ORCH_ASSIGN(LoadLoop::Phase warmup, loop.run(take(warmup_, next_warmup_, options_.warmup)));
    servers_->begin(succeeded(warmup.records));

    tell(fmt::format("{}: {} requests", load.text(), options_.requests));
    const std::int64_t wall_offset_ns = wire::wall_ns() - wire::monotonic_ns();
    ORCH_ASSIGN(LoadLoop::Phase measured, loop.run(take(measured_, next_measured_, options_.requests)));
    out.server = servers_->end(succeeded(measured.records));
    measured.client.scheduling = prompt.scheduling();
    out.wall_start_ns = measured.start_ns + wall_offset_ns;
    conclude(warmup, measured, out);
    return out;
  }

  void conclude(LoadLoop::Phase& warmup, LoadLoop::Phase& measured, Measurement& out) const {
    rebase(warmup.records, measured.start_ns);
    rebase(measured.records, measured.start_ns);
    measure::Window window{.records = measured.records, .server = {}, .client = measured.client, .side = out.server.side()};
    if (out.server.before && out.server.after) window.server = growth(*out.server.before, *out.server.after);
    out.duration_s = measure::duration_s(window.records);
    out.metrics = measure::metrics_of(window);
    out.unsupported = measure::unsupported_percentiles(out.metrics);
    out.client = measured.client;
    out.counting_osl = how_osl_is_counted(measured.records);
    out.servers = shares(options_.urls, measured.records);
    out.counting_isl = std::all_of(measured.records.begin(), measured.records.end(), [](const auto& r) { return r.isl.has_value(); }) ? "ids" : "not counted";
    out.verdict = measure::judge(window, {.requests = options_.requests, .forced_osl = forced_osl()}, options_.limits);
    if (!measured.gave_up.empty()) out.verdict.reasons.push_back(measured.gave_up);
    judge_servers(out);
    const std::int64_t failed = static_cast<std::int64_t>(warmup.records.size()) - succeeded(warmup.records);
    if (failed > 0 || !warmup.gave_up.empty()) out.verdict.warnings.push_back(fmt::format("{} of {} warm-up requests succeeded", succeeded(warmup.records), options_.warmup));
    if (out.server.after && out.server.after->left_out > 0)
      out.verdict.warnings.push_back(fmt::format("{} series of the metrics page were left out: at most {} are kept, {} of them of unknown families, with names of up to {} bytes",
                                                 out.server.after->left_out, k_most_series, k_most_unknown_series, k_longest_series));
    out.verdict.warnings.insert(out.verdict.warnings.end(), out.server.warnings.begin(), out.server.warnings.end());
    for (measure::RequestRecord& record : warmup.records) record.warmup = true;
    out.records = std::move(warmup.records);
    out.records.insert(out.records.end(), std::make_move_iterator(measured.records.begin()), std::make_move_iterator(measured.records.end()));
    for (measure::RequestRecord& record : out.records) record.block = options_.block;
  }

  bool forced_osl() const { return !options_.eos && protocol_->forces_length(); }

  std::string how_osl_is_counted(std::span<const measure::RequestRecord> records) const {
    const auto reported = [](const measure::RequestRecord& record) { return !record.ok() || (record.osl_reported && record.osl_counted == record.osl_reported); };
    if (std::any_of(records.begin(), records.end(), [](const auto& record) { return record.osl_reported.has_value(); }))
      return std::all_of(records.begin(), records.end(), reported) ? "usage" : "usage where the server gave it, else events";
    if (options_.stream && options_.tokens_per_event > 0) return options_.tokens_per_event == 1 ? "events (one token each)" : fmt::format("events ({} tokens each)", options_.tokens_per_event);
    return forced_osl() ? "forced length" : "not counted";
  }

  // What only several servers can have.
  static void judge_servers(Measurement& out) {
    if (out.servers.size() < 2) return;
    for (const ServerShare& server : out.servers) {
      if (server.lost > 0) out.verdict.reasons.push_back(fmt::format("{} was lost: {} of its {} requests broke off", server.url, server.lost, server.requests));
      else if (server.requests > 0 && server.failed == server.requests) out.verdict.reasons.push_back(fmt::format("{} answered none of its {} requests well", server.url, server.requests));
      else if (server.requests == 0) out.verdict.warnings.push_back(fmt::format("{} had no request: the concurrency is less than the number of servers", server.url));
    }
    out.verdict.valid = out.verdict.reasons.empty();
  }

  void tell(std::string_view line) const { if (progress_) progress_(line); }

  const BenchOptions& options_;
  const std::atomic<bool>& stopped_;
  const Progress& progress_;
  std::vector<wire::Endpoint> endpoints_;
  std::unique_ptr<Protocol> protocol_;
  std::optional<ServerWatch> servers_;
  std::vector<PreparedRequest> warmup_;
  std::vector<PreparedRequest> measured_;
  std::size_t next_warmup_ = 0;
  std::size_t next_measured_ = 0;
};

}  // namespace

Result<std::vector<Measurement>> run_bench(const BenchOptions& options, const PromptSet& prompts, const std::atomic<bool>& stopped,
                                           const Progress& progress) {
  return Bench(options, stopped, progress).run(prompts);
}

}  // namespace orch::load
