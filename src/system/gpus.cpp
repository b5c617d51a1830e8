#include "system/gpus.hpp"

#include <dlfcn.h>

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
constexpr unsigned k_text_bytes = 96;

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

  std::string model(Device device) {
    std::array<char, k_text_bytes> text{};
    return call("nvmlDeviceGetName", device, text.data(), k_text_bytes) ? std::string(text.data()) : "";
  }

 private:
  std::unique_ptr<void, Close> library_;
  bool started_ = false;
};

constexpr double k_gib = 1024.0 * 1024 * 1024;

}  // namespace

std::optional<Gpus> detect_gpus(const char* library) {
  Nvml nvml(library);
  unsigned count = 0;
  if (!nvml.start() || !nvml.call("nvmlDeviceGetCount_v2", &count) || count == 0) return std::nullopt;
  Gpus gpus{.count = static_cast<int>(count), .model = {}, .memory_gib = 0, .mig = {}, .driver = {}};
  std::set<std::string> models;
  for (unsigned index = 0; index < count; ++index) {
    Device device = nullptr;
    if (!nvml.call("nvmlDeviceGetHandleByIndex_v2", index, &device)) continue;
    const std::string model = nvml.model(device);
    if (models.insert(model).second) gpus.model += (gpus.model.empty() ? "" : " + ") + model;
    if (index > 0) continue;
    Memory memory{};
    if (nvml.call("nvmlDeviceGetMemoryInfo", device, &memory)) gpus.memory_gib = static_cast<double>(memory.total) / k_gib;
    unsigned mig = 0, pending = 0;
    if (nvml.call("nvmlDeviceGetMigMode", device, &mig, &pending) && mig != 0) gpus.mig = "on";
  }
  std::array<char, k_text_bytes> driver{};
  if (nvml.call("nvmlSystemGetDriverVersion", driver.data(), k_text_bytes)) gpus.driver = driver.data();
  return gpus;
}

}  // namespace orch::system
