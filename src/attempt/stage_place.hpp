// What a stage requests of the cluster that runs it.
#pragma once

#include "execute/executor.hpp"
#include "plan/plan.hpp"
#include "ranks/nodes.hpp"

namespace orch::attempt {

struct PlaceOptions {
  matrix::Isolation isolation = matrix::Isolation::none;
  double grace_s = 120;      // see execute::Place
  double server_s = 120;     // the longest that a server may take with its measurements
  std::string mpi = "pmix";  // see execute::Place
  ranks::Nodes nodes = {};   // that the ranks of a server may be divided among
};

execute::Place place_of(const plan::Stage& stage, const PlaceOptions& options);

}  // namespace orch::attempt
