// Loads, and when their requests are due: drawn once from one seed before anything is sent, never
// adjusted afterwards.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace orch::load {

enum class Arrival {
  constant,  // gaps of 1 / rate
  poisson,   // exponential gaps
  gamma,     // gamma gaps of shape `burstiness`: 1 is Poisson, less is burstier, more is steadier
  trace,     // the prompts' own timestamps
};

// One load of a benchmark.
struct Load {
  enum class Kind {
    closed,  // a number of requests is kept open; the next is sent when one ends
    open,    // requests come when they are due, however many are open
    max,     // all are due at once: as fast as client and server go
  };
  Kind kind = Kind::closed;
  std::int64_t concurrency =
      0;  // closed: requests kept open. open and max: the most that are open, 0: no limit
  double request_rate = 0;  // open but for a trace: requests per second
  Arrival arrival = Arrival::poisson;
  double burstiness = 1;  // of gamma

  bool is_trace() const { return kind == Kind::open && arrival == Arrival::trace; }
  // "concurrency 8", "10 requests/s (poisson)", "as fast as it goes (512 open)".
  std::string text() const;
};

// Of --arrival. Errors name what there is.
Result<Arrival> parse_arrival(std::string_view name);
std::string_view name_of(Arrival arrival);

// When COUNT requests of an open LOAD (no trace) are due, in nanoseconds from the start of the
// window, ascending. The same on every machine for one SEED, and of two counts the shorter list
// begins the longer one.
std::vector<std::int64_t> draw_arrivals(const Load& load, std::uint64_t seed, std::size_t count);

}  // namespace orch::load
