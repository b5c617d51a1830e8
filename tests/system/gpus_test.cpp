#include "system/gpus.hpp"

#include "system/gpu_state.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

namespace orch::system {
namespace {

class Gpus_ : public testing::Test {
 protected:
  void TearDown() override { ::unsetenv("ORCH_FAKE_GPUS"); }
  static std::optional<Gpus> seen(const char* models) {
    ::setenv("ORCH_FAKE_GPUS", models, 1);
    return detect_gpus(ORCH_FAKE_NVML);
  }
};

TEST_F(Gpus_, are_counted_and_named_with_memory_and_driver) {
  const auto gpus = seen("NVIDIA H100 80GB HBM3;NVIDIA H100 80GB HBM3");
  ASSERT_TRUE(gpus);
  EXPECT_EQ(gpus->count, 2);
  EXPECT_EQ(gpus->model, "NVIDIA H100 80GB HBM3");
  EXPECT_EQ(gpus->memory_gib, 80);
  EXPECT_EQ(gpus->driver, "550.54.15");
  EXPECT_EQ(gpus->mig, "");
}

TEST_F(Gpus_, say_when_they_are_split_and_when_they_are_not_alike) {
  const auto gpus = seen("NVIDIA H100+++;NVIDIA L4");
  ASSERT_TRUE(gpus);
  EXPECT_EQ(gpus->model, "NVIDIA H100 MIG 1g.10gb + NVIDIA L4");
  EXPECT_EQ(gpus->count, 3);
  EXPECT_EQ(gpus->memory_gib, 10);
  EXPECT_EQ(gpus->mig, "on");
}

TEST_F(Gpus_, that_are_split_into_nothing_yet_are_none) {
  const auto gpus = seen("NVIDIA H100+");
  ASSERT_TRUE(gpus);
  EXPECT_EQ(gpus->count, 0);
  EXPECT_EQ(gpus->mig, "on");
}

TEST_F(Gpus_, that_know_no_MIG_are_not_split) { EXPECT_EQ(seen("NVIDIA L4")->mig, ""); }

TEST_F(Gpus_, are_not_seen_without_driver_or_library_or_with_none_there) {
  EXPECT_FALSE(detect_gpus(ORCH_FAKE_NVML));
  EXPECT_FALSE(seen(""));
  EXPECT_FALSE(detect_gpus("libnowhere.so.7"));
  EXPECT_FALSE(detect_gpus("libm.so.6"));  // no function of that library
}

class Memory_of_gpus : public Gpus_ {
 protected:
  void TearDown() override {
    ::unsetenv("ORCH_FAKE_GPU_USE");
    Gpus_::TearDown();
  }
  static void hold(const char* uses) {
    ::setenv("ORCH_FAKE_GPUS", "NVIDIA L4;NVIDIA L4", 1);
    ::setenv("ORCH_FAKE_GPU_USE", uses, 1);
  }
};

TEST_F(Memory_of_gpus, is_told_of_each_with_those_who_hold_it) {
  hold("1 4712 20 9;1 4711 10 9");
  const auto uses = RealGpuMemory(ORCH_FAKE_NVML).read();
  ASSERT_EQ(uses.size(), 2u);
  EXPECT_EQ(uses[0].index, 0);
  EXPECT_EQ(uses[0].uuid, "GPU-00000000");
  EXPECT_EQ(uses[0].memory_gib, 80);
  EXPECT_EQ(uses[0].used_gib, 0);
  EXPECT_EQ(uses[0].pids, std::vector<int>{});
  EXPECT_EQ(uses[1].index, 1);
  EXPECT_EQ(uses[1].uuid, "GPU-00000001");
  EXPECT_EQ(uses[1].used_gib, 30);
  EXPECT_EQ(uses[1].pids, (std::vector<int>{4711, 4712}));
}

TEST_F(Memory_of_gpus, is_told_of_each_MIG_device_with_the_name_that_CUDA_knows) {
  ::setenv("ORCH_FAKE_GPUS", "NVIDIA H100+++;NVIDIA H100", 1);
  const auto uses = RealGpuMemory(ORCH_FAKE_NVML).read();
  ASSERT_EQ(uses.size(), 3u);
  for (std::size_t i = 0; i < uses.size(); ++i) {
    EXPECT_EQ(uses[i].index, static_cast<int>(i));
    EXPECT_TRUE(uses[i].by_uuid);
  }
  EXPECT_EQ(uses[0].uuid, "MIG-0-5");
  EXPECT_EQ(uses[1].uuid, "MIG-0-6");
  EXPECT_EQ(uses[1].memory_gib, 10);
  EXPECT_EQ(uses[2].uuid, "GPU-00000001");
  ::setenv("ORCH_FAKE_GPUS", "NVIDIA L4", 1);
  EXPECT_FALSE(RealGpuMemory(ORCH_FAKE_NVML).read().at(0).by_uuid);
}

TEST_F(Memory_of_gpus, comes_back_later_than_the_process_ends) {
  hold("0 -1 30 2");
  RealGpuMemory memory(ORCH_FAKE_NVML);
  for (const double used_gib : {30.0, 30.0, 0.0, 0.0}) {
    const auto uses = memory.read();
    ASSERT_EQ(uses.size(), 2u);
    EXPECT_EQ(uses[0].used_gib, used_gib);
    EXPECT_EQ(uses[0].pids, std::vector<int>{});
  }
}

TEST_F(Memory_of_gpus, is_unknown_without_driver_or_library) {
  EXPECT_TRUE(RealGpuMemory(ORCH_FAKE_NVML).read().empty());
  EXPECT_TRUE(RealGpuMemory("libnowhere.so.7").read().empty());
  EXPECT_TRUE(RealGpuMemory("libm.so.6").read().empty());
}

class State_of_gpus : public Gpus_ {
 protected:
  void TearDown() override {
    ::unsetenv("ORCH_FAKE_GPU_STATE");
    ::unsetenv("ORCH_FAKE_GPU_USE");
    Gpus_::TearDown();
  }
};

TEST_F(State_of_gpus, has_memory_power_energy_clock_and_what_throttles) {
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
  EXPECT_DOUBLE_EQ(states[1].busy_share.value(), 0.93);
  EXPECT_EQ(throttle_names(states[1].throttle_reasons.value()),
            std::vector<std::string>{"sw_power_cap"})
      << "bit 0 is a GPU with nothing to do";
}

TEST_F(State_of_gpus, is_empty_where_a_device_does_not_tell) {
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
  EXPECT_EQ(states[1].throttle_reasons, std::nullopt);
}

TEST_F(State_of_gpus, is_unknown_without_driver_or_library) {
  EXPECT_TRUE(RealGpuProbe(ORCH_FAKE_NVML).read().empty());
  EXPECT_TRUE(RealGpuProbe("libnowhere.so.7").read().empty());
}

}  // namespace
}  // namespace orch::system
