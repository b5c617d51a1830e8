// Writes a run as a trace in Chrome's format (the "JSON array" of the Trace Event Format), which
// chrome://tracing and Perfetto show: attempts on lanes, servers with their start-up and the time
// that they are ready, commits, and the number of running processes. Each line is written as soon
// as its content is known, so that the trace of a killed run can be read as well.
#pragma once

#include "os/system/clock.hpp"
#include "run/schedule/journal.hpp"

#include <map>
#include <ostream>
#include <string>
#include <vector>

namespace orch::schedule {

// Borrows all three arguments.
class TracedJournal final : public PassingJournal {
 public:
  TracedJournal(Journal& journal, system::Clock& clock, std::ostream& out);
  // Writes the spans of attempts that are still open.
  ~TracedJournal() override;

  void append(const Event& event) override;
  Status commit() override;

 private:
  struct Open {
    WallTime since = 0, ready = 0;  // `ready` is 0 unless it is a server that is ready
    int lane = 0;                   // 0: none
  };

  void begin(const AttemptKey& attempt, WallTime at);
  // Writes the spans of ATTEMPT, which ended at AT; ARGS describe its end.
  void end(const AttemptKey& attempt, WallTime at, Object args);
  void count_running(WallTime at);
  void name_lane(int lane, const std::string& name);
  void write(Object line);
  void write_span(const std::string& name, int lane, WallTime from, WallTime to, Object args = {});
  double microseconds(WallTime at) const { return (at - began_) * 1e6; }

  system::Clock& clock_;
  std::ostream& out_;
  const char* separator_ = "\n";
  WallTime began_;
  std::map<AttemptKey, Open> open_;
  std::vector<bool> lanes_;  // true: in use
};

}  // namespace orch::schedule
