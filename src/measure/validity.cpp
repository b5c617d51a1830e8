#include "measure/validity.hpp"

#include <cmath>

namespace orch::measure {
namespace {

constexpr double k_ns_per_ms = 1e6;

// "3 of 40 requests WHAT, the first: TEXT", of the records that FITS takes.
template <class Fits>
std::optional<std::string> failures(const Window& window, std::string_view what, Fits fits) {
  std::int64_t failed = 0;
  const RequestRecord* first = nullptr;
  for (const RequestRecord& record : window.records) {
    if (record.ok() || !fits(record)) continue;
    ++failed;
    if (first == nullptr) first = &record;
  }
  if (first == nullptr) return {};
  return fmt::format("{} of {} request{} {}, the first: {}", failed, window.records.size(), window.records.size() == 1 ? "" : "s", what, first->error);
}

std::optional<std::string> late_wake_ups(const Window& window, const ValidityLimits& limits) {
  if (window.client.wake_lag.count() == 0) return {};
  const double lag_ms = static_cast<double>(window.client.wake_lag.percentile_ns(0.99)) / k_ns_per_ms;
  double limit_ms = limits.wake_lag_ms;
  for (const Metric& metric : metrics_of(window))
    if (metric.row->name == "ttft_ms") limit_ms = std::max(limit_ms, limits.wake_lag_share_of_ttft * std::get<Statistics>(metric.value).mean);
  if (lag_ms <= limit_ms) return {};
  return fmt::format("the client woke up late: p99 {:.2f} ms, limit {:.2f} ms; give it a core of its own{}", lag_ms, limit_ms,
                     window.client.scheduling == "real-time" ? "" : " or let it take real-time priority (CAP_SYS_NICE)");
}

std::optional<std::string> busy_client(const Window& window, const ValidityLimits& limits) {
  const double share = window.client.cpu_share.value_or(0);
  if (share <= limits.client_cpu_share) return {};
  return fmt::format("the client was the bottleneck: its thread used {:.0f} % of a core, limit {:.0f} %", share * 100, limits.client_cpu_share * 100);
}

std::optional<std::string> other_lengths(const Window& window) {
  std::int64_t different = 0;
  std::int64_t counted = 0;
  const RequestRecord* example = nullptr;
  for (const RequestRecord& record : window.records) {
    if (!record.ok() || !record.osl_counted) continue;
    ++counted;
    if (*record.osl_counted == record.osl_requested) continue;
    ++different;
    if (example == nullptr) example = &record;
  }
  if (different == 0) return {};
  return fmt::format("{} of {} answers have another length than asked: request {} asked for {} tokens and got {}", different,
                     counted, example->index, example->osl_requested, *example->osl_counted);
}

std::optional<std::string> other_count(std::string_view what, std::optional<double> server, std::int64_t client) {
  if (!server || std::llround(*server) == client) return {};
  return fmt::format("the server's metrics page counts {} {} in the window, the client {}; somebody else used the server, or its page lags",
                     std::llround(*server), what, client);
}

}  // namespace

Verdict judge(const Window& window, const Asked& asked, const ValidityLimits& limits) {
  Verdict verdict;
  const auto invalid_if = [&](std::optional<std::string> reason) { if (reason) verdict.reasons.push_back(std::move(*reason)); };
  const auto warn_if = [&](std::optional<std::string> warning) { if (warning) verdict.warnings.push_back(std::move(*warning)); };

  const auto sent = static_cast<std::int64_t>(window.records.size());
  if (sent < asked.requests) invalid_if(fmt::format("{} of {} requests were not sent", asked.requests - sent, asked.requests));
  invalid_if(failures(window, "lost the server", [](const RequestRecord& record) { return record.lost_server; }));
  warn_if(failures(window, "failed", [](const RequestRecord& record) { return !record.lost_server; }));
  std::int64_t succeeded = 0;
  for (const RequestRecord& record : window.records) succeeded += record.ok();
  if (sent > 0 && succeeded == 0) invalid_if("no request succeeded");
  if (succeeded > 0 && duration_s(window.records) <= 0) invalid_if("the window has no length: first send and last response coincide");
  invalid_if(late_wake_ups(window, limits));
  invalid_if(busy_client(window, limits));

  if (asked.forced_osl) warn_if(other_lengths(window));
  warn_if(other_count("requests", window.server.output_requests, succeeded));
  verdict.valid = verdict.reasons.empty();
  return verdict;
}

}  // namespace orch::measure
