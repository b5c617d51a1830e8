// CPU time of the whole host, from /proc/stat, and the part of it that neither the load generator
// nor its servers used. Knows nothing of single processes.
#pragma once

#include <optional>
#include <string_view>

namespace orch::system {

// CPU seconds since the host was started, summed over all CPUs.
struct HostTimes {
  int cpus = 0;
  double busy_s = 0;   // including guests of this host
  double steal_s = 0;  // a virtual host had work, but got no CPU
};

// STAT: the text of /proc/stat, which counts TICKS per second. Empty: it has another form.
std::optional<HostTimes> parse_host_times(std::string_view stat, double ticks);

// One reading of the host's counters.
struct HostLook {
  double at_s = 0;
  double own_s = 0;  // CPU time of this process
  std::optional<HostTimes> times;
};

HostLook look_at_host();

// Between two readings.
struct HostUse {
  int cpus = 0;
  double wall_s = 0;
  double busy_s = 0;
  double steal_s = 0;
  // The part of busy_s that neither this process nor the servers used.
  std::optional<double> others_s = {};

  // SECONDS as a share of all CPUs, 0 to 1.
  double share(double seconds) const { return seconds / (wall_s * cpus); }
};

// SERVERS_S: CPU time of the servers' processes on this host; empty: unknown. The result is empty
// when a reading is missing or the interval is too short for the resolution of CPU time.
std::optional<HostUse> host_use(const HostLook& before, const HostLook& after,
                                std::optional<double> servers_s);

}  // namespace orch::system
