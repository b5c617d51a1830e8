// The CPU time that cgroups allow this process, as in a container with a limit of CPUs. The kernel
// shows such a process every CPU of the host.
#pragma once

#include <optional>
#include <string>

namespace orch::system {

// In CPUs: 1.5 allows as much time as one and a half of them. The least of the limits of this
// process's cgroup and of those above it, v2 or v1, as far as they are visible here; nullopt: none.
// PROC: the folder /proc.
std::optional<double> cpu_quota(const std::string& proc = "/proc");

// How many CPUs this process can keep busy: those that it may run on, or the whole ones of its
// quota if they are fewer; at least 1.
int usable_cpus();

}  // namespace orch::system
