#include "app/doctor/this_machine.hpp"

#include "core/base/text.hpp"

#include <algorithm>
#include <set>
#include <sstream>

namespace orch::doctor {

namespace {

constexpr const char* k_listening = "0A";   // the state of such a socket in /proc/net/tcp
constexpr const char* k_nvidia = "0x10de";  // a PCI vendor
constexpr const char* k_display = "0x03";   // and the class of PCI devices that GPUs belong to
constexpr const char* k_driver_remedy =
    "dmesg | grep -i nvrm, then restart the machine or its driver";

void read_listening(system::Files& files, const std::string& list, std::set<int>& ports) {
  for (const std::string& line : split(files.read(list).value_or(""), '\n')) {
    std::istringstream words(line);
    std::string slot, local, remote, state;
    words >> slot >> local >> remote >> state;
    const std::size_t colon = local.rfind(':');
    if (state != k_listening || colon == std::string::npos) continue;
    ports.insert(static_cast<int>(std::strtol(local.c_str() + colon + 1, nullptr, 16)));
  }
}

void add_gpus(Section& section, const system::Gpus& gpus) {
  section.add(Level::ok,
              fmt::format("{} x {}, {:.1f} GiB{}; driver {}", gpus.count, gpus.model,
                          gpus.memory_gib, gpus.mig.empty() ? "" : ", split by MIG", gpus.driver));
  if (gpus.count == 0)
    section.add(Level::warning, "MIG is on, and no GPU has a MIG device",
                "nvidia-smi mig -cgi 0 -C, or nvidia-smi -mig 0");
}

}  // namespace

Section versions_section(const std::vector<Version>& versions) {
  Section section{.heading = "versions"};
  for (const Version& one : versions)
    section.add(Level::ok, fmt::format("{} {}", one.name, one.version));
  return section;
}

Driver ask_driver(const Asking& asking) {
  Driver driver;
  if (asking.find("nvidia-smi")) driver.listed = asking.ask({"nvidia-smi", "-L"});
  if (!driver.listed || !driver.listed->hangs)
    driver.machine = within<system::Machine>(asking.patience_s(), asking.world().detect_machine);
  return driver;
}

bool has_nvidia_device(system::Files& files, const std::string& folder) {
  const auto is_of = [&](const std::string& device, const char* file, const char* begin) {
    return files.read(folder + "/" + device + "/" + file).value_or("").starts_with(begin);
  };
  const auto devices = files.names(folder).value_or({});
  return std::ranges::any_of(devices, [&](const std::string& device) {
    return is_of(device, "vendor", k_nvidia) && is_of(device, "class", k_display);
  });
}

Section machine_section(const std::optional<system::Machine>& machine) {
  Section section{.heading = "machine"};
  if (!machine) {
    section.add(Level::warning,
                "the GPU driver does not answer, so nothing else is said of the machine",
                k_driver_remedy);
    return section;
  }
  section.add(Level::ok,
              fmt::format("{}{}, kernel {}", machine->host,
                          machine->system.empty() ? "" : ", " + machine->system, machine->kernel));
  section.add(Level::ok,
              fmt::format("{} processor{}, {}; {:.1f} GiB of memory", machine->cpus,
                          machine->cpus == 1 ? "" : "s", machine->cpu_model, machine->memory_gib));
  return section;
}

Section gpu_section(const Driver& driver, bool has_device) {
  Section section{.heading = "GPUs"};
  if (driver.machine && driver.machine->gpus) add_gpus(section, *driver.machine->gpus);
  else if (!driver.machine)
    section.add(Level::warning,
                driver.listed && driver.listed->hangs ? driver.listed->reason
                                                      : "the driver's library gave no answer",
                k_driver_remedy);
  else if (driver.listed)
    section.add(Level::warning,
                driver.listed->ok
                    ? "nvidia-smi lists GPUs, and the driver's library does not"
                    : fmt::format("nvidia-smi finds no GPU: {}", driver.listed->reason),
                "nvidia-smi -L; where the driver was just updated, restart the machine");
  else if (has_device)
    section.add(Level::warning, "there is an NVIDIA GPU, and no driver for it",
                how_to_install("nvidia-smi") + ", then restart the machine");
  else section.add(Level::note, "no NVIDIA GPU");
  return section;
}

std::set<int> listening_ports(system::Files& files) {
  std::set<int> listening;
  for (const char* list : {"/proc/net/tcp", "/proc/net/tcp6"})
    read_listening(files, list, listening);
  return listening;
}

Section ports_section(system::Files& files, const session::Site& site) {
  Section section{.heading = "ports"};
  const auto [first, last] = site.ports;
  const std::set<int> listening = listening_ports(files);
  const auto taken =
      std::ranges::count_if(listening, [&](int port) { return port >= first && port <= last; });
  const auto free = last - first + 1 - taken;
  section.add(free > 0 ? Level::ok : Level::missing,
              fmt::format("{} of {} ports of {}-{} are free", free, last - first + 1, first, last),
              free > 0 ? "" : "ports: in the site file names another range");
  std::istringstream range(files.read("/proc/sys/net/ipv4/ip_local_port_range").value_or(""));
  int from = 0, to = 0;
  if (range >> from >> to && from <= last && to >= first)
    section.add(Level::warning,
                fmt::format("the kernel takes ports of {}-{} for outgoing connections", from, to),
                fmt::format("ports: in the site file, below {}", from));
  return section;
}

}  // namespace orch::doctor
