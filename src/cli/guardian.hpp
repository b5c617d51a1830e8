// `orchestrate guardian`: what runs is started by it. For `orchestrate run` alone, so neither
// --help nor completion know it.
#pragma once

#include <optional>

namespace orch::cli {

// The exit status, when that is what the command line asks for.
std::optional<int> guardian_main(int argc, char** argv);

}  // namespace orch::cli
