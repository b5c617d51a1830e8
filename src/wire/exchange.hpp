// What one request brought back, as bytes and stamps: the events in one buffer, read for their
// meaning only after the response has ended. It does not know which wire they came over.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "wire/sse_parser.hpp"

namespace orch::wire {

// gRPC's statuses other than OK stand above those of HTTP.
inline constexpr int k_grpc_status = 1000;

class Exchange final : public EventSink {
 public:
  struct Event {
    std::int64_t ns = 0;     // of the read that completed it
    std::uint32_t end = 0;   // of its data
    bool coalesced = false;  // an earlier event of this response came in the same read
    bool unended = false;    // the body ended before it did: nothing of it may be missing
  };

  std::int64_t sent_ns = 0;
  std::int64_t end_ns = 0;
  int status = 0;  // HTTP status, 0: none came; over gRPC 200 for OK, else k_grpc_status + its own
  bool broken =
      false;  // the exchange failed before a complete answer: refused, reset, cut short, timed out
  bool lost_server = false;  // of broken: refused, reset or closed by the other side
  bool client_failed =
      false;  // of broken: this machine had no descriptor, port or memory left for a connection
  bool stopped = false;     // ended by us on purpose, whole as far as it came
  bool unstreamed = false;  // its body said that it is no stream of events, where one was asked
                            // for: it is one event
  std::string error;        // why, when broken; over HTTP/2 also what a status other than OK says

  // Forgets everything and keeps the memory.
  void clear() {
    sent_ns = end_ns = stamp_ns_ = 0;
    status = 0;
    broken = lost_server = client_failed = stopped = unstreamed = false;
    error.clear();
    bytes_.clear();
    events_.clear();
    read_ = last_event_read_ = 0;
    many_at_ = k_many_bytes;
  }

  // One read returned at NS; the events that follow share this stamp.
  void begin_read(std::int64_t ns) {
    stamp_ns_ = ns;
    ++read_;
  }
  void on_data(std::string_view piece) override { bytes_.append(piece); }
  void on_event() override {
    events_.push_back({.ns = stamp_ns_,
                       .end = static_cast<std::uint32_t>(bytes_.size()),
                       .coalesced = last_event_read_ == read_});
    last_event_read_ = read_;
  }

  // The same, of an event that the body ended.
  void on_unended_event() {
    on_event();
    events_.back().unended = true;
  }

  // Calls TAKE(data, event) for every event that is whole, in order, and forgets them.
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
  // In memory: events without data take some, too.
  std::size_t held_bytes() const { return bytes_.size() + events_.size() * sizeof(Event); }
  // Whether so much of whole events waits to be taken that whoever listens should know: true once,
  // and again for every k_too_many_bytes more, until it is.
  bool has_many() {
    if (events_.empty() || held_bytes() < many_at_) return false;
    many_at_ = held_bytes() + k_too_many_bytes;
    return true;
  }
  // Of data that belongs to no event yet.
  std::size_t open_bytes() const {
    return bytes_.size() - (events_.empty() ? 0 : events_.back().end);
  }
  std::int64_t last_read_ns() const { return stamp_ns_; }  // 0: nothing of an answer came

  static constexpr std::size_t k_many_bytes = 4096;
  static constexpr std::size_t k_too_many_bytes = 1 << 20;

 private:
  std::int64_t stamp_ns_ = 0;
  std::uint64_t read_ = 0;
  std::uint64_t last_event_read_ = 0;
  std::size_t many_at_ = k_many_bytes;
  std::string bytes_;
  std::vector<Event> events_;
};

}  // namespace orch::wire
