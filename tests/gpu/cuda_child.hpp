// A process that holds memory of the first GPU until it is killed, and works on it on request. It
// runs this test program a second time and loads libcuda by name, so that the build needs no CUDA.
#pragma once

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>

#include <dlfcn.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace orch::gpu_tests {

inline constexpr const char* k_bytes_variable = "ORCH_GPU_TEST_BYTES";
inline constexpr const char* k_work_variable = "ORCH_GPU_TEST_WORK";
inline constexpr const char* k_child_filter =
    "--gtest_filter=GpuChild.DISABLED_holds_memory_until_it_is_killed";

// Calls NAME of libcuda; the process ends when that fails.
template <class... Args> void cuda(void* library, const char* name, Args... args) {
  void* function = ::dlsym(library, name);
  const int result = function ? reinterpret_cast<int (*)(Args...)>(function)(args...) : -1;
  if (result == 0) return;
  std::fprintf(stderr, "%s: %d\n", name, result);
  std::_Exit(1);
}

// Runs in the child. Prints "ready" once it holds the memory.
[[noreturn]] inline void hold_memory() {
  void* library = ::dlopen("libcuda.so.1", RTLD_NOW);
  if (!library) std::_Exit(1);
  const std::size_t bytes = std::strtoull(std::getenv(k_bytes_variable), nullptr, 10);
  int device = 0;
  void* context = nullptr;
  unsigned long long memory = 0;
  cuda(library, "cuInit", 0u);
  cuda(library, "cuDeviceGet", &device, 0);
  cuda(library, "cuDevicePrimaryCtxRetain", &context, device);
  cuda(library, "cuCtxSetCurrent", context);
  cuda(library, "cuMemAlloc_v2", &memory, bytes);
  cuda(library, "cuMemsetD8_v2", memory, static_cast<unsigned char>(1), bytes);
  cuda(library, "cuCtxSynchronize");
  std::puts("ready");
  std::fflush(stdout);
  if (std::getenv(k_work_variable) == nullptr)
    while (true) ::pause();
  for (unsigned char value = 0;; ++value) {
    for (int i = 0; i < 20; ++i) cuda(library, "cuMemsetD8_v2", memory, value, bytes);
    cuda(library, "cuCtxSynchronize");
  }
}

class GpuChild {
 public:
  GpuChild(std::size_t bytes, bool works) {
    ::setenv(k_bytes_variable, std::to_string(bytes).c_str(), 1);
    if (works) ::setenv(k_work_variable, "1", 1);
    else ::unsetenv(k_work_variable);
    int ends[2];
    if (::pipe(ends) != 0) return;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
    std::string program = "/proc/self/exe", filter = k_child_filter,
                disabled = "--gtest_also_run_disabled_tests";
    char* argv[] = {program.data(), filter.data(), disabled.data(), nullptr};
    if (::posix_spawn(&pid_, program.c_str(), &actions, nullptr, argv, environ) != 0) pid_ = 0;
    posix_spawn_file_actions_destroy(&actions);
    ::close(ends[1]);
    wait_until_ready(ends[0]);
    ::close(ends[0]);
  }
  GpuChild(const GpuChild&) = delete;
  GpuChild& operator=(const GpuChild&) = delete;
  ~GpuChild() { kill(); }

  bool ready() const { return ready_; }
  int pid() const { return pid_; }
  // Returns when the process has ended; the driver may free its memory later.
  void kill() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    pid_ = 0;
  }

 private:
  static constexpr int k_start_ms = 60'000;

  void wait_until_ready(int from) {
    std::string output;
    char buffer[256];
    while (output.find("ready") == std::string::npos) {
      pollfd poll_fd{.fd = from, .events = POLLIN, .revents = 0};
      if (::poll(&poll_fd, 1, k_start_ms) <= 0) return;
      const ssize_t got = ::read(from, buffer, sizeof buffer);
      if (got <= 0) return;
      output.append(buffer, static_cast<std::size_t>(got));
    }
    ready_ = true;
  }

  pid_t pid_ = 0;
  bool ready_ = false;
};

}  // namespace orch::gpu_tests
