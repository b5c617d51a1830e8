// What one request brought back, as bytes and stamps: the events in one buffer, read for their meaning only after the
// response has ended. It does not know which wire they came over.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "wire/sse_parser.hpp"

namespace orch::wire {

class Exchange final : public EventSink {
 public:
  struct Event {
    std::size_t begin = 0;
    std::size_t end = 0;
    std::int64_t ns = 0;      // of the read that completed it
    bool coalesced = false;   // an earlier event of this response came in the same read
  };

  std::int64_t sent_ns = 0;
  std::int64_t end_ns = 0;
  int status = 0;      // HTTP status, 0: none came; over gRPC 200 for OK, else 1000 + its status
  bool broken = false; // the exchange failed before a complete answer: refused, reset, cut short, timed out
  bool lost_server = false;  // of broken: refused, reset or closed by the other side
  bool stopped = false;      // ended by us on purpose, whole as far as it came
  std::string error;   // why, when broken; over HTTP/2 also what a status other than OK says

  // Forgets everything and keeps the memory.
  void clear() {
    sent_ns = end_ns = stamp_ns_ = 0;
    status = 0;
    broken = lost_server = stopped = false;
    error.clear();
    bytes_.clear();
    events_.clear();
    read_ = last_event_read_ = 0;
  }

  // One read returned at NS; the events that follow share this stamp.
  void begin_read(std::int64_t ns) {
    stamp_ns_ = ns;
    ++read_;
  }
  void on_data(std::string_view piece) override { bytes_.append(piece); }
  void on_event() override {
    const std::size_t begin = events_.empty() ? 0 : events_.back().end;
    events_.push_back({.begin = begin, .end = bytes_.size(), .ns = stamp_ns_, .coalesced = last_event_read_ == read_});
    last_event_read_ = read_;
  }

  const std::vector<Event>& events() const { return events_; }
  std::string_view data(const Event& event) const { return std::string_view(bytes_).substr(event.begin, event.end - event.begin); }
  std::size_t bytes() const { return bytes_.size(); }
  // Of data that belongs to no event yet.
  std::size_t open_bytes() const { return bytes_.size() - (events_.empty() ? 0 : events_.back().end); }
  std::int64_t last_read_ns() const { return stamp_ns_; }

 private:
  std::int64_t stamp_ns_ = 0;
  std::uint64_t read_ = 0;
  std::uint64_t last_event_read_ = 0;
  std::string bytes_;
  std::vector<Event> events_;
};

}  // namespace orch::wire
