#include "bench/load/bench_target.hpp"

#include "bench/load/load_run.hpp"
#include "bench/load/loop_parts.hpp"
#include "bench/observe/model_statistics.hpp"
#include "bench/protocol/triton_model_query.hpp"
#include "core/base/text.hpp"

namespace orch::load {

namespace {

// ONE_PATH: the URLs are of servers that share a load. They must have the same path and query,
// since each request is made once for all of them.
Result<std::vector<wire::Url>> parse_urls(const std::vector<std::string>& texts, bool one_path) {
  std::vector<wire::Url> out;
  for (const std::string& text : texts) {
    ORCH_ASSIGN(wire::Url url, wire::parse_url(text));
    while (one_path && url.path.ends_with('/')) url.path.pop_back();
    if (one_path && !out.empty() && url.target() != out.front().target())
      return invalid(fmt::format(
          "the servers {} and {} have different paths; give all servers of a load the same path",
          texts.front(), text));
    out.push_back(std::move(url));
  }
  return out;
}

Result<observe::ServerWatch> watch_servers(const BenchOptions& options, std::vector<wire::Url> urls,
                                           std::vector<wire::Url> metrics_urls) {
  observe::ServerWatch::Options watch{.urls = std::move(urls),
                                      .metrics_urls = std::move(metrics_urls),
                                      .access = access_of(options),
                                      .metrics_interval_s = options.metrics_interval_s,
                                      .model = options.model,
                                      .gpus = options.gpus,
                                      .gpu_clock_mhz = options.gpu_clock_mhz,
                                      .gpu_sources = options.gpu_sources,
                                      .others_share = options.limits.others_share,
                                      .only_pages = options.running_server};
  if (protocol::is_triton(options.protocol) && options.statistics)
    watch.statistics = [access = access_of(options),
                        grpc = options.protocol == "triton-grpc"](const wire::Url& server) {
      return grpc ? observe::read_statistics_grpc(server, access)
                  : observe::read_statistics_http(server, access);
    };
  return observe::ServerWatch::make(std::move(watch));
}

Status check_stop(const BenchOptions& options, const protocol::Protocol& protocol, bool ensemble,
                  std::vector<std::string>& notes) {
  if (options.stop_by_request) {
    if (protocol.stopper() == nullptr)
      return invalid(
          fmt::format("--stop-by request needs a model with the input stop, which {} is not known "
                      "to have; give --stop-by close",
                      options.model));
    notes.emplace_back(
        "requests were stopped by stop requests; the server counts the stop requests as requests "
        "of the model");
  } else if (options.stop_after_ms > 0 && ensemble) {
    notes.push_back(
        fmt::format("{} is an ensemble, which Triton runs to completion after the client closes "
                    "the stream: --stop-after-ms shortens only the client's view",
                    options.model));
  }
  return {};
}

protocol::ServerQuery query_of(const BenchOptions& options, const wire::Url& url,
                               const wire::Access& access, int timeout_ms) {
  return {.url = url,
          .protocol = options.protocol,
          .model = options.model,
          .access = access,
          .timeout_ms = timeout_ms};
}

// Returns ERROR, the result of asking about the model, or what to change if the server is of
// another kind.
Error explained(const BenchOptions& options, const wire::Url& url, const wire::Access& access,
                const Error& error) {
  if (error.kind == ErrorKind::interrupted) return error;
  const std::string why =
      protocol::explain_refusal(query_of(options, url, access, query_timeout_ms(options)));
  return why.empty() ? error : Error(invalid(fmt::format("{} ({})", why, error.message)));
}

// For all requests, and for the first one if it carries an adapter.
struct Protocols {
  std::unique_ptr<protocol::Protocol> all, first;
};

Result<Protocols> make_both(const BenchOptions& options, const protocol::ProtocolRow& row,
                            protocol::RequestShape shape) {
  Protocols out;
  if (!options.adapter.empty()) {
    protocol::RequestShape first = shape;
    first.arrays = options.adapter;
    ORCH_ASSIGN(out.first, row.make(std::move(first)));
  }
  ORCH_ASSIGN(out.all, row.make(std::move(shape)));
  return out;
}

// The protocols for OPTIONS. If the protocol supports it, first asks the server for the inputs of
// the model.
Result<Protocols> make_protocols(const BenchOptions& options, const wire::Url& url,
                                 const wire::Access& access, std::vector<std::string>& notes) {
  ORCH_ASSIGN(const protocol::ProtocolRow* row, protocol::find_protocol(options.protocol));
  protocol::RequestShape shape{.url = url,
                               .model = options.model,
                               .stream = options.stream,
                               .osl = options.osl,
                               .forced_osl = !options.eos,
                               .batch = options.batch,
                               .sampling = options.sampling,
                               .authorization = options.authorization,
                               .headers = options.headers,
                               .send_ids = options.send_ids,
                               .stoppable = options.stop_by_request,
                               .inputs = options.inputs};
  if (row->ask != nullptr) {
    Result<protocol::ModelFacts> facts =
        row->ask(query_of(options, url, access, connect_timeout_ms(options)));
    if (!facts.ok() && facts.error().kind != ErrorKind::not_found)
      return explained(options, url, access, facts.error());
    if (facts.ok()) shape.facts = std::move(*facts);
    else notes.push_back(facts.error().message);
  }
  const bool ensemble = shape.facts && shape.facts->ensemble;
  ORCH_ASSIGN(Protocols protocols, make_both(options, *row, std::move(shape)));
  const protocol::Protocol& protocol = *protocols.all;
  ORCH_TRY(check_stop(options, protocol, ensemble, notes));
  if (options.send_ids && !protocol.traits().takes_ids)
    notes.push_back(fmt::format("{} takes no token ids: --ids has no effect", options.model));
  for (const std::string& input : protocol.traits().omitted_inputs)
    notes.push_back(fmt::format("the model has no input {}: it is not sent", input));
  return protocols;
}

constexpr std::string_view k_remedy =
    "check --url, --protocol, --model and the options of the request, or leave this request out "
    "with --no-first-request";

bool timed_out(const BenchOptions& options, const measure::RequestRecord& record) {
  return static_cast<double>(record.end_ns - record.sent_ns) >= options.timeout_s * 1e9;
}

// Whether the failure of RECORD means that every request of a load would fail. They all would if
// RECORD was meant to load the adapter that they use.
bool is_final(const BenchOptions& options, const measure::RequestRecord& record) {
  if (!options.adapter.empty()) return true;
  if (record.refused)
    return !record.has_events() && refusal_kind(record.status) == RefusalKind::permanent;
  if (record.lost_server || record.client_failed) return true;
  return record.status == 0 && !timed_out(options, record);  // it did not answer with HTTP
}

class FirstRequest {
 public:
  FirstRequest(const RunContext& context, std::size_t server)
      : context_(context), options_(context.options), server_(server) {}

