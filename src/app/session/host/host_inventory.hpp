// The cores, GPUs, memory and tokens of a plan's machine, which its stages share.
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

// The resources of the machine. For several nodes or another machine, these are the stated numbers
// of CPUs and GPUs, as if all were near each other.
resources::Inventory host_inventory(const Experiment& experiment);

// Whether the machine has GPUs that stages may use.
bool has_gpus(const Experiment& experiment);

// The names by which CUDA selects the GPUs that stages may use: indices, or UUIDs if some GPUs of
// this machine are split. Empty: all GPUs, by index.
std::vector<std::string> names_of_gpus(const Experiment& experiment);

// The default number of concurrent tasks: the number of processors, at most 4; 4 if it is unknown.
std::size_t usual_jobs(const resources::Inventory& inventory);

// How containers are started on this host, given its site file, GPUs and user.

// ENVIRONMENT is that of this process.
attempt::ContainerHost containers_here(const Experiment& experiment,
                                       const std::map<std::string, std::string>& environment);

// Checks whether the ranks of servers with more GPUs than a node has can be divided among nodes.

// The nodes that are stated for EXPERIMENT.
ranks::Nodes nodes_of(const Experiment& experiment);

// Appends an error for each stage of PLAN whose GPUs span several nodes and whose command cannot be
// divided among them.
void refuse_undivided(const plan::Plan& plan, const Experiment& experiment, Errors& errors);

// Appends an error for each stage with GPUs of several nodes in a container whose engine starts
// containers on one node only.
void refuse_contained(const plan::Plan& plan, const Experiment& experiment, Errors& errors);

}  // namespace orch::session
