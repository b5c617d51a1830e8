// What the folder of a batch says of a job of it: store/slurm/batches/BATCH, or the like below an
// attempt for the ranks of a server and their keepers.
#pragma once

#include "run/slurm/job_files.hpp"

#include <map>
#include <string>

namespace orch::slurm {

// The value of NAME; "": there is none.
std::string job_variable(const std::map<std::string, std::string>& environment,
                         const std::string& name);

// The store that FOLDER, of a batch, is in.
std::string job_store(const std::string& folder);

// Of a batch of ranks or their keepers: the folder of the attempt.
std::string job_attempt(const std::string& folder);

// The launch of the job, or rank, with ENVIRONMENT; "": its batch has none for it.
std::string job_token(JobFiles& files, const std::map<std::string, std::string>& environment,
                      const std::string& folder);

}  // namespace orch::slurm
