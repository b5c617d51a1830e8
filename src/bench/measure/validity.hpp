// Decides whether a measurement is valid, and why not. Judges numbers; does not know how they were
// taken.
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
  // and a share of the mean TTFT.
  double wake_lag_ms = 1;
  double wake_lag_share_of_ttft = 0.05;
  // Open loop: the limit for the p99 of the send lag, likewise; a share of the mean time between
  // scheduled sends.
  double send_lag_ms = 1;
  double send_lag_share_of_gap = 0.1;
  double client_cpu_share = 0.85;  // of any client thread
  double others_share = 0.2;       // CPU share of other programs above which a warning is given
};

// What was requested, to compare with what was measured.
struct Asked {
  std::int64_t requests = 0;
  bool forced_osl = true;  // the server had to make exactly osl_requested tokens
  bool max = false;        // as fast as possible: a saturated client is a warning, not a reason
};

// The share of the prompts of WINDOW that the server took from its prefix cache, by the usage in
// its answers; empty: none says so.
std::optional<double> cached_share(const Window& window);

struct Verdict {
  bool valid = true;
  std::vector<std::string> reasons;   // why it is invalid; empty when valid
  std::vector<std::string> warnings;  // caveats of a measurement that may still be used
  std::optional<bool> steady{};       // steady state was reached; empty: too few values to decide
};

// Within the reason of a measurement whose server took every request and answered none in time.
inline constexpr std::string_view k_answers_nothing =
    "the server took the requests and sent no byte of an answer";

// A request that the server answered with an error, or not in time, is a result about that server.
// The measurement stays valid, with a warning that counts such requests and quotes the first error;
// error_rate includes them, and the other metrics are over the requests that succeeded. A
// measurement is invalid when no request succeeded, when requests were not sent or lost the server,
// when its window has no length, and when the client was saturated. Latency that never reached
// steady state is a warning (see over_repeats.hpp): in a closed loop throughput follows from
// latency, in an open loop latency shows an overloaded server.
Verdict judge(const Window& window, const Asked& asked, const ValidityLimits& limits = {});

}  // namespace orch::measure
