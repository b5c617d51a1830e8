// What all programs of this host together take of its CPUs, as /proc/stat tells it, and how much of
// that belongs to none that a measurement is about.
#pragma once

#include <optional>
#include <string_view>

namespace orch::system {

// Seconds of all CPUs together since the host was started.
struct HostTimes {
  int cpus = 0;
  double busy_s = 0;   // guests of this host included
  double steal_s = 0;  // when the host, itself a guest, had work and got no CPU
};

// STAT: the text of /proc/stat, whose clock makes TICKS a second. Empty: it is not one.
std::optional<HostTimes> parse_host_times(std::string_view stat, double ticks);

struct HostLook {
  double at_s = 0;
  double own_s = 0;  // CPU time of this process
  std::optional<HostTimes> times;
};

HostLook look_at_host();

struct HostUse {
  int cpus = 0;
  double wall_s = 0;
  double busy_s = 0;
  double steal_s = 0;
  std::optional<double> others_s = {};  // of busy_s, what neither this process nor the servers took

  double share(double seconds) const { return seconds / (wall_s * cpus); }  // of all CPUs
};

// Between two looks. SERVERS_S: CPU time of the servers' processes on this host; empty: not known.
// Empty: nothing was seen, or so short a time that the kernel's clock for CPU time could not tell.
std::optional<HostUse> host_use(const HostLook& before, const HostLook& after,
                                std::optional<double> servers_s);

}  // namespace orch::system
