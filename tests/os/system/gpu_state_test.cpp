#include "os/system/gpus.hpp"

#include <cstdlib>

#include <gtest/gtest.h>

namespace orch::system {
namespace gpu_state_test {

class GpuStateTest : public testing::Test {
 protected:
  void TearDown() override {
    ::unsetenv("ORCH_FAKE_GPU_STATE");
    ::unsetenv("ORCH_FAKE_GPU_USE");
    ::unsetenv("ORCH_FAKE_GPUS");
  }
};

TEST_F(GpuStateTest, HasMemoryPowerEnergyClockAndThrottleReasons) {
  ::setenv("ORCH_FAKE_GPUS", "NVIDIA L4;NVIDIA H100", 1);
  ::setenv("ORCH_FAKE_GPU_USE", "1 4711 30 9", 1);
  ::setenv("ORCH_FAKE_GPU_STATE", "1 350500 120000 1755 93 5", 1);
  RealGpuProbe probe(ORCH_FAKE_NVML);
  static_cast<void>(probe.read());
  const auto states = probe.read();
  ASSERT_EQ(states.size(), 2u);
  EXPECT_EQ(states[1].index, 1);
  EXPECT_EQ(states[1].uuid, "GPU-00000001");
  EXPECT_EQ(states[1].model, "NVIDIA H100");
  EXPECT_EQ(states[1].memory_gib, 80);
  EXPECT_EQ(states[1].used_gib, 30);
  EXPECT_DOUBLE_EQ(states[1].power_w.value(), 350.5);
  EXPECT_DOUBLE_EQ(states[1].energy_j.value(), 240);
  EXPECT_EQ(states[1].sm_clock_mhz, 1755);
  EXPECT_EQ(states[1].temperature_c, 1755 / 30);
  EXPECT_DOUBLE_EQ(states[1].busy_share.value(), 0.93);
  EXPECT_EQ(throttle_names(states[1].throttle_reasons.value()),
            std::vector<std::string>{"sw_power_cap"})
      << "bit 0 means an idle GPU";
}

TEST_F(GpuStateTest, LeavesUnreportedValuesEmpty) {
  ::setenv("ORCH_FAKE_GPUS", "NVIDIA L4;NVIDIA H100++", 1);
  ::setenv("ORCH_FAKE_GPU_STATE", "0 72000 -1 2040 0 0", 1);
  const auto states = RealGpuProbe(ORCH_FAKE_NVML).read();
  ASSERT_EQ(states.size(), 2u);
  EXPECT_EQ(states[0].power_w, 72);
  EXPECT_EQ(states[0].energy_j, std::nullopt);
  EXPECT_EQ(states[0].busy_share, 0);
  EXPECT_EQ(states[0].throttle_reasons, 0u);
  EXPECT_EQ(states[1].memory_gib, 10);
  EXPECT_EQ(states[1].power_w, std::nullopt);
  EXPECT_EQ(states[1].sm_clock_mhz, std::nullopt);
  EXPECT_EQ(states[1].temperature_c, std::nullopt);
  EXPECT_EQ(states[1].throttle_reasons, std::nullopt);
}

TEST_F(GpuStateTest, IsUnknownWithoutDriverOrLibrary) {
  EXPECT_TRUE(RealGpuProbe(ORCH_FAKE_NVML).read().empty());
  EXPECT_TRUE(RealGpuProbe("libnowhere.so.7").read().empty());
}

}  // namespace gpu_state_test
}  // namespace orch::system
