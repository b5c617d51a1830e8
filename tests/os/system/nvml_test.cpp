#include "os/system/nvml/nvml.hpp"

#include <cstdlib>

#include <gtest/gtest.h>

namespace orch::system {
namespace nvml_test {

class NvmlTest : public testing::Test {
 protected:
  void TearDown() override { ::unsetenv("ORCH_FAKE_GPUS"); }
};

TEST_F(NvmlTest, DoesNotStartWithoutLibraryOrDriver) {
  EXPECT_FALSE(Nvml("libnowhere.so.7").has_started());
  EXPECT_FALSE(Nvml("libm.so.6").has_started());
  EXPECT_FALSE(Nvml(ORCH_FAKE_NVML).has_started());
}

TEST_F(NvmlTest, ListsMigDevicesInPlaceOfASplitGpu) {
  ::setenv("ORCH_FAKE_GPUS", "NVIDIA H100++;NVIDIA L4", 1);
  Nvml nvml(ORCH_FAKE_NVML);
  ASSERT_TRUE(nvml.has_started());
  const auto devices = nvml.devices();
  EXPECT_TRUE(nvml.is_split());
  ASSERT_EQ(devices.size(), 2u);
  EXPECT_EQ(nvml.uuid(devices[0].device), "MIG-0-6");
  EXPECT_EQ(devices[1].index, 1);
  EXPECT_EQ(nvml.model(devices[1].device), "NVIDIA L4");
  EXPECT_EQ(nvml.driver(), "550.54.15");
}

TEST_F(NvmlTest, CallingAMissingFunctionFails) {
  ::setenv("ORCH_FAKE_GPUS", "NVIDIA L4", 1);
  Nvml nvml(ORCH_FAKE_NVML);
  ASSERT_TRUE(nvml.has_started());
  EXPECT_FALSE(nvml.call("nvmlNoSuchFunction"));
}

}  // namespace nvml_test
}  // namespace orch::system
