// Reads the adapter of --lora.
#pragma once

#include "core/base/result.hpp"

namespace orch::cli {

struct BenchCommand;

// Puts weights and configuration into the options of COMMAND, if it has --lora. Errors name the
// file that is missing or faulty.
Status read_adapter(BenchCommand& command);

}  // namespace orch::cli
