// At which NUMA node a PCI device is attached, as the kernel says. Knows no GPU.
#pragma once

#include <string>

namespace orch::system {

// BUS_ID as NVML writes it: "00000000:3B:00.0". -1: the kernel does not know.
int node_of_device(const std::string& bus_id, const std::string& pci = "/sys/bus/pci/devices");

}  // namespace orch::system
