// Decides which request a phase sends next, when it is due, and when sending ends: all requests are
// sent, the target is reached, or nothing succeeds.
#pragma once

#include "bench/load/loop_parts.hpp"
#include "bench/measure/request_record.hpp"
#include "bench/wire/endpoint.hpp"
#include "bench/wire/exchange.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace orch::load {

// A request made ahead of the loop.
struct PreparedRequest {
  std::string bytes;
  std::optional<std::int64_t> isl;  // sum over its prompts
  std::int64_t osl = 1;             // requested, sum over its answers
  std::size_t id_at = 0;            // offset of its id in `bytes`; 0 if it has none
};

// The requests of one phase and their timing.
struct SendPlan {
  // Sent in this order. After the last one, sending restarts with the first.
  std::span<const PreparedRequest> requests;
  // Requests in flight; with due times, a limit. 0: no limit.
  std::int64_t concurrency = 1;
  // Due times from the start of the phase; nullopt: a request is sent when a slot is free.
  std::optional<std::span<const std::int64_t>> due_ns = {};
  // 0: all due times; without a schedule, no limit if there is a duration, else each request once.
  std::size_t max_requests = 0;
  std::int64_t duration_ns = 0;  // sending stops after this time; 0: no limit
  // Called occasionally with the records that were finished since the last call; true stops the
  // sending. Must return at once.
  std::function<bool(std::span<const measure::RequestRecord* const>)> should_stop = {};
  Tally* tally = nullptr;  // borrowed; progress counters
};

// One transmission of a request.
struct Turn {
  std::size_t index = 0;    // in the order of sending
  std::int64_t due_ns = 0;  // of the monotonic clock
};

// The turns of successive phases. Without a schedule they form parallel lanes: each turn of a lane
// immediately follows the previous one, over the same slot. With a schedule, turns are due at its
// times and take any free slot. All decisions about which turn comes when belong here: the loop
// sends what it is given.
class Turns {
 public:
  // Begins a phase that sends PLAN.
  void begin(const SendPlan& plan);
  // Due times and the duration count from NS of the monotonic clock.
  void start_at(std::int64_t ns) { start_ns_ = ns; }
  // From now on the phase sends nothing.
  void close() { is_closed_ = true; }

  const SendPlan& plan() const { return plan_; }
  bool has_schedule() const { return plan_.due_ns.has_value(); }
  // Whether a turn may be taken. Reads the clock only in a phase with a duration and no schedule.
  bool has_more() const;
  // Maximum number of requests in flight; 0: no limit.
  std::size_t limit() const { return static_cast<std::size_t>(plan_.concurrency); }
  // Whether ACTIVE requests in flight leave room for one more.
  bool has_room(std::size_t active) const { return limit() == 0 || active < limit(); }
  // When the next turn of the schedule is due; there must be one.
  std::int64_t next_due_ns() const { return start_ns_ + (*plan_.due_ns)[next_]; }
  Turn take_due() { return take(next_due_ns()); }
  // The next turn of a lane whose last turn ended at END_NS, or which begins then; nullopt if
  // nothing is left to send, or if turns follow a schedule.
  std::optional<Turn> take_in_lane(std::int64_t end_ns) {
    if (has_schedule() || !has_more()) return std::nullopt;
    return take(end_ns);
  }

  const PreparedRequest& request_of(const Turn& turn) const {
    return plan_.requests[turn.index % plan_.requests.size()];
  }
  // The id of TURN, unique over all phases.
  std::uint64_t id_of(const Turn& turn) const { return first_id_ + turn.index; }
  // When TURN is due, from the start of the phase.
  std::int64_t since_start_ns(const Turn& turn) const { return turn.due_ns - start_ns_; }
  // Appends the first MOST due times of the schedule that no turn took; returns the number of all
  // of them.
  std::size_t untaken(std::size_t most, std::vector<std::int64_t>& due_ns) const;

 private:
  Turn take(std::int64_t due_ns) { return {.index = next_++, .due_ns = due_ns}; }

  SendPlan plan_;
  std::size_t next_ = 0;  // index of the next turn
  std::uint64_t first_id_ = 0;
  std::int64_t start_ns_ = 0;
  bool is_closed_ = false;
};

// Closes the turns of a phase when its target is reached or it has become hopeless. Used by the
// loop's thread only.
class Supervisor {
 public:
  // TURNS is borrowed. ACCESS has the secrets that reasons must not repeat.
  Supervisor(Turns& turns, const wire::Access& access) : turns_(turns), access_(access) {}

  // A phase begins, with SLOTS for requests.
  void begin(std::size_t servers, std::size_t slots);
  // EXCHANGE, over one of the SLOTS of SERVER, has ended.
  void note_end(const wire::Exchange& exchange, std::size_t server, std::size_t slots);
  // RECORD, one of RECORDS, is complete. RECORDS: all of the phase in sending order; they must not
  // move until the phase ends.
  void note_record(const measure::RequestRecord& record,
                   const std::deque<measure::RequestRecord>& records);
  // Ends sending in a phase that has more to send.
  void give_up(std::string reason);

  // Whether refusals may still end the phase, because no request has succeeded so far.
  bool is_watching() const { return refusals_.watching(); }
  // Why it gave up; "" if it did not.
  const std::string& give_up_reason() const { return give_up_reason_; }

 private:
  void watch_refusals(const measure::RequestRecord& record,
                      const std::deque<measure::RequestRecord>& records);

  Turns& turns_;
  const wire::Access& access_;
  std::vector<int> broken_in_a_row_;  // per server
  RefusalWatch refusals_;
  std::string give_up_reason_;
  std::vector<const measure::RequestRecord*> newly_finished_;  // since the last should_stop
  bool has_reached_target_ = false;
};

}  // namespace orch::load
