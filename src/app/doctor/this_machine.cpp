#include "app/doctor/this_machine.hpp"

#include "core/base/text.hpp"
#include "os/system/process.hpp"

#include <sstream>

namespace orch::doctor {

namespace {

using container::Engine;

constexpr const char* k_listening = "0A";   // the state of a listening socket in /proc/net/tcp
constexpr const char* k_nvidia = "0x10de";  // the PCI vendor
constexpr const char* k_display = "0x03";   // the PCI class of GPUs
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

constexpr const char* k_systemd = "/run/systemd/system";  // exists if systemd is process 1

// The arguments after an engine's command that print its version. Docker's arguments query its
// daemon. Podman's must not look for its storage, because podman would create it.
std::vector<std::string> version_words(Engine engine) {
  if (engine == Engine::docker) return {"version", "--format", "{{.Server.Version}}"};
  return {"--version"};
}

std::string how_to_start_docker(system::Files& files) {
  return fmt::format("{}; usermod -aG docker $USER lets you use it",
                     files.exists(k_systemd) ? "systemctl start docker" : "service docker start");
}

void look_at(Section& section, const Asking& asking, Engine engine,
             std::vector<std::string> command) {
  const std::string name{to_string(engine)};
  if (!asking.find(command.front())) {
    section.add(Level::note, fmt::format("no {}", command.front()), how_to_install(name));
    return;
  }
  for (const std::string& word : version_words(engine)) command.push_back(word);
  const Answer said = asking.ask(command);
  const std::string line = said.output.substr(0, said.output.find('\n'));
  if (said.ok)
    return section.add(Level::ok, line.find(name) == std::string::npos ? name + " " + line : line);
  section.add(Level::warning, fmt::format("{} does not work: {}", name, said.reason),
              engine == Engine::docker ? how_to_start_docker(asking.world().files)
                                       : fmt::format("{} info", name));
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
                "the GPU driver does not answer, so nothing else about the machine is reported",
                k_driver_remedy);
    return section;
  }
  section.add(Level::ok,
              fmt::format("{}{}, kernel {}", machine->host,
                          machine->system.empty() ? "" : ", " + machine->system, machine->kernel));
  section.add(Level::ok,
              fmt::format("{}, {}; {:.1f} GiB of memory", plural(machine->cpus, "processor"),
                          machine->cpu_model, machine->memory_gib));
  if (machine->cpu_quota)
    section.add(Level::warning,
                fmt::format("a cgroup allows the time of {:.3g} CPUs, although more are visible; "
                            "no more are counted",
                            *machine->cpu_quota),
                "measure without a limit of CPU time, such as docker's --cpus");
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
                    ? "nvidia-smi lists GPUs, but the driver's library does not"
                    : fmt::format("nvidia-smi finds no GPU: {}", driver.listed->reason),
                "nvidia-smi -L; where the driver was just updated, restart the machine");
  else if (has_device)
    section.add(Level::warning, "there is an NVIDIA GPU, but no driver for it",
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
              free > 0 ? "" : "set another range as ports: in the site file");
  std::istringstream range(files.read("/proc/sys/net/ipv4/ip_local_port_range").value_or(""));
  int from = 0, to = 0;
  if (range >> from >> to && from <= last && to >= first)
    section.add(Level::warning,
                fmt::format("the kernel uses ports {}-{} for outgoing connections", from, to),
                fmt::format("set ports: in the site file to a range below {}", from));
  return section;
}

Section containers_section(const Asking& asking, const session::ContainerSite& site,
                           bool has_gpus) {
  Section section{.heading = "containers"};
  for (const Engine engine : {Engine::docker, Engine::podman, Engine::apptainer}) {
    const bool is_of_site = engine == site.engine && !site.command.empty();
    look_at(section, asking, engine,
            is_of_site ? site.command : std::vector<std::string>{std::string(to_string(engine))});
  }
  const bool asks_registries = site.engine == Engine::apptainer || site.engine == Engine::cluster;
  if (asks_registries && !asking.find("skopeo"))
    section.add(Level::warning, "no skopeo: tags of images cannot be resolved",
                how_to_install("skopeo") + ", or image: NAME@sha256:...");
  if (has_gpus && !asking.find("nvidia-ctk"))
    section.add(Level::warning, "no nvidia-ctk: containers may not see the GPUs",
                how_to_install("nvidia-ctk") +
                    "; for podman also: nvidia-ctk cdi generate --output=/etc/cdi/nvidia.yaml");
  return section;
}

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t k_little_bytes = 1ULL << 30;

