#include "os/system/gpus.hpp"

#include <cstdlib>

#include <gtest/gtest.h>

namespace orch::system {
namespace gpus_test {

class GpusTest : public testing::Test {
 protected:
  void TearDown() override { ::unsetenv("ORCH_FAKE_GPUS"); }
  static std::optional<Gpus> seen(const char* models) {
    ::setenv("ORCH_FAKE_GPUS", models, 1);
    return detect_gpus(ORCH_FAKE_NVML);
  }
};

TEST_F(GpusTest, AreCountedAndNamedWithMemoryAndDriver) {
  const auto gpus = seen("NVIDIA H100 80GB HBM3;NVIDIA H100 80GB HBM3");
  ASSERT_TRUE(gpus);
  EXPECT_EQ(gpus->count, 2);
  EXPECT_EQ(gpus->model, "NVIDIA H100 80GB HBM3");
  EXPECT_EQ(gpus->memory_gib, 80);
  EXPECT_EQ(gpus->driver, "550.54.15");
  EXPECT_EQ(gpus->mig, "");
}

TEST_F(GpusTest, KnowWhichOnesNvLinkJoins) {
  ::setenv("ORCH_FAKE_GPU_LINKS", "0-1;1-2", 1);
  const auto gpus = seen("L4;L4;L4;L4");
  ::unsetenv("ORCH_FAKE_GPU_LINKS");
  ASSERT_TRUE(gpus);
  EXPECT_EQ(gpus->each[0].linked, std::set<int>{1});
  EXPECT_EQ(gpus->each[1].linked, (std::set<int>{0, 2}));
  EXPECT_EQ(gpus->each[3].linked, std::set<int>{});
}

TEST_F(GpusTest, ReportEachModelOnceAndMigDevicesOfASplitGpu) {
  const auto gpus = seen("NVIDIA H100+++;NVIDIA L4");
  ASSERT_TRUE(gpus);
  EXPECT_EQ(gpus->model, "NVIDIA H100 MIG 1g.10gb + NVIDIA L4");
  EXPECT_EQ(gpus->count, 3);
  EXPECT_EQ(gpus->memory_gib, 10);
  EXPECT_EQ(gpus->mig, "on");
}

TEST_F(GpusTest, ASplitGpuWithoutMigDevicesIsNotCounted) {
  const auto gpus = seen("NVIDIA H100+");
  ASSERT_TRUE(gpus);
  EXPECT_EQ(gpus->count, 0);
  EXPECT_EQ(gpus->mig, "on");
}

TEST_F(GpusTest, AGpuWithoutMigIsNotSplit) { EXPECT_EQ(seen("NVIDIA L4")->mig, ""); }

TEST_F(GpusTest, AreNotVisibleWithoutDriverOrLibraryOrDevice) {
  EXPECT_FALSE(detect_gpus(ORCH_FAKE_NVML));
  EXPECT_FALSE(seen(""));
  EXPECT_FALSE(detect_gpus("libnowhere.so.7"));
  EXPECT_FALSE(detect_gpus("libm.so.6"));  // no function of that library
}

class GpuMemoryTest : public GpusTest {
 protected:
  void TearDown() override {
    ::unsetenv("ORCH_FAKE_GPU_USE");
    GpusTest::TearDown();
  }
  static void hold(const char* uses) {
    ::setenv("ORCH_FAKE_GPUS", "NVIDIA L4;NVIDIA L4", 1);
    ::setenv("ORCH_FAKE_GPU_USE", uses, 1);
  }
};

TEST_F(GpuMemoryTest, ReportsTheUseAndTheProcessesOfEachDevice) {
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

TEST_F(GpuMemoryTest, ReportsEachMigDeviceUnderItsCudaName) {
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

TEST_F(GpuMemoryTest, MayStayInUseAfterTheProcessEnded) {
  hold("0 -1 30 2");
  RealGpuMemory memory(ORCH_FAKE_NVML);
  for (const double used_gib : {30.0, 30.0, 0.0, 0.0}) {
    const auto uses = memory.read();
    ASSERT_EQ(uses.size(), 2u);
    EXPECT_EQ(uses[0].used_gib, used_gib);
    EXPECT_EQ(uses[0].pids, std::vector<int>{});
  }
}

TEST_F(GpuMemoryTest, IsUnknownWithoutDriverOrLibrary) {
  EXPECT_TRUE(RealGpuMemory(ORCH_FAKE_NVML).read().empty());
  EXPECT_TRUE(RealGpuMemory("libnowhere.so.7").read().empty());
  EXPECT_TRUE(RealGpuMemory("libm.so.6").read().empty());
}

}  // namespace gpus_test
}  // namespace orch::system
