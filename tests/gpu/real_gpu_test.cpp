// Compares the reports of a real GPU's driver with the load that the tests put on the GPU. Skipped
// without a GPU. A separate program that needs only glibc and the driver, so that it can be copied
// to a machine with a GPU and no build tools.
#include "gpu/cuda_child.hpp"
#include "os/system/gpus.hpp"
#include "run/schedule/host_share.hpp"

#include <ctime>

#include <gtest/gtest.h>

namespace orch {
namespace real_gpu_test {

using gpu_tests::GpuChild;

constexpr double k_gib = 1024.0 * 1024 * 1024;
constexpr std::size_t k_held_bytes = std::size_t{8} << 30;
// A killed process's memory must be free within this time.
constexpr double k_freed_within_s = 30;
// The driver reports power as a mean over up to a second.
constexpr double k_watch_s = 4;

double now_s() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

void pause_s(double seconds) {
  const timespec pause{
      static_cast<time_t>(seconds),
      static_cast<long>((seconds - static_cast<double>(static_cast<time_t>(seconds))) * 1e9)};
  ::nanosleep(&pause, nullptr);
}

class RealGpu : public testing::Test {
 protected:
  void SetUp() override {
    if (!system::detect_gpus())
      GTEST_SKIP() << "no NVIDIA driver (libnvidia-ml.so.1) or no GPU here";
  }
};

TEST(GpuChild, DISABLED_holds_memory_until_it_is_killed) {
  if (std::getenv(gpu_tests::k_bytes_variable) != nullptr) gpu_tests::hold_memory();
}

TEST_F(RealGpu, is_detected_with_name_memory_and_driver) {
  const auto gpus = system::detect_gpus();
  std::printf("%d x %s, %.1f GiB, MIG '%s', driver %s\n", gpus->count, gpus->model.c_str(),
              gpus->memory_gib, gpus->mig.c_str(), gpus->driver.c_str());
  EXPECT_GE(gpus->count, 1);
  EXPECT_TRUE(gpus->model.starts_with("NVIDIA") || gpus->model.starts_with("Tesla")) << gpus->model;
  EXPECT_GT(gpus->memory_gib, 1);
  EXPECT_LT(gpus->memory_gib, 2000);
  EXPECT_FALSE(gpus->driver.empty());
}

TEST_F(RealGpu, reports_memory_held_by_a_process_and_freed_after_its_kill) {
  system::RealGpuMemory memory;
  const auto before = memory.read();
  ASSERT_FALSE(before.empty());
  GpuChild child(k_held_bytes, false);
  ASSERT_TRUE(child.ready()) << "libcuda.so.1 could not be used";
  const auto held = memory.read();
  const double held_gib = static_cast<double>(k_held_bytes) / k_gib;
  std::printf(
      "used: %.2f GiB, with %.0f GiB held %.2f GiB; pids that the driver reports: %zu (the child "
      "is %d)\n",
      before[0].used_gib, held_gib, held[0].used_gib, held[0].pids.size(), child.pid());
  for (const int pid : held[0].pids) std::printf("  pid %d\n", pid);
  EXPECT_GT(held[0].used_gib, before[0].used_gib + held_gib * 0.98);
  EXPECT_LT(held[0].used_gib, before[0].used_gib + held_gib + 3)
      << "a context takes some hundred MiB";

  child.kill();
  const double killed_s = now_s();
  double used_gib = memory.read().at(0).used_gib;
  while (used_gib > before[0].used_gib + 0.5 && now_s() < killed_s + k_freed_within_s) {
    pause_s(0.001);
    used_gib = memory.read().at(0).used_gib;
  }
  std::printf("back to %.2f GiB %.0f ms after the process was gone\n", used_gib,
              (now_s() - killed_s) * 1e3);
  EXPECT_LT(used_gib, before[0].used_gib + 0.5);
}

TEST_F(RealGpu, is_not_granted_before_its_memory_is_free) {
  system::RealGpuMemory memory;
  const resources::Request all{.gpus = static_cast<int>(memory.read().size())};
  schedule::HostShare slots(memory, {}, false);
  ASSERT_TRUE(slots.ask("first", all).granted) << slots.ask("first", all).dirty;
  slots.give_back("first");
  GpuChild child(k_held_bytes, false);
  ASSERT_TRUE(child.ready());
  const auto refused = slots.ask("second", all);
  EXPECT_FALSE(refused.granted);
  std::printf("refused: %s\n", refused.dirty.c_str());
  EXPECT_TRUE(refused.dirty.starts_with("GPU 0: ")) << refused.dirty;
  child.kill();
  bool granted = false;
  for (const double killed_s = now_s(); !granted && now_s() < killed_s + k_freed_within_s;
       pause_s(0.001))
    granted = slots.ask("second", all).granted;
  EXPECT_TRUE(granted);
}

// State of the first GPU over k_watch_s: means, maxima and the slowest read.
struct Watched {
  double power_w = 0, energy_w = 0, used_gib = 0, most_busy = 0, most_mhz = 0, read_ms = 0;
  std::uint64_t throttled = 0;
  bool has_energy = false;
};

Watched watch(system::GpuProbe& probe) {
  Watched out;
  pause_s(1.5);
  const auto first = probe.read();
  const double start_s = now_s();
  int samples = 0;
  auto last = first;
  for (; now_s() < start_s + k_watch_s; ++samples) {
    pause_s(0.1);
    const double read_start_s = now_s();
    last = probe.read();
    out.read_ms = std::max(out.read_ms, (now_s() - read_start_s) * 1e3);
    out.power_w += last[0].power_w.value_or(0);
    out.most_busy = std::max(out.most_busy, last[0].busy_share.value_or(0));
    out.most_mhz = std::max(out.most_mhz, last[0].sm_clock_mhz.value_or(0));
    out.throttled |= last[0].throttle_reasons.value_or(0);
    out.used_gib = last[0].used_gib;
  }
  out.power_w /= samples;
  out.has_energy = first[0].energy_j && last[0].energy_j;
  if (out.has_energy) out.energy_w = (*last[0].energy_j - *first[0].energy_j) / (now_s() - start_s);
  std::printf(
      "power %.1f W, energy counter %.1f W, %.2f GiB, busy %.2f, SM %.0f MHz, slowest read %.2f "
      "ms, throttle bits 0x%llx",
      out.power_w, out.energy_w, out.used_gib, out.most_busy, out.most_mhz, out.read_ms,
      static_cast<unsigned long long>(out.throttled));
  for (const std::string& name : system::throttle_names(out.throttled))
    std::printf(" %s", name.c_str());
  std::printf("\n");
  return out;
}

TEST_F(RealGpu, draws_more_power_when_it_works_and_its_energy_counter_agrees) {
  if (system::detect_gpus()->mig == "on") GTEST_SKIP() << "a MIG device has no power of its own";
  system::RealGpuProbe probe;
  ASSERT_FALSE(probe.read().empty());
  const Watched idle = watch(probe);
  GpuChild child(k_held_bytes, true);
  ASSERT_TRUE(child.ready());
  const Watched busy = watch(probe);
  EXPECT_GT(idle.power_w, 5);
  EXPECT_GT(busy.power_w, idle.power_w * 1.2);
  EXPECT_LT(busy.power_w, 2000);
  EXPECT_GT(busy.most_busy, 0.5);
  EXPECT_GT(busy.most_mhz, 100);
  EXPECT_GT(busy.used_gib, idle.used_gib + 7.8);
  if (busy.has_energy) {
    EXPECT_GT(busy.energy_w, busy.power_w * 0.8);
    EXPECT_LT(busy.energy_w, busy.power_w * 1.2);
  }
}

}  // namespace real_gpu_test
}  // namespace orch
