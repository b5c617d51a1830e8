// Whether a measured window may be believed, and why not. It judges numbers; it does not know how
// they were taken.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "measure/metrics.hpp"

namespace orch::measure {

struct ValidityLimits {
  double wake_lag_ms = 1;  // closed loop: p99 of the wake-up lag may reach this ...
  double wake_lag_share_of_ttft =
      0.05;                // ... or this share of the mean time to first token, whichever is more
  double send_lag_ms = 1;  // open loop: p99 of the lag behind the schedule may reach this ...
  double send_lag_share_of_gap =
      0.1;  // ... or this share of the mean time between scheduled sends, whichever is more
  double client_cpu_share = 0.85;  // of any client thread
  double others_share = 0.2;       // of the host's CPUs, taken by other programs: more is a warning
};

// What was asked for, to compare with what was seen.
struct Asked {
  std::int64_t requests = 0;
  bool forced_osl = true;  // the server was told to make exactly osl_requested tokens
  bool max =
      false;  // as fast as client and server go: then a client that is busy is no fault, but said
};

struct Verdict {
  bool valid = true;
  std::vector<std::string> reasons;   // why it is not valid; empty when it is
  std::vector<std::string> warnings;  // what a reader should know of a row that may still be used
  std::optional<bool>
      steady{};  // whether the latency kept to one level; empty: too few values to decide
};

// A request that the server answered with an error, or not in time, is a result about that server:
// it leaves the row valid, with a warning that counts such requests and names the first one's
// error; error_rate has them, and the other metrics are over the requests that succeeded. Not valid
// is a row without any success, one of which requests were not sent or lost the server (it was
// gone), one whose window has no length, and one whose client was the bottleneck. A run whose
// latency kept to no level is a warning (see steady_state.hpp): in a closed loop throughput is the
// concurrency over it, in an open loop an overloaded server shows in it.
Verdict judge(const Window& window, const Asked& asked, const ValidityLimits& limits = {});

}  // namespace orch::measure
