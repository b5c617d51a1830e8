// Incremental parser of server-sent events by the WHATWG standard, cut anywhere. It does not read
// an event's data.
#pragma once

#include <string>
#include <string_view>

namespace orch::wire {

// Takes events. The data of one event may come in several pieces; lines of one event are joined by
// '\n'.
class EventSink {
 public:
  virtual ~EventSink() = default;
  virtual void on_data(std::string_view piece) = 0;
  virtual void on_event() = 0;  // the data since the last event is one event
};

// Line ends are \n, \r\n and \r; comments and fields other than data are skipped; one space after
// the colon is dropped; an event without a data line is none. Beyond the standard, what real
// servers say of a failure becomes data: a field "error" is {"error": VALUE}, an event of the type
// "error" that is no JSON object, or has comments alone, is {"error": "TEXT"}, and a line that is a
// JSON object, before any data, is data as it stands.
class SseParser {
 public:
  void feed(std::string_view bytes, EventSink& sink);
  // Nothing more comes: what stands there is the last line.
  void finish(EventSink& sink);
  void reset();
  // Data came that no empty line has ended: the standard drops it.
  bool inside_event() const { return has_data_ || !line_.empty(); }
  std::size_t unfinished_bytes() const { return line_.size(); }

 private:
  void take_line(std::string_view line, EventSink& sink);
  void take_data(std::string_view value, EventSink& sink);
  void end_event(EventSink& sink);

  std::string line_;           // of a line whose end has not come
  std::string comment_;        // of an event of the type "error", the last
  bool has_data_ = false;      // a data line since the last event
  bool is_error_ = false;      // the event under way is of that type
  bool after_return_ = false;  // the last byte was \r, so a \n that follows belongs to it
  bool at_start_ = true;       // a byte-order mark may stand here
};

}  // namespace orch::wire
