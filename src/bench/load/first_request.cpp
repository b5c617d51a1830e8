#include "bench/load/first_request.hpp"

#include <algorithm>

#include "core/base/text.hpp"
#include "bench/load/load_run.hpp"
#include "bench/load/phase_progress.hpp"
#include "bench/load/refusals.hpp"
#include "bench/protocol/server_kind.hpp"

namespace orch::load {
namespace {

constexpr std::string_view k_remedy =
    "check --url, --protocol, --model and the options of the request, or leave this request out "
    "with --no-first-request";

bool timed_out(const BenchOptions& options, const measure::RequestRecord& record) {
  return static_cast<double>(record.end_ns - record.sent_ns) >= options.timeout_s * 1e9;
}

// Whether every request of a load would fail in the same way. Without its adapter, each would.
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
    loop_options.stop_after_ns = 0;
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

  // One error that names the remedy.
  Error explain(const measure::RequestRecord& record) const {
    const wire::Access access = access_of(options_);
    const std::string error = printable(record.error);
    if (record.client_failed) return {.kind = ErrorKind::io, .message = error, .where = {}};
    const std::string failed = fmt::format("{} {} the first request: {}", url(),
                                           record.refused ? "refused" : "did not answer", error);
    if (lacks_permission(record.status))
      return invalid(fmt::format("{}; {}", failed, protocol::token_remedy(access)));
    const std::string why = protocol::explain_refusal({.url = context_.target.urls[server_],
                                                       .protocol = options_.protocol,
                                                       .model = options_.model,
                                                       .access = access,
                                                       .timeout_ms = query_timeout_ms(options_)});
    if (!why.empty()) return invalid(fmt::format("{} ({})", why, error));
    return {.kind = record.refused ? ErrorKind::invalid : ErrorKind::unavailable,
            .message = fmt::format("{}; {}", failed, k_remedy),
            .where = {}};
  }

  const std::string& url() const { return options_.urls[server_]; }

 private:
  const RunContext& context_;
  const BenchOptions& options_;
  const std::size_t server_;
};

}  // namespace

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
