#include "os/system/machine.hpp"

#include "core/base/text.hpp"

#include <sched.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <fstream>

namespace orch::system {

namespace {

// The value of the first line "NAME<separator>VALUE" of a file, without quotes.
std::string field(const std::string& path, std::string_view name, char separator) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    const auto at = line.find(separator);
    if (at == std::string::npos || trim(std::string_view(line).substr(0, at)) != name) continue;
    std::string_view value = trim(std::string_view(line).substr(at + 1));
    if (value.size() >= 2 && value.front() == '"') value = value.substr(1, value.size() - 2);
    return std::string(value);
  }
  return "";
}

std::string first_line(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

}  // namespace

std::map<std::string, std::string> Machine::facts() const {
  std::map<std::string, std::string> facts = {{"host", host},
                                              {"cpu_model", cpu_model},
                                              {"cpus", std::to_string(cpus)},
                                              {"memory_gib", fmt::format("{:.1f}", memory_gib)},
                                              {"kernel", kernel},
                                              {"system", system},
                                              {"boot_id", boot_id}};
  if (gpus)
    facts.insert({{"gpus", std::to_string(gpus->count)},
                  {"gpu_model", gpus->model},
                  {"gpu_memory_gib", fmt::format("{:.1f}", gpus->memory_gib)},
                  {"mig", gpus->mig},
                  {"driver", gpus->driver}});
  return facts;
}

Machine detect_machine() {
  Machine machine;
  utsname name{};
  ::uname(&name);
  machine.host = name.nodename;
  machine.kernel = name.release;
  machine.cpu_model = field("/proc/cpuinfo", "model name", ':');
  if (machine.cpu_model.empty()) machine.cpu_model = name.machine;
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  machine.cpus = ::sched_getaffinity(0, sizeof allowed, &allowed) == 0
                     ? CPU_COUNT(&allowed)
                     : static_cast<int>(::sysconf(_SC_NPROCESSORS_ONLN));
  const std::string total = field("/proc/meminfo", "MemTotal", ':');
  machine.memory_gib =
      static_cast<double>(to_integer(total.substr(0, total.find(' '))).value_or(0)) / (1024 * 1024);
  machine.system = field("/etc/os-release", "PRETTY_NAME", '=');
  machine.boot_id = first_line("/proc/sys/kernel/random/boot_id");
  machine.gpus = detect_gpus();
  machine.cores = detect_cores(own_cpus());
  return machine;
}

}  // namespace orch::system
