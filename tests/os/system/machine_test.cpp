#include "os/system/machine.hpp"

#include <gtest/gtest.h>

namespace orch::system {
namespace machine_test {

TEST(Machine, IsDetectedWithProcessorsAndMemory) {
  const Machine machine = detect_machine();
  EXPECT_GE(machine.cpus, 1);
  EXPECT_GT(machine.memory_gib, 0.1);
  EXPECT_FALSE(machine.cpu_model.empty());
}

TEST(Machine, FactsNameGpusOnlyWhereSomeAreVisible) {
  Machine machine;
  machine.cpus = 4;
  machine.memory_gib = 15.64;
  EXPECT_EQ(machine.facts().at("cpus"), "4");
  EXPECT_EQ(machine.facts().at("memory_gib"), "15.6");
  EXPECT_FALSE(machine.facts().contains("gpus"));
  EXPECT_FALSE(machine.facts().contains("cpu_quota"));
  machine.cpu_quota = 1.5;
  EXPECT_EQ(machine.facts().at("cpu_quota"), "1.5");
  machine.gpus = Gpus{.count = 2, .model = "NVIDIA L4", .memory_gib = 24, .mig = "", .driver = "1"};
  EXPECT_EQ(machine.facts().at("gpus"), "2");
  EXPECT_EQ(machine.facts().at("gpu_memory_gib"), "24.0");
}

}  // namespace machine_test
}  // namespace orch::system
