// The words by which container engines say that they failed themselves: podman, docker, nerdctl,
// apptainer, and the plugin of a cluster with Enroot. Rows of the table of failures.
#pragma once

#include "run/attempt/failure_table.hpp"

#include <span>
#include <string_view>

namespace orch::attempt {

std::span<const Cause> engine_causes();

// Whether LINE, of a log and in lower case, has the form of an error of an engine, which may have
// ended with the status CODE. What a program prints inside a container has not, but by chance.
bool is_of_engine(std::string_view line, int code);

}  // namespace orch::attempt
