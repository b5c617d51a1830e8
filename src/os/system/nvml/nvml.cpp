#include "os/system/nvml/nvml.hpp"

#include "core/base/text.hpp"

#include <array>
#include <cstdlib>

namespace orch::system {

namespace {

struct ProcessInfo {
  unsigned pid;
  unsigned long long used;  // bytes
  unsigned gpu_instance, compute_instance;
};
constexpr unsigned k_text_bytes = 96;
constexpr unsigned k_most_processes = 1024;
constexpr unsigned k_most_parts = 64;

}  // namespace

Nvml::~Nvml() {
  if (started_) call("nvmlShutdown");
}

std::vector<Nvml::Seen> Nvml::devices() {
  std::vector<Seen> whole, parts;
  unsigned count = 0;
  is_split_ = false;
  if (!call("nvmlDeviceGetCount_v2", &count)) return {};
  for (unsigned index = 0; index < count; ++index) {
    Device device = nullptr;
    if (!call("nvmlDeviceGetHandleByIndex_v2", index, &device)) continue;
    whole.push_back({static_cast<int>(index), device});
    if (!split(device)) parts.push_back({static_cast<int>(parts.size()), device});
    else
      for (Device part : parts_of(device)) parts.push_back({static_cast<int>(parts.size()), part});
  }
  return is_split_ ? parts : whole;
}

std::string Nvml::driver() {
  std::array<char, k_text_bytes> driver{};
  return call("nvmlSystemGetDriverVersion", driver.data(), k_text_bytes)
             ? std::string(driver.data())
             : "";
}

std::optional<Nvml::Memory> Nvml::memory(Device device) {
  constexpr double k_bytes_per_gib = 1024.0 * 1024 * 1024;
  struct {
    unsigned long long total, free, used;  // bytes
  } memory{};
  if (!call("nvmlDeviceGetMemoryInfo", device, static_cast<void*>(&memory))) return std::nullopt;
  return Memory{.total_gib = static_cast<double>(memory.total) / k_bytes_per_gib,
                .used_gib = static_cast<double>(memory.used) / k_bytes_per_gib};
}

std::vector<int> Nvml::processes(Device device) {
  std::vector<ProcessInfo> found(k_most_processes);
  for (const char* name :
       {"nvmlDeviceGetComputeRunningProcesses_v3", "nvmlDeviceGetComputeRunningProcesses_v2"}) {
    unsigned count = k_most_processes;
    if (!call(name, device, &count, found.data())) continue;
    std::vector<int> pids;
    for (unsigned i = 0; i < std::min(count, k_most_processes); ++i)
      pids.push_back(static_cast<int>(found[i].pid));
    std::ranges::sort(pids);
    pids.erase(std::unique(pids.begin(), pids.end()), pids.end());
    return pids;
  }
  return {};
}

bool Nvml::split(Device device) {
  unsigned now = 0, next = 0;
  const bool split = call("nvmlDeviceGetMigMode", device, &now, &next) && now != 0;
  is_split_ = is_split_ || split;
  return split;
}

// MIG devices have numbered positions, some of which may be empty.
std::vector<Nvml::Device> Nvml::parts_of(Device device) {
  std::vector<Device> parts;
  unsigned places = 0;
  if (!call("nvmlDeviceGetMaxMigDeviceCount", device, &places)) return parts;
  for (unsigned place = 0; place < std::min(places, k_most_parts); ++place)
    if (Device part = nullptr; call("nvmlDeviceGetMigDeviceHandleByIndex", device, place, &part))
      parts.push_back(part);
  return parts;
}

std::string Nvml::text(const char* name, Device device) {
  std::array<char, k_text_bytes> text{};
  return call(name, device, text.data(), k_text_bytes) ? std::string(text.data()) : "";
}

std::string Nvml::bus_id(Device device) {
  struct {
    char legacy[16];
    unsigned domain, bus, device, ids, subsystem;
    char bus_id[32];
  } info{};
  if (!call("nvmlDeviceGetPciInfo_v3", device, static_cast<void*>(&info))) return "";
  info.bus_id[sizeof info.bus_id - 1] = 0;
  return info.bus_id;
}

bool Nvml::are_linked(Device a, Device b) {
  constexpr int k_nvlink = 2, k_ok = 0;
  int status = -1;
  return call("nvmlDeviceGetP2PStatus", a, b, k_nvlink, &status) && status == k_ok;
}

std::string library_of_driver(std::string_view name) {
  const char* searched = std::getenv("LD_LIBRARY_PATH");
  std::vector<std::string> folders = split(searched ? searched : "", ':');
  folders.insert(folders.end(), {"/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu",
                                 "/usr/lib64", "/usr/lib", "/usr/lib/wsl/lib"});
  for (const std::string& folder : folders) {
    std::error_code code;
    const std::string path = fmt::format("{}/{}", folder, name);
    if (folder.starts_with('/') && std::filesystem::exists(path, code)) return path;
  }
  return "";
}

}  // namespace orch::system
