// What an exchange brought back becomes a request's record: events are read by the protocol,
// counted and let go of, also while more of them are still coming, so that what waits in memory
// stays small.
#pragma once

#include <cstdint>

#include "protocol/protocol.hpp"
#include "measure/request_record.hpp"
#include "wire/access.hpp"
#include "wire/exchange.hpp"

namespace orch::load {

// A record in the making.
struct Reading {
  measure::RequestRecord record;
  protocol::AnswerState state;
  std::int64_t events = 0;
  std::size_t let_go_bytes = 0;  // of text that was not kept
  bool asked_to_stop = false;    // the server was asked to end it before it did
  std::string too_long;          // why no more of it is read; "" as long as it is
};

class RecordReader {
 public:
  struct Options {
    const protocol::Protocol* protocol = nullptr;  // borrowed
    bool stream = true;
    bool forced_osl = true;             // an answer that is whole has as many tokens as were asked
    std::int64_t tokens_per_event = 1;  // 0: it differs
    std::int64_t sequences = 1;         // in one request
    bool keep_answers = true;
    bool keep_text_ends = false;  // needs the answers
    wire::Access access = {};     // its token stands in no record, whoever repeats it
  };

  explicit RecordReader(const Options& options) : options_(options) {}

  // Takes the whole events of EXCHANGE into READING and out of the exchange. Once the reading is
  // too long, they are thrown away: the exchange should be ended.
  void take(wire::Exchange& exchange, Reading& reading) const;
  // The same, and what the end of EXCHANGE says.
  void finish(wire::Exchange& exchange, Reading& reading) const;

 private:
  void check_size(Reading& reading) const;
  void take_server_times(Reading& reading) const;
  void count(const wire::Exchange& exchange, Reading& reading) const;
  // Why an event is malformed.
  std::string what_is_no_event(std::string_view data, const protocol::AnswerState& state) const;
  std::string shown(std::string_view text) const;
  std::string refusal_of(wire::Exchange& exchange) const;

  Options options_;
};

}  // namespace orch::load
