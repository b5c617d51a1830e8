// The agent of a job: runs one launch where Slurm has placed it, and, for a server, the
// measurements that the orchestrator asks for on the same node. It reaches the orchestrator by
// files alone (job_files.hpp), and outlives it. It is the child of the job's first process, which
// does what is left when it dies.
#pragma once

#include "run/attempt/readiness.hpp"
#include "run/slurm/job_files.hpp"
#include "run/slurm/node_remains.hpp"
#include "os/system/host_parts.hpp"
#include "os/system/ports.hpp"

#include <functional>
#include <map>
#include <optional>
#include <string>

namespace orch::slurm {

// What an agent works with on its node. Borrows everything but the environment.
struct AgentHost {
  system::Host host;
  int children;  // readable when one may have changed its state
  attempt::Readiness& readiness;
  system::Ports& ports;
  NodeRemains& remains;
  std::map<std::string, std::string> environment;  // of this process, which Slurm has made
  SiteVariables site = {};                         // what the lines of the site have changed in it
  std::string who;                                 // new for each start of a job
};

// Serves the job of this process: FOLDER is that of its batch. Returns the exit status: 0 also when
// another job has the launch already, or when nobody wants it any more.
int serve_as_job(const AgentHost& host, const std::string& folder);

// Runs AGENT in a child and passes the signals of Slurm on to it. Its exit status; empty: a signal
// ended it. To be called before the first thread of this process.
std::optional<int> run_in_child(const std::function<int()>& agent);

// Ends what is left on this node of the launch TOKEN, whose agent is dead, and records how it
// ended. ENVIRONMENT is that of the job.
void settle_launch(const system::Host& host, const std::map<std::string, std::string>& environment,
                   AgentFiles& files, const std::string& token);

// Ends what a dead agent WHO has left on this node, and records it as lost, or by the exit record
// that it could still write. ENVIRONMENT is that of the job.
void settle_dead_agent(const system::Host& host,
                       const std::map<std::string, std::string>& environment,
                       const std::string& who, const std::string& folder);

}  // namespace orch::slurm
