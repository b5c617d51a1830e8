// What a stage requests of the cluster that runs it.
#pragma once

#include "run/execute/executor.hpp"
#include "plan/graph/plan.hpp"

#include <map>
#include <optional>
#include <string>

namespace orch::attempt {

// What a site requests for the jobs of a stage in place of what the stage states.
struct SiteRequest {
  std::optional<int> cpus;           // 0: nothing, so that the cluster's default counts
  std::optional<double> memory_gib;  // the same
};
// By the name of a stage or, for all others, its kind: "task", "service".
using SiteRequests = std::map<std::string, SiteRequest>;

struct PlaceOptions {
  double grace_s = 120;      // see execute::Place
  double server_s = 14400;   // the longest that a server may take with its measurements
  std::string mpi = "pmix";  // see execute::Place
  SiteRequests requests = {};
};

// Of STAGE in PLAN. Of the job of a server, the CPUs and the memory include those of its largest
// measurement; of a server with a node to itself they are those of the node, and not stated.
execute::Place place_of(const plan::Plan& plan, const plan::Stage& stage,
                        const PlaceOptions& options);

}  // namespace orch::attempt
