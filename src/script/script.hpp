// Writes a whole plan as one bash script for users: the steps of `orchestrate run` with an empty
// store, by hand. Produces text only: touches no file and starts no process.
#pragma once

#include "attempt/layout.hpp"
#include "plan/plan.hpp"
#include "runner/manifest.hpp"
#include "system/ports.hpp"

#include <string>
#include <vector>

namespace orch::script {

// A resolver, and the name of the runner whose files it uses; "": the default one.
struct ScriptResolver {
  runner::Resolver command;
  std::string runner = "";
};

struct ScriptOptions {
  std::string matrix_file = "";                // appears in the header only, as does the next
  std::string file = "plan.sh";                // of the script itself
  std::vector<ScriptResolver> resolvers = {};  // of the runners
  system::PortRange ports = {};                // that the script's servers may use
  std::vector<std::string> gpus = {};          // that it may use, by index or UUID; empty: all
};

// Makes every stage that a runnable point needs, even if a store already has it. Mutable revisions
// that the plan does not know yet are resolved first. Rejected and undecided points appear in
// comments.
std::string to_script(const plan::Plan& plan, const attempt::Layout& layout,
                      const ScriptOptions& options = {});

}  // namespace orch::script
