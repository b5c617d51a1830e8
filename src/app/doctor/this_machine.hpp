// The machine itself: processors, memory, GPUs and their driver, ports, versions.
#pragma once

#include "app/doctor/asking.hpp"
#include "app/doctor/finding.hpp"
#include "app/session/site.hpp"
#include "os/system/machine.hpp"

#include <set>

namespace orch::doctor {

struct Version {
  std::string name, version;
};

Section versions_section(const std::vector<Version>& versions);

// What nvidia-smi and the driver's library say.
struct Driver {
  std::optional<Answer> listed;            // by nvidia-smi; empty: there is none
  std::optional<system::Machine> machine;  // empty: the driver does not answer
};

// Asks nvidia-smi first: a thread of this process that waits in a driver would keep it from ending.
Driver ask_driver(const Asking& asking);
// Whether FOLDER, /sys/bus/pci/devices, has an NVIDIA GPU.
bool has_nvidia_device(system::Files& files, const std::string& folder);

Section machine_section(const std::optional<system::Machine>& machine);
Section gpu_section(const Driver& driver, bool has_device);
// The ports on which something listens, by the kernel's lists of sockets.
std::set<int> listening_ports(system::Files& files);
// The ports that servers may have, by the kernel's lists of listening sockets.
Section ports_section(system::Files& files, const session::Site& site);

}  // namespace orch::doctor
