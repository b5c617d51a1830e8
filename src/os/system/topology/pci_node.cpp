#include "os/system/topology/pci_node.hpp"

#include "core/base/text.hpp"

#include <fstream>

namespace orch::system {

int node_of_device(const std::string& bus_id, const std::string& pci) {
  // The kernel's domain has only four digits.
  const std::size_t domain = bus_id.find(':');
  if (domain == std::string::npos) return -1;
  const std::string name =
      lower(domain > 4 ? bus_id.substr(domain - 4) : std::string(4 - domain, '0') + bus_id);
  int node = -1;
  std::ifstream(fmt::format("{}/{}/numa_node", pci, name)) >> node;
  return node;
}

}  // namespace orch::system
