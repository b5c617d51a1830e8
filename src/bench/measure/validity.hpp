// Decides whether a measurement is valid, and if not, why.
#pragma once

#include "bench/measure/metrics.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace orch::measure {

struct ValidityLimits {
  // Closed loop: the limit for the p99 of the wake-up lag is the greater of these: milliseconds,
  // and a fraction of the mean TTFT.
  double wake_lag_ms = 1;
  double wake_lag_share_of_ttft = 0.05;
  // Open loop: the same for the p99 of the send lag: milliseconds, and a fraction of the mean time
  // between scheduled sends.
  double send_lag_ms = 1;
  double send_lag_share_of_gap = 0.1;
  double client_cpu_share = 0.85;  // of any client thread
  double others_share = 0.2;       // CPU share of other programs above which a warning is given
};

// What the user requested, for comparison with the measurement.
struct Asked {
  std::int64_t requests = 0;  // 0: the number is not fixed
  bool forced_osl = true;     // the server had to make exactly osl_requested tokens
  bool max = false;           // as fast as possible: a saturated client is a warning, not a reason
};

// The share of the prompts of WINDOW that came from the server's prefix cache, according to the
// usage in its answers; nullopt if none reports it.
std::optional<double> cached_share(const Window& window);

struct Verdict {
  bool valid = true;
  std::vector<std::string> reasons;   // why it is invalid; empty if valid
  std::vector<std::string> warnings;  // caveats of a usable measurement
  std::optional<bool> steady{};       // reached steady state; nullopt: too few values to decide
};

// Part of the reason if a server accepted every request and answered none in time.
inline constexpr std::string_view k_answers_nothing =
    "the server took the requests and sent no byte of an answer";

// A request that the server answered with an error, or too late, is a result about that server. The
// measurement stays valid, with a warning that counts such requests and quotes the first error;
// error_rate includes them; latencies, lengths and rates are over successful requests. A
// measurement is invalid if no request succeeded or all were stopped before a token, if requests
// were not sent, lost the server or failed on the client, if its window has no length, or if the
// client was saturated. Latency that never reached steady state is a warning (see
// over_repeats.hpp): in a closed loop throughput follows from latency, in an open loop latency
// shows an overloaded server.
Verdict judge(const Window& window, const Asked& asked, const ValidityLimits& limits = {});

}  // namespace orch::measure
