#include "system/gpus.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <memory>
#include <set>

namespace orch::system {

namespace {

// NVML's C interface, declared in our own words: opaque device handles, 0 means success.
using Device = void*;
struct Memory {
  unsigned long long total, free, used;  // bytes
};
struct ProcessInfo {
  unsigned pid;
  unsigned long long used;  // bytes
  unsigned gpu_instance, compute_instance;
};
constexpr unsigned k_text_bytes = 96;
constexpr unsigned k_most_processes = 1024;
constexpr unsigned k_most_parts = 64;

struct Close {
  void operator()(void* library) const { ::dlclose(library); }
};

class Nvml {
 public:
  explicit Nvml(const char* library) : library_(::dlopen(library, RTLD_NOW | RTLD_LOCAL)) {}
  ~Nvml() {
    if (started_) call("nvmlShutdown");
  }
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;

  bool start() { return started_ = library_ && call("nvmlInit_v2"); }

  // False: the function is not there or did not succeed.
  template <class... Args>
  bool call(const char* name, Args... args) {
    void* function = ::dlsym(library_.get(), name);
    return function && reinterpret_cast<int (*)(Args...)>(function)(args...) == 0;
  }

  struct Seen {
    int index = 0;
    Device device = nullptr;
  };

  // What can be given to a process. A GPU that is split cannot, only its MIG devices can.
  std::vector<Seen> devices() {
    std::vector<Seen> whole, parts;
    unsigned count = 0;
    is_split_ = false;
    if (!call("nvmlDeviceGetCount_v2", &count)) return {};
    for (unsigned index = 0; index < count; ++index) {
      Device device = nullptr;
      if (!call("nvmlDeviceGetHandleByIndex_v2", index, &device)) continue;
      whole.push_back({static_cast<int>(index), device});
      if (!split(device)) parts.push_back({static_cast<int>(parts.size()), device});
      else for (Device part : parts_of(device)) parts.push_back({static_cast<int>(parts.size()), part});
    }
    return is_split_ ? parts : whole;
  }
  // Of devices(): some GPU is split.
  bool is_split() const { return is_split_; }

  std::string model(Device device) { return text("nvmlDeviceGetName", device); }
  std::string uuid(Device device) { return text("nvmlDeviceGetUUID", device); }

  // Only of those that a driver of the last years knows how to list.
  std::vector<int> processes(Device device) {
    std::vector<ProcessInfo> found(k_most_processes);
    for (const char* name : {"nvmlDeviceGetComputeRunningProcesses_v3", "nvmlDeviceGetComputeRunningProcesses_v2"}) {
      unsigned count = k_most_processes;
      if (!call(name, device, &count, found.data())) continue;
      std::vector<int> pids;
      for (unsigned i = 0; i < std::min(count, k_most_processes); ++i) pids.push_back(static_cast<int>(found[i].pid));
      std::sort(pids.begin(), pids.end());
      pids.erase(std::unique(pids.begin(), pids.end()), pids.end());
      return pids;
    }
    return {};
  }

 private:
  bool split(Device device) {
    unsigned now = 0, next = 0;
    const bool split = call("nvmlDeviceGetMigMode", device, &now, &next) && now != 0;
    is_split_ = is_split_ || split;
    return split;
  }
  // The places for MIG devices are numbered, and some may be empty.
  std::vector<Device> parts_of(Device device) {
    std::vector<Device> parts;
    unsigned places = 0;
    if (!call("nvmlDeviceGetMaxMigDeviceCount", device, &places)) return parts;
    for (unsigned place = 0; place < std::min(places, k_most_parts); ++place)
      if (Device part = nullptr; call("nvmlDeviceGetMigDeviceHandleByIndex", device, place, &part)) parts.push_back(part);
    return parts;
  }

  std::string text(const char* name, Device device) {
    std::array<char, k_text_bytes> text{};
    return call(name, device, text.data(), k_text_bytes) ? std::string(text.data()) : "";
  }

  std::unique_ptr<void, Close> library_;
  bool started_ = false;
  bool is_split_ = false;
};

constexpr double k_gib = 1024.0 * 1024 * 1024;

}  // namespace

std::optional<Gpus> detect_gpus(const char* library) {
  Nvml nvml(library);
  unsigned count = 0;
  if (!nvml.start() || !nvml.call("nvmlDeviceGetCount_v2", &count) || count == 0) return std::nullopt;
  const auto devices = nvml.devices();
  Gpus gpus{.count = static_cast<int>(nvml.is_split() ? devices.size() : count), .model = {}, .memory_gib = 0, .mig = nvml.is_split() ? "on" : "", .driver = {}};
  std::set<std::string> models;
  for (const auto& [index, device] : devices) {
    const std::string model = nvml.model(device);
    if (models.insert(model).second) gpus.model += (gpus.model.empty() ? "" : " + ") + model;
    if (index > 0) continue;
    Memory memory{};
    if (nvml.call("nvmlDeviceGetMemoryInfo", device, &memory)) gpus.memory_gib = static_cast<double>(memory.total) / k_gib;
  }
  std::array<char, k_text_bytes> driver{};
  if (nvml.call("nvmlSystemGetDriverVersion", driver.data(), k_text_bytes)) gpus.driver = driver.data();
  return gpus;
}

struct RealGpuMemory::Impl {
  explicit Impl(const char* library) : nvml(library), started(nvml.start()) {}

  Nvml nvml;
  bool started;
};

RealGpuMemory::RealGpuMemory(const char* library) : impl_(std::make_unique<Impl>(library)) {}
RealGpuMemory::~RealGpuMemory() = default;

std::vector<GpuUse> RealGpuMemory::read() {
  std::vector<GpuUse> uses;
  Nvml& nvml = impl_->nvml;
  if (!impl_->started) return uses;
  for (const auto& [index, device] : nvml.devices()) {
    Memory memory{};
    if (!nvml.call("nvmlDeviceGetMemoryInfo", device, &memory)) continue;
    uses.push_back({.index = index, .uuid = nvml.uuid(device), .by_uuid = nvml.is_split(), .memory_gib = static_cast<double>(memory.total) / k_gib,
                    .used_gib = static_cast<double>(memory.used) / k_gib, .pids = nvml.processes(device)});
  }
  return uses;
}

}  // namespace orch::system
