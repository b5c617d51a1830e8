// The cores, GPUs, memory and tokens of the machine that a plan is for, as stages share them out.
#pragma once

#include "app/session/experiment.hpp"
#include "plan/graph/plan.hpp"
#include "plan/resources/ledger.hpp"
#include "run/attempt/container_host.hpp"

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace orch::session {

// Of a stated machine that is not this one: as many CPUs and GPUs as are stated, all near each
// other.
resources::Inventory host_inventory(const Experiment& experiment);

// Whether that machine has GPUs that stages may use.
bool has_gpus(const Experiment& experiment);

// The GPUs of this machine that stages may use, as CUDA selects them: by index, or by UUID where
// some are split. Empty: those of another machine, or all of this one by their indices.
std::vector<std::string> names_of_gpus(const Experiment& experiment);

// Tasks at a time where the user does not say: the processors, at most 4; 4 where they are not
// known.
std::size_t usual_jobs(const resources::Inventory& inventory);

// How containers are started on this host, by its site file, its GPUs and its user.

// ENVIRONMENT: of this process.
attempt::ContainerHost containers_here(const Experiment& experiment,
                                       const std::map<std::string, std::string>& environment);

// Servers with more GPUs than a node has: whether their ranks can be divided among nodes.

// The nodes of EXPERIMENT as they are stated.
ranks::Nodes nodes_of(const Experiment& experiment);

// Appends an error for each stage of PLAN whose GPUs are those of several nodes, and whose command
// cannot be divided among them.
void refuse_undivided(const plan::Plan& plan, const Experiment& experiment, Errors& errors);

// The same for those in containers whose engine starts them on one node only.
void refuse_contained(const plan::Plan& plan, const Experiment& experiment, Errors& errors);

}  // namespace orch::session
