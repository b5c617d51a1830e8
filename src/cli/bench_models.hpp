// The table of `orchestrate bench` that says what each of a Triton server's models spent on a
// request. Knows no metric.
#pragma once

#include <span>
#include <string>

#include "observe/model_statistics.hpp"

namespace orch::cli {

// One line for each model below a header; "" when there is none.
std::string models_table(std::span<const observe::ModelTimes> models);

}  // namespace orch::cli
