// Runs a program to its end, with its standard output shown and kept. Contains nothing: the
// caller's own process tree ends it.
#pragma once

#include <string>
#include <vector>

#include "core/base/result.hpp"

namespace orch::cli {

// In FOLDER. A program that a signal ended gives 128 + its number, as in a shell. Error: it could
// not be started, or its output not be kept in the file KEPT.
Result<int> run_tool(const std::vector<std::string>& argv, const std::string& folder,
                     const std::string& kept);

}  // namespace orch::cli
