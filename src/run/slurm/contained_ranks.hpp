// A server of several nodes whose ranks run in containers that srun starts. No agent of ours can
// run in an image, so one step of Slurm holds all ranks, and is ended by its name wherever they
// are.
#pragma once

#include "run/slurm/server_ranks.hpp"

namespace orch::slurm {

// The launch that starts the ranks of SERVER and ends when they have ended. Writes what each of
// them runs into the folder `ranks` of the attempt, which the containers see at the same path.
Result<execute::Launch> contained_ranks(const ServerRanks::With& with,
                                        const execute::Launch& server);

}  // namespace orch::slurm
