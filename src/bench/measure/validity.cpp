#include "bench/measure/validity.hpp"

#include "bench/measure/metric_names.hpp"
#include "bench/measure/over_repeats.hpp"
#include "core/base/text.hpp"

#include <cmath>
#include <limits>

namespace orch::measure {
std::optional<double> cached_share(const Window& window) {
  std::int64_t cached = 0, all = 0;
  bool is_reported = false;
  for (const RequestRecord& record : window.records) {
    if (!record.isl_reported) continue;
    is_reported = is_reported || record.isl_cached.has_value();
    cached += std::min(record.isl_cached.value_or(0), *record.isl_reported);
    all += *record.isl_reported;
  }
  if (!is_reported || all <= 0) return {};
  return static_cast<double>(cached) / static_cast<double>(all);
}

namespace {

// "3 of 40 requests PREDICATE, the first: ERROR", over the failed records that satisfy FITS.
template <class Fits>
std::optional<std::string> failures(const Window& window, std::string_view predicate, Fits fits) {
  std::int64_t failed = 0;
  const RequestRecord* first = nullptr;
  for (const RequestRecord& record : window.records) {
    if (record.ok() || !fits(record)) continue;
    ++failed;
    if (first == nullptr) first = &record;
  }
  if (first == nullptr) return {};
  return fmt::format("{} of {} {}, the first: {}", failed, plural(window.records.size(), "request"),
                     predicate, first->error);
}

const Statistics* statistics_of(const MetricValue& value) {
  return std::get_if<Statistics>(&value);
}

// The limit depends on the mean TTFT, or on the mean latency of unstreamed answers.
std::optional<std::string> late_wake_ups(const Window& window, const ValidityLimits& limits) {
  if (window.client.wake_lag.count() == 0) return {};
  const double lag_ms =
      static_cast<double>(window.client.wake_lag.percentile_ns(0.99)) / k_ns_per_ms;
  double limit_ms = limits.wake_lag_ms;
  for (const std::string_view first : {metric::ttft_ms, metric::request_latency_ms}) {
    const MetricValue first_ms = find_metric(first)->compute(window);
    const Statistics* all = statistics_of(first_ms);
    if (all == nullptr) continue;
    limit_ms = std::max(limit_ms, limits.wake_lag_share_of_ttft * all->mean);
    break;
  }
  if (lag_ms <= limit_ms) return {};
  return fmt::format(
      "the client's wake-up lag is too large: p99 {:.2f} ms, limit {:.2f} ms; give it a core of "
      "its own{}",
      lag_ms, limit_ms,
      window.client.scheduling == "real-time"
          ? ""
          : " or let it take real-time priority (CAP_SYS_NICE)");
}

double mean_gap_ms(std::span<const RequestRecord> records) {
  std::int64_t first = std::numeric_limits<std::int64_t>::max();
  std::int64_t last = std::numeric_limits<std::int64_t>::min();
  std::int64_t n = 0;
  for (const RequestRecord& record : records) {
    if (!record.due_ns) continue;
    first = std::min(first, *record.due_ns);
    last = std::max(last, *record.due_ns);
    ++n;
  }
  return n < 2 ? 0 : static_cast<double>(last - first) / static_cast<double>(n - 1) / k_ns_per_ms;
}

std::optional<std::string> late_sends(const Window& window, const ValidityLimits& limits) {
  const MetricValue lag_ms = find_metric(metric::send_lag_ms)->compute(window);
  const Statistics* all = statistics_of(lag_ms);
  if (all == nullptr) return {};
  const double limit_ms =
      std::max(limits.send_lag_ms, limits.send_lag_share_of_gap * mean_gap_ms(window.records));
  if (all->p99 <= limit_ms) return {};
  return fmt::format(
      "the send lag is too large: p99 {:.2f} ms, limit {:.2f} ms; give the client a core of its "
      "own, raise the limit of open requests, or check whether the server is slow to accept "
      "connections",
      all->p99, limit_ms);
}

std::optional<std::string> busy_client(const Window& window, const ValidityLimits& limits) {
  const double share = window.client.cpu_share.value_or(0);
  if (share <= limits.client_cpu_share) return {};
  return fmt::format("its thread used {:.0f} % of a core, limit {:.0f} %", share * 100,
                     limits.client_cpu_share * 100);
}

// nullopt if there are too few values to decide.
std::optional<SteadyState> latency_steady_state(const Window& window) {
  const MetricRow& latency =
      find_metric(metric::request_latency_ms)->from_scheduled_send(window.open_loop);
  std::vector<double> values;
  values.reserve(window.records.size());
  for (const RequestRecord& record : window.records)
    if (const std::optional<double> value = latency.of(window, record)) values.push_back(*value);
  return steady_state(latency.name, values);
}

struct LengthRange {
  std::int64_t low = std::numeric_limits<std::int64_t>::max();
  std::int64_t high = std::numeric_limits<std::int64_t>::min();

