// Makes what starts and reaches the stages of a run, on this host or as jobs of a cluster.
#pragma once

#include "app/session/experiment.hpp"
#include "app/session/world.hpp"
#include "os/system/diagnostics.hpp"
#include "os/system/gpus.hpp"
#include "os/system/http/http.hpp"
#include "os/system/ports.hpp"
#include "run/attempt/layout.hpp"
#include "run/attempt/readiness.hpp"
#include "run/execute/executor.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace orch::session {

struct Execution {
  std::unique_ptr<execute::Executor> executor;
  std::string host;  // the name that is recorded as the host of attempts
  // Opens the chosen GPUs of this host, or no GPUs if those of the stages are on other nodes.
  std::function<std::unique_ptr<system::GpuMemory>()> open_gpu_memory;
  std::function<std::unique_ptr<system::Ports>()> open_ports;
  // The argument must outlive the result.
  std::function<std::unique_ptr<attempt::Readiness>(system::Http&)> open_readiness;
  std::optional<attempt::PlaceOptions> places;  // nullopt: launches share this host
};

// The inputs of make_execution(). All references must outlive the result.
struct ExecutionParts {
  World& world;
  Reporter& reporter;
  const Experiment& experiment;
  const attempt::Layout& layout;
  system::LogLevel log_level;
  std::vector<std::string> secrets;
};

// Makes the execution for the placement in the experiment's options. Error: a folder in the store
// cannot be created.
Result<Execution> make_execution(const ExecutionParts& parts);

}  // namespace orch::session
