// One load of a benchmark: how many requests are kept open, or at which rate they are sent. It does
// not know when each request is due.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/result.hpp"

namespace orch::record {

enum class Arrival {
  constant,  // gaps of 1 / rate
  poisson,   // exponential gaps
  gamma,     // gamma gaps of shape `burstiness`: 1 is Poisson, less is burstier, more is steadier
  trace,     // the timestamps of the prompts
};

struct Load {
  enum class Kind {
    closed,  // a fixed number of requests is kept open; the next is sent when one ends
    open,    // requests are sent on a schedule, whatever is in flight
    max,     // all requests are due at once: client and server run at full speed
  };
  Kind kind = Kind::closed;
  // Closed: requests kept open. Open and max: the limit of requests in flight, 0 for no limit.
  std::int64_t concurrency = 0;
  double request_rate = 0;  // requests per second; open loop without a trace
  Arrival arrival = Arrival::poisson;
  double burstiness = 1;  // shape of gamma arrivals

  bool is_trace() const { return kind == Kind::open && arrival == Arrival::trace; }
  // "concurrency 8", "10 requests/s (poisson)", "as fast as possible (512 open)".
  std::string text() const;
};

// The value of --arrival. Errors list the known names.
Result<Arrival> parse_arrival(std::string_view name);
std::string_view name_of(Arrival arrival);

}  // namespace orch::record
