#include "os/system/machine.hpp"

#include "core/base/text.hpp"
#include "os/system/clock.hpp"
#include "os/system/launch.hpp"
#include "os/system/topology/cpu_quota.hpp"
#include "os/system/tree_signal.hpp"

#include <fstream>

#include <sys/utsname.h>
#include <unistd.h>

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

constexpr double k_least_interval_s = 0.05;  // CPU time is counted in hundredths of a second

// The numbers after the first word.
std::vector<double> numbers_of(std::string_view line) {
  std::vector<double> out;
  const std::vector<std::string> words = split(line, ' ');
  for (std::size_t i = 1; i < words.size(); ++i) {
    if (words[i].empty()) continue;
    const auto number = to_integer(words[i]);
    if (!number) return {};
    out.push_back(static_cast<double>(*number));
  }
  return out;
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
  if (cpu_quota) facts.insert({"cpu_quota", fmt::format("{:g}", *cpu_quota)});
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
  const CpuSet own = own_cpus();
  machine.cpus = usable_cpus();
  if (const auto quota = cpu_quota(); quota && *quota < static_cast<double>(own.size()))
    machine.cpu_quota = quota;
  const std::string total = field("/proc/meminfo", "MemTotal", ':');
  machine.memory_gib =
      static_cast<double>(to_integer(total.substr(0, total.find(' '))).value_or(0)) / (1024 * 1024);
  machine.system = field("/etc/os-release", "PRETTY_NAME", '=');
  machine.boot_id = boot_id();
  machine.gpus = detect_gpus();
  machine.cores = first_cores(detect_cores(own), machine.cpus);
  return machine;
}

std::string processor() {
  utsname name{};
  ::uname(&name);
  return name.machine;
}

std::optional<HostTimes> parse_host_times(std::string_view stat, double ticks) {
  enum Column : std::size_t { user, nice, system, idle, iowait, irq, softirq, steal, columns };
  std::optional<HostTimes> out;
  int cpus = 0;
  for (const std::string& line : split(stat, '\n')) {
    if (!line.starts_with("cpu")) break;  // CPU lines come first
    if (!line.starts_with("cpu ")) {
      ++cpus;
      continue;
    }
    const std::vector<double> spent = numbers_of(line);
    if (spent.size() < columns) return {};
    // The guest columns are excluded: user and nice include them.
    out = HostTimes{
        .cpus = 0,
        .busy_s = (spent[user] + spent[nice] + spent[system] + spent[irq] + spent[softirq]) / ticks,
        .steal_s = spent[steal] / ticks};
  }
  if (!out || cpus == 0) return {};
  out->cpus = cpus;
  return out;
}

HostLook look_at_host() {
  static const auto k_ticks = static_cast<double>(::sysconf(_SC_CLK_TCK));
  return {.at_s = kernel_seconds(CLOCK_MONOTONIC),
          .own_s = kernel_seconds(CLOCK_PROCESS_CPUTIME_ID),
          .times = parse_host_times(read_proc(host_proc() + "/stat"), k_ticks)};
}

std::optional<HostUse> host_use(const HostLook& before, const HostLook& after,
                                std::optional<double> servers_s) {
  if (!before.times || !after.times || after.at_s - before.at_s < k_least_interval_s) return {};
  HostUse use{.cpus = after.times->cpus,
              .wall_s = after.at_s - before.at_s,
              .busy_s = after.times->busy_s - before.times->busy_s,
              .steal_s = after.times->steal_s - before.times->steal_s};
  // The clocks differ slightly, so the difference may be below 0.
  if (servers_s)
    use.others_s = std::max(0.0, use.busy_s - (after.own_s - before.own_s) - *servers_s);
  return use;
}

}  // namespace orch::system
