// The leader of a job: runs one launch where Slurm has placed it, and, for a server, the
// measurements that the orchestrator asks for on the same node. It reaches the orchestrator by
// files alone (job_files.hpp), and outlives it.
#pragma once

#include "attempt/readiness.hpp"
#include "cluster/job_files.hpp"
#include "system/host_parts.hpp"
#include "system/ports.hpp"

#include <map>
#include <string>

namespace orch::cluster {

// What an agent works with on its node. Borrows everything but the environment.
struct AgentHost {
  system::Host host;
  int children;  // readable when one may have changed its state
  attempt::Readiness& readiness;
  system::Ports& ports;
  std::map<std::string, std::string> environment;  // of this process, which Slurm has made
};

// Serves the job of this process: FOLDER is that of its batch. Returns the exit status: 0 also when
// another job has the launch already, or when nobody wants it any more.
int serve_as_job(const AgentHost& host, const std::string& folder);

}  // namespace orch::cluster
