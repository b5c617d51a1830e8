// Incremental parser of server-sent events (WHATWG); its input may be split anywhere. Does not
// interpret an event's data.
#pragma once

#include <string>
#include <string_view>

namespace orch::wire {

// Receives events. The data of one event may come in several pieces; its lines are joined by '\n'.
class EventSink {
 public:
  virtual ~EventSink() = default;
  virtual void on_data(std::string_view piece) = 0;
  // The data since the last event is one event. NAMED: of a type of its own, which a client that
  // does not know it skips.
  virtual void on_event(bool named) = 0;
};

// Line ends are \n, \r\n and \r; comments and fields other than data and event are skipped; the
// types "", "message" and "error" are no names; one space after the colon is dropped; an event
// without a data line is ignored. Beyond the standard, the forms in which real servers report a
// failure become data: a field "error" as {"error": VALUE}; an event of type "error" that is not a
// JSON object, or has only comments, as {"error": "TEXT"}; and a line that is a JSON object, before
// any data, as it is.
class SseParser {
 public:
  void feed(std::string_view bytes, EventSink& sink);
  // The input is complete: the rest is the last line.
  void finish(EventSink& sink);
  void reset();
  // There is data without the empty line that ends an event; the standard drops it.
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
  bool is_error_ = false;      // the present event has type "error"
  bool is_named_ = false;      // the present event has another type
  bool after_return_ = false;  // the last byte was \r; a \n after it belongs to that line end
  bool at_start_ = true;       // a byte-order mark may follow
};

}  // namespace orch::wire
