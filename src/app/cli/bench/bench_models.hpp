// The table of `orchestrate bench` with the times that each model of a Triton server spent on a
// request. Knows no metric.
#pragma once

#include <span>
#include <string>

#include "bench/observe/model_statistics.hpp"

namespace orch::cli {

// A header and one line for each model; "" without models.
std::string models_table(std::span<const observe::ModelTimes> models);

}  // namespace orch::cli
