// The NUMA node that a PCI device is attached to, according to the kernel.
#pragma once

#include <string>

namespace orch::system {

// BUS_ID as written by NVML: "00000000:3B:00.0". -1: the kernel does not know.
int node_of_device(const std::string& bus_id, const std::string& pci = "/sys/bus/pci/devices");

}  // namespace orch::system
