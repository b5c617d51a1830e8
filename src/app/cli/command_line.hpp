// The command line and folder of this process, for the record.
#pragma once

#include <string>
#include <vector>

namespace orch::cli {

std::vector<std::string> own_command_line();
// The working folder, absolute; "" when it was deleted.
std::string own_folder();

}  // namespace orch::cli
