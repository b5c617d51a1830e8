// The cores, GPUs, memory and tokens of the machine that a plan is for, as stages share them out.
#pragma once

#include "app/session/experiment.hpp"
#include "plan/resources/host_resources.hpp"

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

}  // namespace orch::session
