// Turns an exchange into a request's record: the protocol reads the events, which are counted and
// discarded even before the answer is complete, so that memory use stays small.
#pragma once

#include "bench/measure/request_record.hpp"
#include "bench/protocol/protocol.hpp"
#include "bench/wire/endpoint.hpp"
#include "bench/wire/exchange.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace orch::load {

// A record under construction.
struct Reading {
  measure::RequestRecord record;
  protocol::AnswerState state;
  std::int64_t events = 0;
  std::int64_t end_event_ns = 0;    // of the event with the server's finish reason; 0: none
  std::int64_t opening_events = 0;  // with tokens but no text, before the first text
  std::string skipped_event;        // the first event whose type is not part of the protocol
  std::size_t discarded_bytes = 0;  // of text that is not kept
  bool asked_to_stop = false;       // a stop request was sent before the answer ended
  std::string too_long;             // the limit that the answer exceeds; "" if none
};

class RecordReader {
 public:
  struct Options {
    const protocol::Protocol* protocol = nullptr;  // borrowed
    bool stream = true;
    bool forced_osl = true;             // a complete answer has exactly the requested tokens
    std::int64_t tokens_per_event = 1;  // 0: it varies
    std::int64_t sequences = 1;         // per request
    bool keep_answers = true;
    bool keep_text_ends = false;  // needs keep_answers
    bool keep_values = false;     // log probabilities and logits
    wire::Access access = {};     // its secrets are redacted in errors, not in answers
  };

  explicit RecordReader(const Options& options) : options_(options) {}

  // Moves the complete events of EXCHANGE into READING. Once READING is too long, discards events;
  // the caller should then end the exchange.
  void take(wire::Exchange& exchange, Reading& reading) const;
  // The same for an exchange that has ended; also completes the record.
  void finish(wire::Exchange& exchange, Reading& reading) const;

 private:
  void check_size(Reading& reading) const;
  void take_server_times(Reading& reading) const;
  void take_token(const wire::Exchange::Event& event, Reading& reading) const;
  void count(const wire::Exchange& exchange, Reading& reading) const;
  std::string why_not_complete(const Reading& reading) const;
  std::string malformed_event(std::string_view data, const protocol::AnswerState& state) const;
  std::string excerpt(std::string_view text) const;
  std::string refusal_of(wire::Exchange& exchange) const;

  Options options_;
};

}  // namespace orch::load
