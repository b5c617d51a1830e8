// Slots: connections that each carry one request at a time; what ends a request in flight, and how
// its answer becomes a record. Used by the loop's thread only.
#pragma once

#include "bench/load/response_reader.hpp"
#include "bench/load/turns.hpp"
#include "bench/measure/request_record.hpp"
#include "bench/record/record_json.hpp"
#include "bench/wire/exchange.hpp"
#include "bench/wire/transport.hpp"
#include "core/base/result.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace orch::load {

// A request in flight, and the part of its answer that has arrived.
struct InFlight {
  std::unique_ptr<wire::Exchange> exchange;  // null: no request in flight
  Reading reading;
  Turn turn;
};

class Slots {
 public:
  // LISTENER is borrowed.
  Slots(wire::TransportOptions options, wire::Transport::Listener& listener);

  // Opens connections for SLOTS concurrent requests. Fails if a server cannot be reached.
  Status open(wire::SlotId slots, int timeout_ms);
  // Adds slots, up to LIMIT (0: no limit), so that a few connections beyond those in use stay open.
  void keep_spare(std::size_t limit);

  // A free slot of the next server in turn that has one; nullopt if none has. Prefers the most
  // recently used slot whose connection is open.
  std::optional<wire::SlotId> take_free();
  // Frees SLOT. REOPENS: it is needed again soon, so a closed connection is reopened.
  void give_back(wire::SlotId slot, bool reopens);
  // Sends REQUEST, which must live until the end, for TURN. ID: replaces the id in its bytes.
  void start(wire::SlotId slot, Turn turn, const PreparedRequest& request,
             std::optional<std::uint64_t> id);
  // The exchange of SLOT has ended; the caller moves the result out.
  InFlight& end(wire::SlotId slot) {
    --active_;
    return slots_[slot].flight;
  }
  // Keeps the memory of EXCHANGE for a later request.
  void reuse(std::unique_ptr<wire::Exchange> exchange) { spare_.push_back(std::move(exchange)); }

  InFlight& operator[](wire::SlotId slot) { return slots_[slot].flight; }
  wire::SlotId size() const { return static_cast<wire::SlotId>(slots_.size()); }
  std::size_t active() const { return active_; }
  std::size_t servers() const { return free_.size(); }
  std::size_t of_one_server() const { return (slots_.size() + servers() - 1) / servers(); }
  std::size_t server_of(wire::SlotId slot) const { return slot % free_.size(); }
  wire::Transport& transport() { return *transport_; }

 private:
  struct Slot {
    InFlight flight;
    // The request with its own id. Too long for the small-string buffer, so its bytes do not move
    // when the slot does.
    std::string with_id;
  };

  void grow(wire::SlotId slots);

  // Per server: slots without a request. The most recently used is at the end; those with closed
  // connections are at the front.
  std::vector<std::deque<wire::SlotId>> free_;
  std::unique_ptr<wire::Transport> transport_;
  std::vector<Slot> slots_;
  std::size_t active_ = 0;  // slots with a request in flight
  std::size_t turn_of_server_ = 0;
  std::vector<std::unique_ptr<wire::Exchange>> spare_;
};

// Ends single requests: those without a complete answer in time (checked every 50 ms), and those
// that the client stops after a while (to the millisecond).
class Deadlines {
 public:
  struct Options {
    std::int64_t timeout_ns = 0;     // of one request, from its send
    std::int64_t stop_after_ns = 0;  // 0: never
    // Asks the server to stop the request ID; must return at once. Empty: requests are stopped by
    // closing their streams.
    std::function<void(std::size_t server, std::uint64_t id)> ask_to_stop = {};
  };

  // SLOTS and TURNS are borrowed.
  Deadlines(Options options, Slots& slots, const Turns& turns)
      : options_(std::move(options)), slots_(slots), turns_(turns) {}

  // TURN is about to be sent in SLOT.
  void note_start(wire::SlotId slot, const Turn& turn);
  // Ends requests that are overdue at NOW_NS. Must not be called from within the transport.
  void check(std::int64_t now_ns);
  // The phase has ended.
  void clear() { queue_.clear(); }

 private:
  struct Sent {
    std::int64_t stop_ns;
    wire::SlotId slot;
    std::size_t turn;
  };

  void cancel_overdue(std::int64_t now_ns);
  void stop(wire::SlotId slot);

  Options options_;
  Slots& slots_;
  const Turns& turns_;
  std::int64_t next_overdue_check_ns_ = 0;
  std::deque<Sent> queue_;  // sorted by stop_ns
};

// Received answers: ended exchanges wait here until no socket is ready, and then become records.
// Timestamps are the transport's; parsing adds none.
class Receiver {
 public:
  // Notifies SUPERVISOR of every record. ANSWERS takes the answers out of the records; null: they
  // stay there, and the secrets of ACCESS are redacted. Borrows everything but READING.
  Receiver(const RecordReader::Options& reading, const wire::Access& access,
           record::AnswerSpool* answers, Slots& slots, Supervisor& supervisor)
      : reader_(reading),
        access_(access),
        answers_(answers),
        slots_(slots),
        supervisor_(supervisor) {}

  // A phase begins; TALLY (borrowed, may be null) counts the contents of its answers.
  void begin(Tally* tally) { tally_ = tally; }
  // The next turn is about to be sent.
  void note_start() { records_.emplace_back(); }
  // ENDED waits to be parsed.
  void add(InFlight&& ended);
  // The exchange of SLOT, which continues, holds many bytes. Called from within the transport.
  void note_many(wire::SlotId slot);

  bool has_work() const { return !waiting_.empty() || !bulky_.empty(); }
  // Whether so many answers wait that sockets must be served in small batches, because a large
  // batch would lengthen the backlog.
  bool is_behind() const;
  // Parses one complete answer, or else part of a large one. False: there was nothing to do.
  bool read_one();
  // Parses answers that must not wait for an idle moment.
  void catch_up();
  void read_all();
  // Ends exchanges whose answers exceed a limit. Must not be called from within the transport.
  void cancel_too_long();
  // Drops the records of TURNS. Everything must have been read.
  void drop(const std::set<std::size_t>& turns);
  // Ends the phase and returns its records in sending order. Everything must have been read.
  std::vector<measure::RequestRecord> take_records();

 private:
  bool is_over_limit() const;
  void read_ahead(wire::SlotId slot);
  void keep_answer(measure::RequestRecord& record) const;
  void count(const measure::RequestRecord& record) const;

  RecordReader reader_;
  const wire::Access& access_;
  record::AnswerSpool* answers_;
  Slots& slots_;
  Supervisor& supervisor_;
  Tally* tally_ = nullptr;
  std::deque<measure::RequestRecord> records_;  // by turn
  std::deque<InFlight> waiting_;                // ended, not parsed yet
  std::size_t waiting_bytes_ = 0;
  std::deque<wire::SlotId> bulky_;      // slots whose exchanges hold many bytes
  std::vector<wire::SlotId> too_long_;  // slots whose answers exceed a limit
};

}  // namespace orch::load
