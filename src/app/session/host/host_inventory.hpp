// The cores, GPUs, memory and tokens of a plan's machine, as shared by its stages.
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

// If another machine is stated: the stated numbers of CPUs and GPUs, all near each other.
resources::Inventory host_inventory(const Experiment& experiment);

// Whether the machine has GPUs that stages may use.
bool has_gpus(const Experiment& experiment);

// The GPUs of this machine that stages may use, as CUDA selects them: by index, or by UUID if some
// are split. Empty: those of another machine, or all of this one by index.
std::vector<std::string> names_of_gpus(const Experiment& experiment);

// Default number of concurrent tasks: that of the processors, at most 4; 4 if unknown.
std::size_t usual_jobs(const resources::Inventory& inventory);

// How containers are started on this host, given its site file, GPUs and user.

// ENVIRONMENT: of this process.
attempt::ContainerHost containers_here(const Experiment& experiment,
                                       const std::map<std::string, std::string>& environment);

// Servers with more GPUs than a node has: whether their ranks can be divided among nodes.

// The nodes of EXPERIMENT as stated.
ranks::Nodes nodes_of(const Experiment& experiment);

// Appends an error for each stage of PLAN whose GPUs span several nodes and whose command cannot be
// divided among them.
void refuse_undivided(const plan::Plan& plan, const Experiment& experiment, Errors& errors);

// The same for stages in containers whose engine starts them on one node only.
void refuse_contained(const plan::Plan& plan, const Experiment& experiment, Errors& errors);

}  // namespace orch::session
