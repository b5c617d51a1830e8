// Facts about this machine that are stored with every result.
#pragma once

#include "os/system/gpus.hpp"
#include "os/system/topology/cpus.hpp"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace orch::system {

struct Machine {
  std::string host;
  std::string cpu_model;
  int cpus = 0;  // as usable_cpus()
  // If a cgroup allows less time than that of the CPUs that this process sees: see cpu_quota().
  std::optional<double> cpu_quota = {};
  double memory_gib = 0;
  std::string kernel;
  std::string system;  // "Debian GNU/Linux 12 (bookworm)"
  std::string boot_id;
  std::optional<Gpus> gpus;          // nullopt: none is visible
  std::vector<HostCore> cores = {};  // usable by this process

  // The facts as text by name, for the store.
  std::map<std::string, std::string> facts() const;
};

// Facts that cannot be read stay "" or 0.
Machine detect_machine();

// "x86_64", "aarch64": as the kernel and Python's platform.machine() name it.
std::string processor();

// CPU time of the whole host, from /proc/stat, and the part used by neither the load generator nor
// its servers.

// CPU seconds since the host was started, summed over all CPUs.
struct HostTimes {
  int cpus = 0;
  double busy_s = 0;   // including guests of this host
  double steal_s = 0;  // a virtual host had work, but did not get a CPU
};

// STAT: the text of /proc/stat, which counts TICKS per second. nullopt if it has another form.
std::optional<HostTimes> parse_host_times(std::string_view stat, double ticks);

// One reading of the host's counters.
struct HostLook {
  double at_s = 0;
  double own_s = 0;  // CPU time of this process
  std::optional<HostTimes> times;
};

HostLook look_at_host();

// The usage between two readings.
struct HostUse {
  int cpus = 0;
  double wall_s = 0;
  double busy_s = 0;
  double steal_s = 0;
  // The part of busy_s used by neither this process nor the servers.
  std::optional<double> others_s = {};

  // SECONDS as a fraction of all CPUs, 0 to 1.
  double share(double seconds) const { return seconds / (wall_s * cpus); }
};

// SERVERS_S: CPU time of the servers' processes on this host; nullopt: unknown. Returns nullopt if
// a reading is missing or the interval is too short for the resolution of CPU time.
std::optional<HostUse> host_use(const HostLook& before, const HostLook& after,
                                std::optional<double> servers_s);

}  // namespace orch::system
