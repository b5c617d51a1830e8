#include "app/cli/real_world.hpp"

#include "app/cli/say.hpp"

#include <unistd.h>

extern char** environ;

namespace orch::cli {

std::map<std::string, std::string> real_environment() {
  std::map<std::string, std::string> variables;
  for (char** entry = environ; *entry; ++entry) {
    const std::string_view text = *entry;
    if (const auto equals = text.find('='); equals != std::string_view::npos)
      variables.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return variables;
}

store::Host real_host() {
  static system::RealFiles files;
  static system::RealClock clock;
  return {.files = files, .clock = clock, .says = [](const std::string& sentence) {
            say(stderr, "{}\n", sentence);
          }};
}

observe::GpuSources real_gpu_sources() {
  return {.open_memory = [] { return std::make_unique<system::RealGpuMemory>(); },
          .open_probe = [] { return std::make_unique<system::RealGpuProbe>(); }};
}

RealWorld::RealWorld()
    : world_{
          .files = host_.files,
          .clock = host_.clock,
          .processes = host_.processes,
          .http = http_,
          .workers = workers_,
          .environment = real_environment(),
          .detect_machine = [] { return system::detect_machine(); },
          .open_gpu_memory = real_gpu_sources().open_memory,
          .open_ports =
              [](system::PortRange range) { return std::make_unique<system::RealPorts>(range); },
          .make_executor =
              [this](const execute::GuardedOptions& options) {
                return std::make_unique<execute::GuardedExecutor>(host_.host(), options);
              },
          .open_processes = [] { return std::make_unique<system::RealProcesses>(); },
      } {}

}  // namespace orch::cli
