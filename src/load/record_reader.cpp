#include "load/record_reader.hpp"

namespace orch::load {
namespace {

std::string shorten(std::string_view text, std::size_t limit = 300) {
  return text.size() <= limit ? std::string(text) : fmt::format("{}...", text.substr(0, limit));
}

constexpr int k_ok = 200;

}  // namespace

void RecordReader::take(wire::Exchange& exchange, Reading& reading) const {
  if (exchange.status != k_ok || exchange.unstreamed) return;  // its body says why, and is read at the end
  measure::RequestRecord& record = reading.record;
  exchange.take_events([&](std::string_view data, const wire::Exchange::Event& event) {
    switch (options_.protocol->read_event(data, reading.told)) {
      case EventKind::token:
        record.event_ns.push_back(event.ns);
        record.coalesced += event.coalesced;
        if (options_.keep_text_ends) record.text_ends.push_back(reading.told.text.size());
        break;
      case EventKind::other: break;
      case EventKind::failure: record.error = fmt::format("the server reported inside its answer: {}", shorten(reading.told.failure)); break;
      case EventKind::malformed: record.error = fmt::format("the server sent what is no event of this protocol: {}", shorten(data)); break;
    }
  });
  if (options_.keep_answers) return;
  reading.told.text.clear();
  for (std::string& other : reading.told.others) other.clear();
}

void RecordReader::finish(wire::Exchange& exchange, Reading& reading) const {
  take(exchange, reading);
  measure::RequestRecord& record = reading.record;
  record.streamed = options_.stream;
  record.sequences = options_.sequences;
  record.sent_ns = exchange.sent_ns;
  record.end_ns = exchange.end_ns;
  record.status = exchange.status;
  record.stopped = exchange.stopped;
  record.first_event_tokens = reading.told.first_event_tokens.value_or(std::max<std::int64_t>(1, options_.tokens_per_event));
  if (exchange.status == k_ok) count(reading);
  if (exchange.broken) {
    record.error = exchange.error;
    record.lost_server = exchange.lost_server;
  } else if (exchange.unstreamed) {
    const std::string words = refusal_of(exchange);
    record.error = "the server answered without a stream" + (words.empty() ? "" : ": " + words);
  } else if (exchange.status != k_ok && !exchange.stopped) {
    const std::string words = refusal_of(exchange);
    record.error = !exchange.error.empty() ? shorten(exchange.error) : fmt::format("HTTP {}: {}", exchange.status, words);
  }
  if (options_.keep_answers) record.answer = reading.told.answer();
}

// The server's words where its protocol has a place for them, else the body as it is.
std::string RecordReader::refusal_of(wire::Exchange& exchange) const {
  std::string body;
  exchange.take_events([&](std::string_view data, const wire::Exchange::Event&) { if (body.empty()) body = data; });
  const std::string message = options_.protocol->read_refusal(body);
  return shorten(message.empty() ? body : message);
}

void RecordReader::count(Reading& reading) const {
  measure::RequestRecord& record = reading.record;
  const Told& told = reading.told;
  record.isl_reported = told.isl;
  record.osl_reported = told.osl;
  record.server_times = told.server_times;
  if (record.error.empty() && record.event_ns.empty() && !record.stopped) record.error = "the answer ended without a single token";
  record.odd_count = told.odd_count;
  const auto counted = [&](measure::CountedBy by, std::int64_t tokens) {
    record.osl_counted = tokens;
    record.counted_by = by;
  };
  if (told.ids > 0) counted(measure::CountedBy::ids, told.ids);
  else if (told.osl) counted(measure::CountedBy::usage, *told.osl);  // also where that is more than was asked for: it is what was made
  else if (options_.stream && options_.tokens_per_event > 0) counted(measure::CountedBy::events, (std::ssize(record.event_ns) + told.more_texts) * options_.tokens_per_event);
  else if (options_.forced_osl && record.error.empty() && !record.stopped) counted(measure::CountedBy::forced, record.osl_requested);
}

}  // namespace orch::load