// TEXT of mountinfo, which has white space as \OOO, unescaped.
std::string unescaped(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 3 < text.size()) {
      out += static_cast<char>(std::strtol(text.substr(i + 1, 3).c_str(), nullptr, 8));
      i += 3;
    } else {
      out += text[i];
    }
  }
  return out;
}

bool is_below(const std::string& folder, const std::string& mount) {
  if (mount == "/" || folder == mount) return true;
  return folder.starts_with(mount) && folder[mount.size()] == '/';
}

// The results of the calls that may block on a file server.
struct Place {
  std::string folder, type;
  bool is_there = false, is_shared = false;
  Status written;
  std::optional<system::FreeSpace> space;
};

// Writes a file and removes it, because permissions are not sufficient: a file server may reject
// root, and /proc accepts no files.
Status try_to_write(system::Files& files, const std::string& folder) {
  const std::string file = fmt::format("{}/.doctor-{}", folder, system::new_token());
  const Status written = files.put(file, "x");
  const Status removed = files.remove_tree(file);
  return written.ok() ? removed : written;
}

Place look_at(system::Files& files, const IsShared& is_shared, const std::string& folder) {
  Place place;
  place.folder = existing_folder(folder);
  place.type = file_system_of(files.read("/proc/self/mountinfo").value_or(""), place.folder);
  place.is_there = files.exists(folder);
  place.is_shared = is_shared(place.folder);
  place.written = try_to_write(files, place.folder);
  if (const auto space = files.free_space(place.folder)) place.space = *space;
  return place;
}

Finding file_system_finding(const Place& place, const std::string& folder, bool is_for_slurm) {
  const std::string type = place.type.empty() ? "an unknown file system" : place.type;
  Finding finding{.what = place.is_there
                              ? fmt::format("{} is on {}", place.folder, type)
                              : fmt::format("{} (does not exist yet) would be on {}, in {}", folder,
                                            type, place.folder)};
  if (!place.is_shared) return finding;
  finding.what +=
      "; several hosts may use it: SQLite uses its rollback journal, which is slower and makes "
      "readers wait, and a lease keeps other runs out";
  if (is_for_slurm) return finding;
  finding.level = Level::warning;
  finding.remedy = "--store DIR on a local disk; a Slurm cluster needs a shared one with locks";
  return finding;
}

Finding space_finding(const system::FreeSpace& space) {
  if (space.total_bytes == 0) return {.what = "the file system reports no size"};
  const std::string what =
      fmt::format("{} of {} are free", human_bytes(space.bytes), human_bytes(space.total_bytes));
  if (space.bytes >= k_little_bytes) return {.what = what};
  return {Level::warning, what, "orchestrate gc, or --store DIR on a larger disk"};
}

}  // namespace

std::string existing_folder(const std::string& folder) {
  std::error_code code;
  fs::path path = fs::weakly_canonical(fs::absolute(folder, code), code);
  while (path.has_relative_path() && !fs::is_directory(path, code)) path = path.parent_path();
  return path.string();
}

std::string file_system_of(std::string_view text, const std::string& folder) {
  std::string type, longest;
  for (const std::string& line : split(text, '\n')) {
    const std::size_t dash = line.find(" - ");
    if (dash == std::string::npos) continue;
    std::istringstream words(line);
    std::string word, mount;
    for (int i = 0; i < 5 && words >> word; ++i) mount = word;
    mount = unescaped(mount);
    // At the same mount point, a later mount hides an earlier one.
    if (!is_below(folder, mount) || mount.size() < longest.size()) continue;
    longest = mount;
    std::istringstream rest(line.substr(dash + 3));
    rest >> type;
  }
  return type;
}

StorePlace look_at_store(const Asking& asking, const IsShared& is_shared, const std::string& folder,
                         bool is_for_slurm) {
  StorePlace out{.section = {.heading = "results folder"}};
  Section& section = out.section;
  system::Files& files = asking.world().files;
  const auto place = within<Place>(asking.patience_s(), [&files, is_shared, folder] {
    return look_at(files, is_shared, folder);
  });
  if (!place) {
    section.add(Level::missing,
                fmt::format("{} gave no answer within {:g} s; a file server may be down", folder,
                            asking.patience_s()),
                "--store DIR, on another file system");
    return out;
  }
  out.folder = place->folder;
  if (!place->written.ok())
    section.add(Level::missing,
                fmt::format("nothing can be written into {}: {}", place->folder,
                            place->written.error().message),
                "--store DIR, where you may write");
  section.findings.push_back(file_system_finding(*place, folder, is_for_slurm));
  if (place->space) section.findings.push_back(space_finding(*place->space));
  return out;
}

}  // namespace orch::doctor
