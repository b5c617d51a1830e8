// What is kept of one request: when it was due and sent, when its tokens came, how many there were.
// Nothing here knows how a request travels or how a metric is computed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace orch::measure {

// What the server says of one request by its own clock, in nanoseconds from when the request
// reached it.
struct ServerTimes {
  std::int64_t scheduled_ns = 0;  // it was first given work
  std::int64_t first_token_ns = 0;
  std::int64_t last_token_ns = 0;
};

// Where the number of an answer's tokens comes from.
enum class CountedBy {
  nothing,  // there is none
  ids,      // they came as ids
  usage,    // the server says so
  events,   // so many of them came
  forced,   // the server was told to make exactly so many
  text,     // the answer was tokenised again: not exact, other tokens may spell the same
};

// Times are nanoseconds of a monotonic clock, relative to the start of the measured window (so
// warm-up is negative).
struct RequestRecord {
  std::int64_t index = 0;  // position in its phase, in the order of sending
  bool warmup = false;
  int block = 0;
  int server = 0;  // of several: which, from 0
  bool streamed = true;

  std::optional<std::int64_t>
      due_ns;  // closed loop: when its slot became free; open loop: the scheduled send
  std::int64_t sent_ns = 0;  // just before the first byte was handed to the kernel
  std::int64_t end_ns = 0;   // the response was complete, or the failure was noticed
  // One stamp per event that carried tokens; for an answer in one body, one stamp. Empty: none
  // came.
  std::vector<std::int64_t> event_ns;
  std::int64_t coalesced =
      0;  // events that shared a read with an earlier event of the same response: gap zero

  std::optional<std::int64_t> isl;           // token ids of the prompt, where they were counted
  std::optional<std::int64_t> isl_reported;  // by the server, in this answer
  std::int64_t osl_requested = 0;
  std::optional<std::int64_t> osl_counted;   // by the client; empty where it has no way to count
  std::optional<std::int64_t> osl_reported;  // by the server, in this answer
  CountedBy counted_by = CountedBy::nothing;
  std::string odd_count;  // what the server called a number of tokens and is none; "" for nothing
                          // of the kind
  std::int64_t first_event_tokens = 1;  // tokens that the first event carried
  bool first_event_told = false;  // the server said how many; else they are as asked for, or made
                                  // out from others (see first_events.hpp)
  std::int64_t sequences =
      1;  // answers that this one request asked for (a batch); lengths are over all of them
  std::optional<ServerTimes> server_times;  // where the answer tells them

  int status = 0;     // HTTP status; 0: no answer came
  std::string error;  // empty: the request succeeded
  bool stopped =
      false;  // ended by us on purpose before the answer was whole: what came until then counts
  bool lost_server = false;  // with an error: the connection was refused, reset, or closed before
                             // the answer was whole
  std::optional<std::int64_t>
      isl_cached;  // of isl_reported, tokens that the server says it had computed before
  bool client_failed =
      false;  // with an error: this machine had no descriptor, port or memory left for a connection
  std::string answer;
  // Where in the answer the text of each token event ends (of several sequences: the first's text);
  // kept only where somebody asked for it.
  std::vector<std::size_t> text_ends;
  bool odd_server_times =
      false;  // the answer tells times that cannot be: longer than the client waited

  bool ok() const { return error.empty(); }
  bool has_events() const { return !event_ns.empty(); }
  std::int64_t first_ns() const { return event_ns.front(); }
  std::int64_t last_ns() const { return event_ns.back(); }
};

}  // namespace orch::measure
