// The response to one request, as bytes and time stamps. The events are in one buffer and are
// interpreted only after the response has ended. Does not know the transport.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bench/wire/sse_parser.hpp"

namespace orch::wire {

// Offset of gRPC statuses other than OK, so that they do not collide with those of HTTP.
inline constexpr int k_grpc_status = 1000;

class Exchange final : public EventSink {
 public:
  struct Event {
    std::int64_t ns = 0;     // time of the read that completed it
    std::uint32_t end = 0;   // end of its data in the buffer
    bool coalesced = false;  // read by the same system call as an earlier event of this response
    bool unended = false;    // the body ended before the event did; its data may be complete
    bool named = false;      // server-sent, of a type of its own
  };

  std::int64_t sent_ns = 0;
  std::int64_t end_ns = 0;
  // The HTTP status; 0 without one. Over gRPC: 200 for OK, else k_grpc_status + the gRPC status.
  int status = 0;
  // The exchange failed before a complete response: refused, reset, truncated, timed out.
  bool broken = false;
  bool lost_server = false;    // broken: the server refused, reset or closed the connection
  bool client_failed = false;  // broken: this machine has no descriptor, port or memory left
  bool stopped = false;        // ended by the client on purpose; valid as far as it came
  bool unstreamed = false;     // one body where a stream of events was requested: it is one event
  std::string error;           // why it is broken; over HTTP/2 also the text of a status but OK

  // Resets everything but keeps the memory, unless it is much.
  void clear() {
    sent_ns = end_ns = stamp_ns_ = 0;
    status = 0;
    broken = lost_server = client_failed = stopped = unstreamed = false;
    error.clear();
    if (held_capacity() > k_too_many_bytes) {
      bytes_ = {};
      events_ = {};
    }
    bytes_.clear();
    events_.clear();
    read_ = last_event_read_ = 0;
    many_at_ = k_many_bytes;
  }

  // A read returned at NS: the events that follow get this stamp.
  void begin_read(std::int64_t ns) {
    stamp_ns_ = ns;
    ++read_;
  }
  void on_data(std::string_view piece) override { bytes_.append(piece); }
  void on_event(bool named = false) override {
    events_.push_back({.ns = stamp_ns_,
                       .end = static_cast<std::uint32_t>(bytes_.size()),
                       .coalesced = last_event_read_ == read_,
                       .named = named});
    last_event_read_ = read_;
  }

  // The same for an event that the end of the body ends.
  void on_unended_event() {
    on_event();
    events_.back().unended = true;
  }

  // Calls TAKE(data, event) for every complete event, in order, and removes them.
  template <class Take> void take_events(Take take) {
    std::size_t begin = 0;
    for (const Event& event : events_) {
      take(std::string_view(bytes_).substr(begin, event.end - begin), event);
      begin = event.end;
    }
    bytes_.erase(0, begin);
    events_.clear();
    many_at_ = k_many_bytes;
  }
  std::size_t bytes() const { return bytes_.size(); }
  // Memory in use; events without data use some as well.
  std::size_t held_bytes() const { return bytes_.size() + events_.size() * sizeof(Event); }
  // Whether the listener should take the complete events because they use much memory. True once,
  // and again for every k_too_many_bytes more.
  bool has_many() {
    if (events_.empty() || held_bytes() < many_at_) return false;
    many_at_ = held_bytes() + k_too_many_bytes;
    return true;
  }
  // Data that belongs to no complete event yet.
  std::size_t open_bytes() const {
    return bytes_.size() - (events_.empty() ? 0 : events_.back().end);
  }
  std::int64_t last_read_ns() const { return stamp_ns_; }  // 0 before the first byte of a response

  static constexpr std::size_t k_many_bytes = 4096;
  static constexpr std::size_t k_too_many_bytes = 1 << 20;

 private:
  std::size_t held_capacity() const {
    return bytes_.capacity() + events_.capacity() * sizeof(Event);
  }

  std::int64_t stamp_ns_ = 0;
  std::uint64_t read_ = 0;
  std::uint64_t last_event_read_ = 0;
  std::size_t many_at_ = k_many_bytes;
  std::string bytes_;
  std::vector<Event> events_;
};

}  // namespace orch::wire
