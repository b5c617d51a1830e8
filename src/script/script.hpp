// Writes a whole plan as one bash script for users: the steps of `orchestrate run` with an empty
// store, by hand. Produces text only: touches no file and starts no process.
#pragma once

#include "attempt/layout.hpp"
#include "plan/plan.hpp"
#include "system/ports.hpp"

#include <string>
#include <vector>

namespace orch::script {

// What the machine of the script leaves to its servers.
struct Allowed {
  system::PortRange ports = {};
  std::vector<std::string> gpus = {};  // by index or UUID; empty: all
};

// Makes every stage that a runnable point needs, even if a store already has it. Rejected and
// undecided points appear in comments. MATRIX_FILE appears in the header only.
std::string to_script(const plan::Plan& plan, const attempt::Layout& layout,
                      const std::string& matrix_file = "", const Allowed& allowed = {});

}  // namespace orch::script
