#include "cluster/job_servers.hpp"

namespace orch::cluster {

void JobReadiness::watch(const std::string& token, const attempt::Probe& probe) {
  (void)files_.write_probe(token, probe).ok();
}

attempt::HealthReport JobReadiness::report(const std::string& token) {
  return files_.health(token).value_or(attempt::HealthReport{});
}

Result<std::vector<system::PortLease>> JobPorts::lease(std::size_t count) {
  std::vector<system::PortLease> leases;
  for (std::size_t i = 0; i < count; ++i) leases.emplace_back(0, system::Descriptor());
  return leases;
}

Result<system::PortLease> JobPorts::take(int port) {
  return system::PortLease(port, system::Descriptor());
}

Result<system::PortLease> JobPorts::retake(int port) {
  return system::PortLease(port, system::Descriptor());
}

}  // namespace orch::cluster
