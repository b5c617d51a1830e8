// The GPU driver's management library (NVML), declared in our own words and loaded when it is
// asked: opaque device handles, 0 means success. It knows which devices there are; what is asked of
// them is its users' matter.
#pragma once

#include <dlfcn.h>

#include <memory>
#include <string>
#include <vector>

namespace orch::system {

class Nvml {
 public:
  using Device = void*;
  struct Memory {
    unsigned long long total, free, used;  // bytes
  };
  struct Seen {
    int index = 0;
    Device device = nullptr;
  };

  // LIBRARY is a name or path for dlopen.
  explicit Nvml(const char* library) : library_(::dlopen(library, RTLD_NOW | RTLD_LOCAL)) {}
  ~Nvml();
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;

  // False: no library, or no driver.
  bool start() { return started_ = library_ && call("nvmlInit_v2"); }

  // False: the function is not there or did not succeed.
  template <class... Args> bool call(const char* name, Args... args) {
    void* function = ::dlsym(library_.get(), name);
    return function && reinterpret_cast<int (*)(Args...)>(function)(args...) == 0;
  }

  // What can be given to a process. A GPU that is split cannot, only its MIG devices can.
  std::vector<Seen> devices();
  // Of devices(): some GPU is split.
  bool is_split() const { return is_split_; }

  std::string model(Device device) { return text("nvmlDeviceGetName", device); }
  std::string uuid(Device device) { return text("nvmlDeviceGetUUID", device); }
  std::string driver();
  // Numbers of processes that compute on it, sorted. Only of those that a driver of the last years
  // knows how to list.
  std::vector<int> processes(Device device);

 private:
  struct Close {
    void operator()(void* library) const { ::dlclose(library); }
  };

  bool split(Device device);
  std::vector<Device> parts_of(Device device);
  std::string text(const char* name, Device device);

  std::unique_ptr<void, Close> library_;
  bool started_ = false;
  bool is_split_ = false;
};

inline constexpr double k_bytes_per_gib = 1024.0 * 1024 * 1024;

}  // namespace orch::system
