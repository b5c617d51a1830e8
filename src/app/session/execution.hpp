// How the stages of a run are started and reached: on this host, or as jobs of a cluster. The only
// place that chooses between the two.
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
  std::string host;  // recorded with attempts
  // The chosen GPUs of this host, or none if the stages' GPUs are on other nodes.
  std::function<std::unique_ptr<system::GpuMemory>()> open_gpu_memory;
  std::function<std::unique_ptr<system::Ports>()> open_ports;
  // Http must outlive the result.
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

// Follows the placement in EXPERIMENT's options. Error: a folder in the store cannot be created.
Result<Execution> make_execution(const ExecutionParts& parts);

}  // namespace orch::session
