#include "bench/load/response_reader.hpp"

namespace orch::load {
namespace {

std::string shorten(std::string_view text, std::size_t limit = 300) {
  return text.size() <= limit ? std::string(text) : fmt::format("{}...", text.substr(0, limit));
}

constexpr int k_ok = 200;
constexpr std::int64_t k_clocks_apart_ns = 1'000'000;

// Limits of one answer. The limit of events grows with the requested tokens.
constexpr std::size_t k_text_limit_bytes = std::size_t{64} << 20;
constexpr std::int64_t k_events_limit = 1'000'000;
constexpr std::int64_t k_events_limit_per_token = 64;
// The part of a malformed event that is searched for secrets and shown.
constexpr std::size_t k_look_bytes = 4 * 1024;

// Events of a gRPC call precede its status, so a failed call may have events as well.
bool has_events(const wire::Exchange& exchange) {
  return exchange.status == k_ok || exchange.status > wire::k_grpc_status;
}

std::size_t text_bytes(const protocol::AnswerState& state) {
  std::size_t bytes = state.text.size() + state.failure.size() + state.values.size();
  for (const std::string& other : state.further_texts) bytes += other.size();
  return bytes;
}

// Some servers begin an answer with an event that carries no token. It looks like a token without
// text (half a character) until the answer turns out to have fewer tokens than events.
void drop_opening_events(Reading& reading) {
  measure::RequestRecord& record = reading.record;
  const std::int64_t events = std::ssize(record.event_ns);
  if (!record.osl_counted || record.sequences != 1 || reading.opening_events == events) return;
  const std::int64_t drop = std::min(reading.opening_events, events - *record.osl_counted);
  if (drop <= 0) return;
  record.event_ns.erase(record.event_ns.begin(), record.event_ns.begin() + drop);
  if (std::ssize(record.text_ends) > drop)
    record.text_ends.erase(record.text_ends.begin(), record.text_ends.begin() + drop);
  record.coalesced = std::min(record.coalesced, events - drop - 1);
}

}  // namespace

void RecordReader::take(wire::Exchange& exchange, Reading& reading) const {
  if (!has_events(exchange) || exchange.unstreamed) return;  // finish() reads its body as a refusal
  measure::RequestRecord& record = reading.record;
  reading.state.sequences = options_.sequences;
  reading.state.keeps_values = options_.keep_values;
  if (reading.events == 0) reading.state.prompt_ids = record.isl;
  exchange.take_events([&](std::string_view data, const wire::Exchange::Event& event) {
    if (!reading.too_long.empty()) return;
    ++reading.events;
    protocol::EventKind kind = options_.protocol->read_event(data, reading.state);
    // An unterminated event was truncated, unless it can be read and has no token ([DONE]).
    if (event.unended &&
        (kind == protocol::EventKind::token || kind == protocol::EventKind::malformed)) {
      kind = protocol::EventKind::malformed;
      if (record.error.empty()) record.error = "the stream ended inside an event";
    }
    // A named event type means that clients which do not know it skip the event.
    if (kind == protocol::EventKind::malformed && event.named && !event.unended) {
      kind = protocol::EventKind::other;
      if (reading.skipped_event.empty()) reading.skipped_event = excerpt(data);
    }
    switch (kind) {
      case protocol::EventKind::token: take_token(event, reading); break;
      case protocol::EventKind::other:
        if (reading.end_event_ns == 0 && !reading.state.ended.empty())
          reading.end_event_ns = event.ns;
        break;
      case protocol::EventKind::failure:
        record.refused = true;
        if (record.error.empty())
          record.error = reading.state.failure.empty()
                             ? "the server reported a failure inside its answer, without a message"
                             : fmt::format("the server reported inside its answer: {}",
                                           excerpt(reading.state.failure));
        break;
      case protocol::EventKind::malformed:
        record.refused = record.refused || !event.unended;
        if (record.error.empty()) record.error = malformed_event(data, reading.state);
        reading.state.malformed_reason.clear();
        break;
    }
  });
  check_size(reading);
  if (options_.keep_answers) return;
  reading.discarded_bytes +=
      text_bytes(reading.state) - reading.state.failure.size() - reading.state.values.size();
  reading.state.text.clear();
  for (std::string& other : reading.state.further_texts) other.clear();
}

void RecordReader::take_token(const wire::Exchange::Event& event, Reading& reading) const {
  measure::RequestRecord& record = reading.record;
  const protocol::AnswerState& state = reading.state;
  reading.opening_events +=
      state.event.empty && reading.opening_events == std::ssize(record.event_ns);
  record.event_ns.push_back(event.ns);
  record.coalesced += event.coalesced;
  if (state.event.reasoning && !record.first_reasoning_ns) record.first_reasoning_ns = event.ns;
  if (state.event.visible && !record.first_visible_ns) record.first_visible_ns = event.ns;
  if (options_.keep_text_ends) record.text_ends.push_back(state.text.size());
}

void RecordReader::check_size(Reading& reading) const {
  const std::int64_t events =
      std::max(k_events_limit, k_events_limit_per_token * reading.record.osl_requested);
  if (reading.discarded_bytes + text_bytes(reading.state) > k_text_limit_bytes)
    reading.too_long = fmt::format("the answer was cut off: it has more than {} MiB of text",
                                   k_text_limit_bytes >> 20);
  else if (reading.events > events)
    reading.too_long =
        fmt::format("the answer was cut off: it has more than {} events for {} requested tokens",
                    events, reading.record.osl_requested);
  if (!reading.too_long.empty()) reading.record.error = reading.too_long;
}

std::string RecordReader::malformed_event(std::string_view data,
                                          const protocol::AnswerState& state) const {
  if (!options_.stream && data.starts_with("data:"))
    return fmt::format("the server answered with a stream instead of one body: {}", excerpt(data));
  if (state.malformed_reason.empty() && data.empty())
    return "the server sent an event without data";
  return fmt::format("the server sent an event that is not of this protocol: {}",
                     excerpt(state.malformed_reason.empty() ? data : state.malformed_reason));
}

// TEXT from a server, redacted and shortened for a message.
std::string RecordReader::excerpt(std::string_view text) const {
  return shorten(wire::blacked_out(options_.access, std::string(text.substr(0, k_look_bytes))));
}

void RecordReader::finish(wire::Exchange& exchange, Reading& reading) const {
  take(exchange, reading);
  measure::RequestRecord& record = reading.record;
  record.streamed = options_.stream;
  record.sequences = options_.sequences;
  record.sent_ns = exchange.sent_ns;
  record.end_ns = exchange.end_ns;
  record.status = exchange.status;
  record.stopped = exchange.stopped || (reading.asked_to_stop && !exchange.broken &&
                                        !exchange.unstreamed && exchange.status == k_ok);
  record.first_event_told = reading.state.first_event_tokens.has_value();
  record.first_event_tokens = reading.state.first_event_tokens.value_or(
      std::max<std::int64_t>(1, options_.tokens_per_event));
  if (has_events(exchange)) count(exchange, reading);
  // The answer was complete before the server received the stop request.
  if (reading.asked_to_stop && record.osl_counted && *record.osl_counted >= record.osl_requested)
    record.stopped = false;
  if (exchange.broken && !record.error.empty()) {
    // The server explained the failure before it closed the connection, so it was not lost.
    if (record.error != exchange.error) record.error += "; then " + exchange.error;
  } else if (exchange.broken) {
    record.error = exchange.error;
    record.lost_server = exchange.lost_server;
    record.client_failed = exchange.client_failed;
  } else if (exchange.unstreamed) {
    record.refused = true;
    const std::string words = refusal_of(exchange);
    record.error = "the server answered without a stream" + (words.empty() ? "" : ": " + words);
  } else if (exchange.status != k_ok && !exchange.stopped) {
    record.refused = true;
    const std::string words = refusal_of(exchange),
                      before = record.error.empty() ? "" : record.error + "; then ";
    record.error =
        before + (!exchange.error.empty()
                      ? excerpt(exchange.error)
                      : fmt::format("HTTP {}{}", exchange.status,
                                    words.empty() ? " without a message" : ": " + words));
  }
  record.values = std::move(reading.state.values);
  if (options_.keep_answers) record.answer = std::move(reading.state).answer();
  for (std::string* text : {&record.error, &record.odd_count})
    wire::black_out(options_.access, *text);
}

// The server's message if the protocol has a field for it, else the whole body.
std::string RecordReader::refusal_of(wire::Exchange& exchange) const {
  std::string body;
  exchange.take_events([&](std::string_view data, const wire::Exchange::Event&) {
    if (body.empty()) body = data;
  });
  const std::string message = options_.protocol->read_refusal(body);
  return excerpt(message.empty() ? body : message);
}

// A request cannot take longer on the server than the client waited, apart from clock drift.
void RecordReader::take_server_times(Reading& reading) const {
  measure::RequestRecord& record = reading.record;
  if (!reading.state.server_times) return;
  const std::int64_t latency_ns = record.end_ns - record.sent_ns;
  record.odd_server_times = reading.state.server_times->last_token_ns >
                            latency_ns + latency_ns / 1000 + k_clocks_apart_ns;
  if (!record.odd_server_times) record.server_times = reading.state.server_times;
}

void RecordReader::count(const wire::Exchange& exchange, Reading& reading) const {
  measure::RequestRecord& record = reading.record;
  const protocol::AnswerState& state = reading.state;
  // Some servers report zeros while the usage is unknown.
  if (state.isl != 0) record.isl_reported = state.isl;
  if (state.osl != 0 || record.event_ns.empty()) record.osl_reported = state.osl;
  record.isl_cached = state.isl_cached;
  take_server_times(reading);
  const bool well = exchange.status == k_ok && !exchange.broken;
  // In an answer without text, the final event carries the end token.
  if (well && record.event_ns.empty() && reading.end_event_ns != 0 &&
      state.osl.value_or(state.ended_early ? 1 : 0) > 0) {
    record.event_ns = {reading.end_event_ns};
    record.osl_reported = state.osl;
  }
  if (record.error.empty() && !record.stopped && well) record.error = why_not_complete(reading);
  // Kept only for answers that also have reasoning.
  if (!record.first_reasoning_ns) record.first_visible_ns.reset();
  record.odd_count = state.invalid_count;
  const auto counted = [&](measure::CountedBy by, std::int64_t tokens) {
    record.osl_counted = tokens;
    record.counted_by = by;
  };
  const std::int64_t by_events =
      (std::ssize(record.event_ns) + state.extra_texts) * options_.tokens_per_event;
  const bool forced =
      options_.forced_osl && !state.ended_early && record.error.empty() && !record.stopped && well;
  // The server says that it made the requested number of tokens: in fewer events if some carry
  // several, or in more if the first ones only open the answer.
  const bool reached = forced && state.ended_full && record.sequences == 1 &&
                       by_events <= record.osl_requested + reading.opening_events;
  if (state.id_count > 0) counted(measure::CountedBy::ids, state.id_count);
  else if (record.osl_reported)
    // Even if it exceeds the request: these tokens were generated.
    counted(measure::CountedBy::usage, *record.osl_reported);
  else if (options_.stream && options_.tokens_per_event == 1 && reached)
    counted(
        by_events == record.osl_requested ? measure::CountedBy::events : measure::CountedBy::forced,
        record.osl_requested);
  else if (options_.stream && options_.tokens_per_event > 0)
    counted(measure::CountedBy::events, by_events);
  else if (forced) counted(measure::CountedBy::forced, record.osl_requested);
  drop_opening_events(reading);
}

std::string RecordReader::why_not_complete(const Reading& reading) const {
  if (!reading.record.event_ns.empty()) return options_.protocol->why_incomplete(reading.state);
  return reading.skipped_event.empty()
             ? "the answer ended without a single token"
             : fmt::format(
                   "the answer ended without a single token; its first event of a type that "
                   "is not part of this protocol: {}",
                   reading.skipped_event);
}

}  // namespace orch::load