  Result<measure::RequestRecord> send() {
    LoadLoop::Options loop_options = loop_options_of(context_);
    loop_options.endpoints = {context_.target.endpoints[server_]};
    loop_options.deadlines.stop_after_ns = 0;
    LoadLoop loop(std::move(loop_options));
    ORCH_TRY(loop.open(1));
    PhaseProgress progress(context_.progress.status, "first request", 1, 0);
    ORCH_ASSIGN(LoadLoop::Phase phase, loop.run({.requests = {&context_.supply.first(), 1},
                                                 .concurrency = 1,
                                                 .tally = progress.tally()}));
    progress.stop();
    if (phase.records.empty()) return interrupted_error(options_, 0);
    return std::move(phase.records.front());
  }

  // The failure of RECORD as one error with its remedy.
  Error explain(const measure::RequestRecord& record) const {
    const wire::Access access = access_of(options_);
    const std::string error = printable(record.error);
    if (record.client_failed) return {.kind = ErrorKind::io, .message = error};
    const std::string failed = fmt::format("{} {} the first request: {}", url(),
                                           record.refused ? "refused" : "did not answer", error);
    if (lacks_permission(record.status))
      return invalid(fmt::format("{}; {}", failed, protocol::token_remedy(access)));
    const std::string why = protocol::explain_refusal(
        query_of(options_, context_.target.urls[server_], access, query_timeout_ms(options_)));
    if (!why.empty()) return invalid(fmt::format("{} ({})", why, error));
    return {.kind = record.refused ? ErrorKind::invalid : ErrorKind::unavailable,
            .message = fmt::format("{}; {}", failed, k_remedy)};
  }

