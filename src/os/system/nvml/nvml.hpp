// The GPU driver's management library (NVML), loaded at run time: opaque device handles; 0 means
// success. Lists devices; callers use other functions by name.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <dlfcn.h>

namespace orch::system {

class Nvml {
 public:
  using Device = void*;
  struct Memory {
    double total_gib, used_gib;
  };
  struct Seen {  // a device and its number, as in GpuUse
    int index = 0;
    Device device = nullptr;
  };

  // LIBRARY is a name or path for dlopen.
  explicit Nvml(const char* library)
      : library_(::dlopen(library, RTLD_NOW | RTLD_LOCAL)),
        started_(library_ && call("nvmlInit_v2")) {}
  ~Nvml();
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;

  // False: no library, or no driver. Then no other function may be called.
  bool has_started() const { return started_; }

  // False if the function does not exist or fails.
  template <class... Args> bool call(const char* name, Args... args) {
    void* function = ::dlsym(library_.get(), name);
    return function && reinterpret_cast<int (*)(Args...)>(function)(args...) == 0;
  }

  // The devices that a process can use: a split GPU is replaced by its MIG devices.
  std::vector<Seen> devices();
  // Whether the last devices() found a split GPU.
  bool is_split() const { return is_split_; }

  std::string model(Device device) { return text("nvmlDeviceGetName", device); }
  std::string uuid(Device device) { return text("nvmlDeviceGetUUID", device); }
  std::string driver();
  // "00000000:3B:00.0"; "" if the driver does not report it. A MIG device has none.
  std::string bus_id(Device device);
  // Whether A reaches the memory of B over NVLink, directly or through a switch.
  bool are_linked(Device a, Device b);
  // nullopt if the driver does not report it.
  std::optional<Memory> memory(Device device);
  // Pids of the processes that compute on DEVICE, sorted; empty if the driver is too old to list
  // them.
  std::vector<int> processes(Device device);

 private:
  struct Close {
    void operator()(void* library) const { ::dlclose(library); }
  };

  bool split(Device device);
  std::vector<Device> parts_of(Device device);
  std::string text(const char* name, Device device);

  std::unique_ptr<void, Close> library_;
  const bool started_;
  bool is_split_ = false;
};

// Where the libraries of the GPU driver are.

// The path of NAME ("libcuda.so.1") in a folder of LD_LIBRARY_PATH or a usual driver folder; "" if
// not found.
std::string library_of_driver(std::string_view name);

}  // namespace orch::system
