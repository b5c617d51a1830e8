// What a script is told beside its plan.
#pragma once

#include "run/attempt/container_host.hpp"
#include "spec/runner/manifest.hpp"
#include "os/system/ports.hpp"

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
  // That it may use, by index or UUID; empty: the first ones of the machine.
  std::vector<std::string> gpus = {};
  bool hides_gpus = false;  // its machine has some: a stage that holds none sees none
  bool on_cluster = false;  // of jobs, whose GPUs a cluster chooses
  attempt::ContainerHost containers = {};                // that start the containers of its stages
  std::vector<std::string> nvidia_smi = {"nvidia-smi"};  // sets the clocks of GPUs
};

}  // namespace orch::script
