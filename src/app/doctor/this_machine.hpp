// Examines the machine itself: processors, memory, GPUs and their driver, ports, versions.
#pragma once

#include "app/doctor/finding.hpp"
#include "app/session/site.hpp"
#include "os/system/machine.hpp"

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace orch::doctor {

struct Version {
  std::string name, version;
};

Section versions_section(const std::vector<Version>& versions);

// The reports of nvidia-smi and of the driver's library.
struct Driver {
  std::optional<Answer> listed;            // the output of nvidia-smi; nullopt: it is not installed
  std::optional<system::Machine> machine;  // nullopt: the driver does not answer
};

// Asks the driver's library only if nvidia-smi does not hang: a thread of this process that is
// blocked in the driver would keep the process from exiting.
Driver ask_driver(const Asking& asking);
// Whether FOLDER, such as /sys/bus/pci/devices, has an NVIDIA GPU.
bool has_nvidia_device(system::Files& files, const std::string& folder);

Section machine_section(const std::optional<system::Machine>& machine);
Section gpu_section(const Driver& driver, bool has_device);
// The ports on which a process listens, according to the kernel's lists of sockets.
std::set<int> listening_ports(system::Files& files);
// The section about the ports that servers may use, and which of them are free.
Section ports_section(system::Files& files, const session::Site& site);

// The section about the container engines of this machine, and about the engine named in the site
// file.

Section containers_section(const Asking& asking, const session::ContainerSite& site, bool has_gpus);

// Examines the file system that has or will have a results folder.

// Whether several hosts may share the file system of a folder.
using IsShared = std::function<bool(const std::string&)>;

// The absolute path of FOLDER, or of the nearest existing folder above it.
std::string existing_folder(const std::string& folder);

// The type of the file system of the absolute FOLDER, according to TEXT in the form of
// /proc/self/mountinfo; "" if TEXT has none.
std::string file_system_of(std::string_view text, const std::string& folder);

struct StorePlace {
  Section section;
  std::string folder = {};  // an existing one; "": its file system did not answer
};

// Writes a small file to FOLDER, or to the nearest existing folder above it, and removes it.
// IS_FOR_SLURM: a shared file system is needed, so it is not a warning.
StorePlace look_at_store(const Asking& asking, const IsShared& is_shared, const std::string& folder,
                         bool is_for_slurm);

}  // namespace orch::doctor
