// The record of one request: when it was due and sent, when its tokens arrived, and how many there
// were.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace orch::measure {

inline constexpr double k_ns_per_ms = 1e6, k_ns_per_s = 1e9;

// Times that the server reports for one request by its own clock, in nanoseconds since the request
// arrived there.
struct ServerTimes {
  std::int64_t scheduled_ns = 0;  // the server started processing it
  std::int64_t first_token_ns = 0;
  std::int64_t last_token_ns = 0;
};

// How an answer's tokens were counted.
enum class CountedBy {
  nothing,  // not counted
  ids,      // token ids in the answer
  usage,    // reported by the server
  events,   // one per event
  forced,   // the length forced on the server
  text,     // retokenised text: inexact, because other tokens may have the same text
};

// Times are nanoseconds of a monotonic clock, relative to the start of the measured window (so
// warm-up is negative).
struct RequestRecord {
  std::int64_t index = 0;  // position in its phase, in the order of sending
  bool warmup = false;
  int block = 0;
  int server = 0;  // index of the server, from 0
  bool streamed = true;

  // Closed loop: when its slot became free. Open loop: the scheduled send.
  std::optional<std::int64_t> due_ns;
  std::int64_t sent_ns = 0;  // just before the first byte was handed to the kernel
  std::int64_t end_ns = 0;   // the response was complete, or the failure was noticed
  // The time of each event that carried tokens; a single time if the answer is one body. Empty if
  // no token arrived.
  std::vector<std::int64_t> event_ns;
  std::int64_t coalesced = 0;  // events with the timestamp of an earlier event of this response
  // For an answer with reasoning: the first event with reasoning text, and the first with text of
  // the answer itself.
  std::optional<std::int64_t> first_reasoning_ns, first_visible_ns;

  std::optional<std::int64_t> isl;           // prompt tokens; nullopt: not counted
  std::optional<std::int64_t> isl_reported;  // by the server, in this answer
  std::int64_t osl_requested = 0;
  std::optional<std::int64_t> osl_counted;   // as counted_by says; nullopt: not counted
  std::optional<std::int64_t> osl_reported;  // by the server, in this answer
  CountedBy counted_by = CountedBy::nothing;
  std::string odd_count;                // an invalid token count that the server reported; else ""
  std::int64_t first_event_tokens = 1;  // tokens in the first event
  // The server reported first_event_tokens. False: it is --tokens-per-event, inferred by
  // settle_first_events(), or assumed to be 1.
  bool first_event_told = false;
  std::int64_t sequences = 1;               // answers to this request; lengths are sums over them
  std::optional<ServerTimes> server_times;  // if the answer reports them

  int status = 0;     // HTTP status, or 1000 + the gRPC status; 0 without an answer
  std::string error;  // empty: the request succeeded
  // Ended by the client on purpose before the answer was complete; the tokens received count.
  bool stopped = false;
  // With an error: the connection was refused, reset, or closed before the answer was complete.
  bool lost_server = false;
  std::optional<std::int64_t> isl_cached;  // the part of isl_reported from the server's cache
  // With an error: this machine had no descriptor, port or memory left for a connection.
  bool client_failed = false;
  // With an error: the server refused the request by a status other than 200, by a failure inside
  // its answer, or by an answer that violates the protocol.
  bool refused = false;
  std::string answer;
  std::string values;  // kept log probabilities and logits of events: JSON objects joined by commas
  std::optional<std::int64_t> spooled;         // the number of its answer in the spool
  std::optional<std::int64_t> spooled_values;  // the same for its values
  // The offset in the answer (in the first of several sequences) at which the text of each token
  // event ends; kept only on request.
  std::vector<std::size_t> text_ends;
  bool odd_server_times = false;  // the reported server times are longer than the client waited

  bool ok() const { return error.empty(); }
  bool has_events() const { return !event_ns.empty(); }
  bool answered() const { return ok() && has_events(); }
  std::int64_t first_ns() const { return event_ns.front(); }
  std::int64_t last_ns() const { return event_ns.back(); }
};

// Infers how many tokens the first event of an answer carried if the server reports only the number
// of tokens of the whole answer.

// Sets first_event_tokens in the RECORDS of one load. TOKENS_PER_EVENT is the value of
// --tokens-per-event; above 1 it is believed, and nothing changes. Otherwise: if every streamed
// answer has k tokens per event, for one integer k above 1, and their numbers of events differ,
// then the first events get k tokens too, because answers of different lengths that begin with a
// single token would not all have the same average. (Answers of equal length may: 64 tokens as 1,
// 10, 10, 10, 10, 10, 10 and 3 are 8 per event.) Returns a warning for readers of per-token
// metrics; nullopt if no answer has clearly more tokens than events. Skips requests for several
// answers: one event may belong to several of them.
std::optional<std::string> settle_first_events(std::span<RequestRecord> records,
                                               std::int64_t tokens_per_event);

}  // namespace orch::measure
