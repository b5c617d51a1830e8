// How this process was called, for the record.
#pragma once

#include <string>
#include <vector>

namespace orch::cli {

std::vector<std::string> own_command_line();
// The folder we work in, absolute; "" when it is gone.
std::string own_folder();

}  // namespace orch::cli