  const std::string& url() const { return options_.urls[server_]; }

 private:
  const RunContext& context_;
  const BenchOptions& options_;
  const std::size_t server_;
};

}  // namespace

Result<BenchTarget> open_target(const BenchOptions& options, const std::atomic<bool>& stopped) {
  ORCH_ASSIGN(std::vector<wire::Url> urls, parse_urls(options.urls, true));
  std::vector<wire::Endpoint> endpoints;
  for (const wire::Url& url : urls) {
    ORCH_ASSIGN(wire::Endpoint endpoint, wire::resolve(url));
    endpoints.push_back(std::move(endpoint));
  }
  ORCH_ASSIGN(std::vector<wire::Url> metrics_urls, parse_urls(options.metrics_urls, false));
  // The Host header names the first server in all requests: servers that share a load do not depend
  // on it.
  ORCH_ASSIGN(observe::ServerWatch watch, watch_servers(options, urls, std::move(metrics_urls)));
  std::vector<std::string> notes;
  if (options.insecure) notes.emplace_back("no certificate was checked: --insecure was given");
  wire::Access access = access_of(options);
  access.stop = &stopped;
  ORCH_ASSIGN(Protocols protocols, make_protocols(options, urls.front(), access, notes));
  return BenchTarget{.urls = std::move(urls),
                     .endpoints = std::move(endpoints),
                     .protocol = std::move(protocols.all),
                     .adapter_protocol = std::move(protocols.first),
                     .watch = std::move(watch),
                     .notes = std::move(notes)};
}

wire::Access access_of(const BenchOptions& options) {
  return {.authorization = options.authorization,
          .headers = options.headers,
          .ca_file = options.ca_file,
          .verify = !options.insecure,
          .secrets = options.secrets};
}

int connect_timeout_ms(const BenchOptions& options) {
  return static_cast<int>(
      std::clamp(options.timeout_s * 1e3, 1.0, static_cast<double>(wire::k_connect_timeout_ms)));
}

int query_timeout_ms(const BenchOptions& options) {
  constexpr int k_query_timeout_ms = 2'000;
  return std::min(connect_timeout_ms(options), k_query_timeout_ms);
}

bool forces_osl(const BenchOptions& options, const protocol::Protocol& protocol) {
  return !options.eos && protocol.traits().forces_length;
}

std::int64_t FirstRequests::succeeded() const {
  return std::ranges::count_if(
      sent, [](const record::FirstRequest& request) { return request.error.empty(); });
}

Result<FirstRequests> send_first_requests(const RunContext& context) {
  FirstRequests out;
  for (std::size_t server = 0; server < context.target.endpoints.size(); ++server) {
    FirstRequest request(context, server);
    ORCH_ASSIGN(const measure::RequestRecord record, request.send());
    if (!record.ok() && is_final(context.options, record)) return request.explain(record);
    if (!record.ok())
      out.warnings.push_back(
          fmt::format("the first request to {} failed: {}", request.url(), record.error));
    out.sent.push_back(
        {.url = request.url(),
         .status = record.status,
         .latency_ms = static_cast<double>(record.end_ns - record.sent_ns) / measure::k_ns_per_ms,
         .error = record.error});
  }
  return out;
}

}  // namespace orch::load
