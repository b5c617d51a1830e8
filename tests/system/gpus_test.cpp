#include "system/gpus.hpp"

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
  const auto gpus = seen("NVIDIA H100+;NVIDIA L4");
  ASSERT_TRUE(gpus);
  EXPECT_EQ(gpus->model, "NVIDIA H100 + NVIDIA L4");
  EXPECT_EQ(gpus->mig, "on");
}

TEST_F(Gpus_, that_know_no_MIG_are_not_split) { EXPECT_EQ(seen("NVIDIA L4")->mig, ""); }

TEST_F(Gpus_, are_not_seen_without_driver_or_library_or_with_none_there) {
  EXPECT_FALSE(detect_gpus(ORCH_FAKE_NVML));
  EXPECT_FALSE(seen(""));
  EXPECT_FALSE(detect_gpus("libnowhere.so.7"));
  EXPECT_FALSE(detect_gpus("libm.so.6"));  // no function of that library
}

}  // namespace
}  // namespace orch::system
