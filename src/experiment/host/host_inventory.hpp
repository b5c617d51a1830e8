// The cores, GPUs, memory and tokens of the machine that a plan is for, as stages share them out.
#pragma once

#include "experiment/experiment.hpp"
#include "resources/host_resources.hpp"

namespace orch::experiment {

// Of a stated machine that is not this one: as many CPUs and GPUs as are stated, all near each
// other.
resources::Inventory host_inventory(const Experiment& experiment);

// Tasks at a time where the user does not say: the processors, at most 4; 4 where they are not
// known.
std::size_t usual_jobs(const resources::Inventory& inventory);

}  // namespace orch::experiment