  void add(std::int64_t value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
  std::string text() const {
    return low == high ? fmt::format("{}", low) : fmt::format("{} to {}", low, high);
  }
};

// A shorter answer is expected unless its length is FORCED: an end token may end it.
std::optional<std::string> unexpected_lengths(const Window& window, bool forced) {
  std::int64_t different = 0;
  std::int64_t counted = 0;
  bool by_events = true;
  LengthRange asked, got;
  for (const RequestRecord& record : window.records) {
    if (!record.ok() || record.stopped || !record.osl_counted) continue;
    ++counted;
    if (*record.osl_counted == record.osl_requested ||
        (!forced && *record.osl_counted < record.osl_requested))
      continue;
    ++different;
    asked.add(record.osl_requested);
    got.add(*record.osl_counted);
    by_events &= record.counted_by == CountedBy::events;
  }
  if (different == 0) return {};
  return fmt::format("{} of {} answers {}: {}{} instead of {} tokens{}", different, counted,
                     forced ? "differ from the requested length" : "are longer than requested",
                     got.text(), by_events ? " events, each counted as a token," : "", asked.text(),
                     by_events ? "; where an event has several, give --tokenizer DIR or "
                                 "--tokens-per-event N, or let the server report its usage"
                               : "");
}

// Every event with text has at least one token.
std::optional<std::string> fewer_tokens_than_events(const Window& window) {
  std::int64_t odd = 0, answers = 0, events = 0, tokens = 0;
  for (const RequestRecord& record : window.records) {
    if (!record.ok() || record.stopped || record.counted_by != CountedBy::usage) continue;
    ++answers;
    // The last event may be the rest of the previous token.
    if (!record.streamed || std::ssize(record.event_ns) <= *record.osl_counted + 1) continue;
    ++odd;
    events += std::ssize(record.event_ns);
    tokens += *record.osl_counted;
  }
  if (odd == 0) return {};
  return fmt::format(
      "{} of {} answers have more events with text than tokens by the server's count, {} and {} in "
      "all: output_tps and itl_ms follow its count, and may be wrong; --tokenizer DIR counts "
      "without it",
      odd, answers, events, tokens);
}

// Prompt tokens of the same requests, as counted by the server and by the client.
struct PromptTokens {
  double requests = 0, server = 0, client = 0;
};

// Uses the answers that report a count. Without any, uses the server's metrics pages if they
// counted exactly these requests.
PromptTokens prompt_tokens(const Window& window) {
  PromptTokens reported, sent;
  for (const RequestRecord& record : window.records) {
    if (!record.isl) continue;
    const auto isl = static_cast<double>(*record.isl);
    sent = {sent.requests + 1, 0, sent.client + isl};
    if (record.isl_reported)
      reported = {reported.requests + 1,
                  reported.server + static_cast<double>(*record.isl_reported),
                  reported.client + isl};
  }
  if (reported.requests > 0 || window.server.input_requests != sent.requests ||
      sent.requests != static_cast<double>(window.records.size()))
    return reported;
  sent.server = window.server.input_tokens.value_or(sent.client);
  return sent;
}

// A server may add a few tokens to a prompt, more with a chat template, but never removes any.
std::optional<std::string> prompt_count_mismatch(const Window& window) {
  const PromptTokens tokens = prompt_tokens(window);
  if (tokens.requests == 0) return {};
  const double reported = tokens.server / tokens.requests,
               counted = tokens.client / tokens.requests;
  constexpr double k_rounding = 0.5, k_template = 64, k_template_share = 1.1;
  if (reported > counted - k_rounding && reported < counted * k_template_share + k_template)
    return {};
  return fmt::format(
      "the server counts {:.1f} prompt tokens per request, the client {:.1f}: isl_counted and "
      "input_tps use the client's count; give the model's own --tokenizer, or leave isl out of the "
      "prompts",
      reported, counted);
}

// Requests that were stopped before their first token have no latency, and are the slowest ones.
std::optional<std::string> stopped_before_tokens(const Window& window, std::int64_t stopped) {
  if (stopped == 0) return {};
  return fmt::format(
      "{} of {} requests were stopped before their first token: latencies exclude them and look "
      "better than they are; stop requests later",
      stopped, window.records.size());
}

std::optional<std::string> cached_prompts(const Window& window) {
  constexpr double k_small = 0.1;
  const double share = cached_share(window).value_or(0);
  if (share <= k_small) return {};
  return fmt::format(
      "the server had {:.0f} % of the prompt tokens in its cache: ttft_ms and input_tps are those "
      "of cached prompts",
      100.0 * share);
}

std::optional<std::string> fewer_than_concurrency(const Window& window) {
  if (std::ssize(window.records) >= window.concurrency) return {};
  return fmt::format("{} concurrent requests were requested, but there were only {}",
                     window.concurrency, window.records.size());
}

std::optional<std::string> invalid_counts(const Window& window) {
  std::int64_t odd = 0;
  const RequestRecord* first = nullptr;
  for (const RequestRecord& record : window.records) {
    if (record.odd_count.empty()) continue;
    ++odd;
    if (first == nullptr) first = &record;
  }
  if (first == nullptr) return {};
  return fmt::format(
      "{} of {} answers report an invalid token count, the first: {}; their counts are ignored (a "
      "count is a whole number from 0 to 1000000000)",
      odd, window.records.size(), quoted(first->odd_count));
}

// A server may count a batch request once, or each of its answers.
std::optional<std::string> request_count_mismatch(const Window& window) {
  if (!window.server.output_requests) return {};
  const std::int64_t server = std::llround(*window.server.output_requests);
  std::int64_t requests = 0;
  std::int64_t answers = 0;
  for (const RequestRecord& record : window.records) {
    if (!record.ok()) continue;
    ++requests;
    answers += record.sequences;
  }
  if (server == requests || server == answers) return {};
  return fmt::format(
      "the server's metrics page counts {} requests in the window, the client {}; another client "
      "used the server, or its page lags",
      server, requests);
}

// Events that arrive together were held back after the model: by a gateway, a proxy or the server's
// own buffer.
std::optional<std::string> bursts(const Window& window) {
  constexpr std::int64_t k_together_ns = 50'000;
  constexpr std::int64_t k_shortest_ns = 50'000'000;  // a faster answer was not held back
  constexpr double k_share = 0.5;
  std::int64_t later = 0, together = 0;
  for (const RequestRecord& record : window.records) {
    if (!record.ok() || !record.streamed || record.sequences > 1) continue;
    const bool held = record.has_events() && record.last_ns() - record.sent_ns >= k_shortest_ns;
    for (std::size_t i = 1; held && i < record.event_ns.size(); ++i)
      together += record.event_ns[i] - record.event_ns[i - 1] < k_together_ns;
    later += std::max<std::int64_t>(0, std::ssize(record.event_ns) - 1);
  }
  if (static_cast<double>(together) <= k_share * static_cast<double>(later)) return {};
  return fmt::format(
      "the stream arrived in bursts: {} of {} events came together with the one before; ttft_ms "
      "and "
      "itl_ms are those of what holds the stream back (a gateway, a proxy, a buffer of the server)",
      together, later);
}

std::string why_none_succeeded(std::span<const RequestRecord> records) {
  // Every request was accepted, but no byte of an answer arrived within its time limit.
  const bool silent = std::ranges::all_of(records, [](const RequestRecord& record) {
    return !record.has_events() && record.error.starts_with("no complete answer within");
  });
  return silent ? fmt::format("no request succeeded: {}", k_answers_nothing)
                : "no request succeeded";
}

std::optional<std::string> resent_requests(const ClientHealth& client) {
  if (client.resent == 0) return {};
  const bool one = client.resent == 1;
  return fmt::format(
      "{} request{} sent a second time: the server had closed {} connection{}, or refused {} "
      "unread, before the first byte of an answer; {} times count from the first send",
      client.resent, one ? " was" : "s were", one ? "its" : "their", one ? "" : "s",
      one ? "it" : "them", one ? "its" : "their");
}

std::optional<std::string> out_of_step(const ClientHealth& client) {
  if (client.out_of_step == 0) return {};
  const bool one = client.out_of_step == 1;
  return fmt::format(
      "{} connection{} given up: the server had sent bytes on {} that belong to no request, and "
      "may have mixed up answers",
      client.out_of_step, one ? " was" : "s were", one ? "it" : "them");
}

std::optional<std::string> odd_server_times(const Window& window) {
  const auto odd = std::ranges::count_if(window.records, &RequestRecord::odd_server_times);
  if (odd == 0) return {};
  return fmt::format(
      "{} of {} answers report server times that are longer than the answer took; these times are "
      "ignored",
      odd, window.records.size());
}

}  // namespace

Verdict judge(const Window& window, const Asked& asked, const ValidityLimits& limits) {
  Verdict verdict;
  const auto invalid_if = [&](std::optional<std::string> reason) {
    if (reason) verdict.reasons.push_back(std::move(*reason));
  };
  const auto warn_if = [&](std::optional<std::string> warning) {
    if (warning) verdict.warnings.push_back(std::move(*warning));
  };

  const auto sent = static_cast<std::int64_t>(window.records.size());
  if (sent < asked.requests)
    invalid_if(
        fmt::format("{} of {} requests were not sent", asked.requests - sent, asked.requests));
  invalid_if(failures(window, "lost the server",
                      [](const RequestRecord& record) { return record.lost_server; }));
  invalid_if(failures(window, "failed on the client's side",
                      [](const RequestRecord& record) { return record.client_failed; }));
  warn_if(failures(window, "failed", [](const RequestRecord& record) {
    return !record.lost_server && !record.client_failed;
  }));
  warn_if(resent_requests(window.client));
  warn_if(out_of_step(window.client));
  const auto succeeded = std::ranges::count_if(window.records, &RequestRecord::ok);
  if (sent > 0 && succeeded == 0) invalid_if(why_none_succeeded(window.records));
  const auto stopped = std::ranges::count_if(window.records, [](const auto& record) {
    return record.ok() && record.stopped && record.event_ns.empty();
  });
  if (auto early = stopped_before_tokens(window, stopped))
    (stopped == succeeded ? verdict.reasons : verdict.warnings).push_back(std::move(*early));
  if (succeeded > 0 && duration_s(window.records) <= 0)
    invalid_if("the window has no length: first send and last response coincide");
  if (window.open_loop) invalid_if(late_sends(window, limits));
  else if (!asked.max) invalid_if(late_wake_ups(window, limits));
  if (const auto busy = busy_client(window, limits)) {
    if (asked.max)
      verdict.warnings.push_back(
          "client_bound: the client was the bottleneck, and the server may be faster than this: " +
          *busy);
    else verdict.reasons.push_back("the client was the bottleneck: " + *busy);
  } else if (asked.max) {
    warn_if(late_wake_ups(window, limits));  // the client was not busy: others used its core
  }

  warn_if(fewer_than_concurrency(window));
  warn_if(unexpected_lengths(window, asked.forced_osl));
  warn_if(fewer_tokens_than_events(window));
  warn_if(prompt_count_mismatch(window));
  warn_if(cached_prompts(window));
  warn_if(bursts(window));
  warn_if(invalid_counts(window));
  warn_if(odd_server_times(window));
  if (const std::optional<SteadyState> state = latency_steady_state(window)) {
    verdict.steady = state->steady;
    if (!state->steady) verdict.warnings.push_back(state->sentence);
  }
  warn_if(request_count_mismatch(window));
  verdict.valid = verdict.reasons.empty();
  return verdict;
}

}  // namespace orch::measure
