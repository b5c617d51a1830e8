// Adapts a launch to the node of its job: port and GPU numbers, variables, folders, and the ranks
// of a server on several nodes.
#pragma once

#include "os/system/host_parts.hpp"
#include "os/system/ports.hpp"
#include "run/attempt/readiness.hpp"
#include "run/execute/guardian_launch.hpp"
#include "run/slurm/job_files.hpp"
#include "run/slurm/node_remains.hpp"
#include "run/slurm/server_ranks.hpp"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace orch::slurm {

// An agent's tools on its node. Borrows everything except the environment.
struct AgentHost {
  system::Host host;
  int children;  // readable when a child may have changed its state
  attempt::Readiness& readiness;
  system::Ports& ports;
  NodeRemains& remains;
  std::map<std::string, std::string> environment;  // of this process, set by Slurm
  SiteVariables site = {};                         // the site's changes to the environment
  std::string who;                                 // unique for each start of a job
};

class NodeFitter {
 public:
  // TOKEN is the first launch of the job, or that of the rank. HOST must outlive this.
  NodeFitter(const AgentHost& host, AgentFiles files, std::string token, bool is_rank)
      : host_(host), files_(std::move(files)), token_(std::move(token)), is_rank_(is_rank) {}

  // The additional parts of a server on several nodes, besides the launch that starts its ranks.
  struct Division {
    std::optional<ServerRanks> ranks;
    std::unique_ptr<execute::GuardianLaunch> keepers;  // already running
  };
  // Adapts ASKED so that it can be spawned here, and records what it may leave on this node.
  Result<Division> fit(AgentFiles::Asked& asked);
  // TEXT with this node's numbers for {port:NAME}, where NAME may begin with PREFIX, and for
  // {gpu:N}, and with its paths for {driver:NAME}.
  std::string with_numbers(std::string_view text, const std::string& prefix = "") const;
  // The node of this job ("n1", or "n[1-2]" with ranks on several nodes), its id and its ports.
  Started place() const;

 private:
  std::string variable(const std::string& name) const {
    return job_variable(host_.environment, name);
  }
  Status lease(const execute::Launch& launch);
  std::string gpu_of_job(std::string_view n) const;
  Result<std::string> gpus_of_job() const;
  Status fill_in(execute::Launch& launch) const;
  void add_variables(execute::Launch& launch) const;
  Result<Division> divide(AgentFiles::Asked& asked);

  const AgentHost& host_;
  AgentFiles files_;
  std::string token_;
  const bool is_rank_;
  std::string node_;  // "": this process's node
  std::map<std::string, int> ports_;
  std::vector<system::PortLease> leases_;
};

}  // namespace orch::slurm
