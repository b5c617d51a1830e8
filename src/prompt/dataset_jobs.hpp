// Prepares the job file of make_prompts.py: writes the rows of its datasets, in one form, beside
// it. Knows the members `dataset` and `rows` of a job; makes and counts no prompts.
#pragma once

#include <string>

#include "base/result.hpp"
#include "system/files.hpp"

namespace orch::prompt {

// In the JSON array of jobs in JOBS_FILE, replaces `dataset`, "local:PATH" or "", by `rows`, a file
// of plain_rows() in the same folder, or by `refused`, the reason why the dataset cannot be read. A
// dataset of several jobs is read once. Error: JOBS_FILE is not such an array, or the folder cannot
// be written.
Status place_dataset_rows(const std::string& jobs_file, system::Files& files);

}  // namespace orch::prompt
