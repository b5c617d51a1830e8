#include "run/slurm/job_servers.hpp"

#include "run/attempt/error_class.hpp"

namespace orch::slurm {

namespace {

// A job may be in the queue for hours, and each look lists a folder of a shared file system.
constexpr double k_report_s = 0.2;

}  // namespace

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
  double& next_s = next_look_s_[token];
  const double now_s = clock_.now_s();
  if (now_s < next_s) return {};
  if (auto report = files_.health(token)) return *std::move(report);
  next_s = now_s + k_report_s;
  return {};
}

void JobReadiness::forget(const std::string& token) {
  unasked_.erase(token);
  next_look_s_.erase(token);
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

}  // namespace orch::slurm
