// What the scheduler asks of a server on this machine, answered for a server of a job: its agent
// does the work on its node.
#pragma once

#include "run/attempt/readiness.hpp"
#include "run/slurm/job_files.hpp"
#include "os/system/clock.hpp"
#include "os/system/ports.hpp"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace orch::slurm {

// Servers of jobs: an agent asks them on their node, and reports by a file.
class JobReadiness final : public attempt::Readiness {
 public:
  JobReadiness(JobFiles files, system::Clock& clock) : files_(std::move(files)), clock_(clock) {}
  void watch(const std::string& token, const attempt::Probe& probe) override;
  attempt::HealthReport report(const std::string& token) override;
  void forget(const std::string& token) override;

 private:
  JobFiles files_;
  system::Clock& clock_;
  std::map<std::string, Error> unasked_;       // servers whose agents cannot be asked
  std::map<std::string, double> next_look_s_;  // for a report, by token
};

// Ports of nodes, which an agent chooses: each is number 0 until then.
class JobPorts final : public system::Ports {
 public:
  Result<std::vector<system::PortLease>> lease(std::size_t count) override;
  Result<system::PortLease> take(int port) override;
  Result<system::PortLease> retake(int port) override;
};

}  // namespace orch::slurm
