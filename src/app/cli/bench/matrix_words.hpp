// Messages of `orchestrate bench` in the words of a matrix. A stage runs `bench` with options that
// its runner fills in; who reads the message can change keys of the matrix, and no option.
#pragma once

#include <string>
#include <string_view>

namespace orch::cli {

// Whether this process is a stage of a run.
bool is_stage_of_run();

// MESSAGE with the keys of a matrix in place of the options of `bench`: num_prompts for --requests.
std::string in_words_of_matrix(std::string_view message);

}  // namespace orch::cli
