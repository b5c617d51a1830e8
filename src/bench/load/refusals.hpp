// Refusals of a server: whether a later request may succeed, and when a load that meets nothing but
// refusals should end. It sends nothing.
#pragma once

#include <cstddef>
#include <deque>
#include <string>

#include "bench/measure/request_record.hpp"

namespace orch::load {

enum class RefusalKind {
  permanent,  // the same request would be refused again
  internal,   // an error of the server that says nothing about the request
  busy,       // the server is overloaded or not ready: a later request may succeed
};

// The kind of a refusal with STATUS, as a record holds it. 200: a failure inside the answer.
RefusalKind refusal_kind(int status);

// Whether STATUS asks for a token, or denies the permissions of the one sent.
bool lacks_permission(int status);

// Watches the first requests of a phase. It judges them in the order of sending, so a request that
// a server still works on is not overtaken by refusals of later ones. Capacity under overload is
// what a load measures: a busy server never ends it.
class RefusalWatch {
 public:
  // Equal refusals in a row that end a load with fewer slots; more slots need one for each.
  static constexpr std::size_t k_least = 20;

  // A new phase, which has SLOTS requests in flight.
  void begin(std::size_t slots);
  // RECORDS: the requests of the phase in the order of sending; those under way have no end_ns.
  void look(const std::deque<measure::RequestRecord>& records);

  // A request has succeeded: the load may not be given up any more.
  void end() { watching_ = false; }
  // No request has succeeded so far, and the load may still be given up.
  bool watching() const { return watching_; }
  // Why the load should end; "" if it should not.
  const std::string& reason() const { return reason_; }

 private:
  void judge(const measure::RequestRecord& record);

  bool watching_ = false;
  std::size_t needed_ = k_least;
  std::size_t judged_ = 0;    // records
  std::size_t in_a_row_ = 0;  // equal refusals
  int status_ = 0;            // of these
  std::string reason_;
};

}  // namespace orch::load
