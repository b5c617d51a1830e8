#include "cluster/job_servers.hpp"

#include "attempt/error_class.hpp"

namespace orch::cluster {

void JobReadiness::watch(const std::string& token, const attempt::Probe& probe) {
  // An agent that has reported takes no further one.
  const Status written = files_.health(token) ? Status() : files_.write_probe(token, probe);
  if (written) unasked_.erase(token);
  else unasked_[token] = written.error();
}

attempt::HealthReport JobReadiness::report(const std::string& token) {
  if (const auto unasked = unasked_.find(token); unasked != unasked_.end())
    return {attempt::Health::failed, unasked->second.message,
            attempt::class_of(unasked->second, "io_error")};
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
