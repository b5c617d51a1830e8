// The response to one request, as bytes and timestamps. Events share one buffer and are interpreted
// later.
#pragma once

#include <cstddef>
#include <cstdint>
#include <ctime>
#include <string>
#include <string_view>
#include <vector>

namespace orch::wire {

// The clocks of the timed loop. One monotonic clock stamps every event; wall time only anchors the
// record.

inline std::int64_t read_clock_ns(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

inline std::int64_t monotonic_ns() { return read_clock_ns(CLOCK_MONOTONIC); }
inline std::int64_t wall_ns() { return read_clock_ns(CLOCK_REALTIME); }
inline std::int64_t thread_cpu_ns() { return read_clock_ns(CLOCK_THREAD_CPUTIME_ID); }

// Incremental parser of server-sent events (WHATWG); its input may be split anywhere. Does not
// interpret an event's data.

// Receives events. The data of one event may come in several pieces; its lines are joined by '\n'.
class EventSink {
 public:
  virtual ~EventSink() = default;
  virtual void on_data(std::string_view piece) = 0;
  // The data since the last event is one event. NAMED: it has a custom type, so a client that does
  // not know it skips it.
  virtual void on_event(bool named) = 0;
};

// Lines end with \n, \r\n or \r; comments and fields other than data and event are skipped; the
// types "", "message" and "error" do not count as names; one space after the colon is dropped; an
// event without a data line is ignored. Beyond the standard, the forms in which real servers report
// a failure become data: a field "error" as {"error": VALUE}; an event of type "error" that is not
// a JSON object, or has only comments, as {"error": "TEXT"}; and a line that is a JSON object,
// before any data, unchanged.
class SseParser {
 public:
  void feed(std::string_view bytes, EventSink& sink);
  // The input is complete; what remains is the last line.
  void finish(EventSink& sink);
  void reset();
  // Whether there is data without the empty line that ends an event; the standard drops such data.
  bool inside_event() const { return has_data_ || !line_.empty(); }
  std::size_t unfinished_bytes() const { return line_.size(); }

 private:
  void take_line(std::string_view line, EventSink& sink);
  void take_type(std::string_view type);
  void take_data(std::string_view value, EventSink& sink);
  void end_event(EventSink& sink);

  std::string line_;           // the incomplete line
  std::string comment_;        // the last comment in an event of type "error"
  bool has_data_ = false;      // a data line since the last event
  bool is_error_ = false;      // the current event has type "error"
  bool is_named_ = false;      // the current event has another type
  bool after_return_ = false;  // the last byte was \r; a following \n is part of this line break
  bool at_start_ = true;       // a byte-order mark may follow
};

// Offset of gRPC statuses other than OK, so that they do not collide with those of HTTP.
inline constexpr int k_grpc_status = 1000;

// The events of a response, with the time of the read that completed each.
class EventBuffer : public EventSink {
 public:
  struct Event {
    std::int64_t ns = 0;     // time of the read that completed it
    std::uint32_t end = 0;   // end offset of its data in the buffer
    bool coalesced = false;  // read by the same system call as an earlier event of this response
    bool unended = false;    // the body ended before the event did; its data may be complete
    bool named = false;      // server-sent with a custom type
  };

  // Keeps the memory, unless it is large.
  void clear() {
    if (held_capacity() > k_too_many_bytes) {
      bytes_ = {};
      events_ = {};
    }
    bytes_.clear();
    events_.clear();
    stamp_ns_ = 0;
    read_ = last_event_read_ = 0;
    many_at_ = k_many_bytes;
  }

  // A read returned at NS: subsequent events get this stamp.
  void begin_read(std::int64_t ns) {
    stamp_ns_ = ns;
    ++read_;
  }
  void on_data(std::string_view piece) final { bytes_.append(piece); }
  void on_event(bool named = false) final {
    events_.push_back({.ns = stamp_ns_,
                       .end = static_cast<std::uint32_t>(bytes_.size()),
                       .coalesced = last_event_read_ == read_,
                       .named = named});
    last_event_read_ = read_;
  }

  // The same for an event that had not ended when the body did.
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
  // Memory in use, including that of events without data.
  std::size_t held_bytes() const { return bytes_.size() + events_.size() * sizeof(Event); }
  // Whether the listener should take the complete events because they use much memory. True once,
  // then again for every additional k_too_many_bytes.
  bool has_many() {
    if (events_.empty() || held_bytes() < many_at_) return false;
    many_at_ = held_bytes() + k_too_many_bytes;
    return true;
  }
  // Data not yet part of a complete event.
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

// One request and its response: the events, and how it ended.
class Exchange final : public EventBuffer {
 public:
  std::int64_t sent_ns = 0;
  std::int64_t end_ns = 0;
  // The HTTP status; 0 without one. Over gRPC: 200 for OK, otherwise k_grpc_status + the gRPC
  // status.
  int status = 0;
  // The exchange failed before a complete response: refused, reset, truncated, timed out.
  bool broken = false;
  bool lost_server = false;    // broken: the server refused, reset or closed the connection
  bool client_failed = false;  // broken: this machine ran out of descriptors, ports or memory
  bool stopped = false;        // ended by the client on purpose; valid up to that point
  bool unstreamed = false;     // a single body where an event stream was requested; it is one event
  std::string error;           // why it is broken, or a message about a status other than 200

  // Resets everything but keeps the memory, unless it is large.
  void clear() {
    EventBuffer::clear();
    sent_ns = end_ns = 0;
    status = 0;
    broken = lost_server = client_failed = stopped = unstreamed = false;
    error.clear();
  }
};

}  // namespace orch::wire
