#include "app/session/host/host_inventory.hpp"

#include "app/session/project_of_files.hpp"

#include <gtest/gtest.h>

namespace orch::session {
namespace host_inventory_test {

// An experiment on a host of two cores and GPUS GPUs, with MACHINE stated and GPUS chosen.
Experiment experiment_on(int gpus, const std::string& machine = "",
                         const std::vector<std::string>& chosen = {}) {
  ProjectOfFiles project;
  project.write("site.yaml", "tokens: {licence: 2}\n");
  project.world.detect_machine = [gpus] {
    system::Machine host;
    host.host = "here";
    host.cpu_model = "Test CPU";
    host.cpus = 4;
    host.memory_gib = 32;
    host.cores = {{.cpus = {0, 2}, .node = 0}, {.cpus = {1, 3}, .node = 1}};
    if (gpus == 0) return host;
    host.gpus =
        system::Gpus{.count = gpus, .model = "A", .memory_gib = 80, .mig = "", .driver = "1"};
    for (int i = 0; i < gpus; ++i)
      host.gpus->each.push_back({.index = i,
                                 .uuid = fmt::format("GPU-{}", i),
                                 .model = "A",
                                 .memory_gib = 80,
                                 .node = i % 2,
                                 .linked = {i ^ 1}});
    return host;
  };
  Errors errors;
  ExperimentOptions options =
      project.options("name: x\nrunner: toy\naxes: {size: [s]}\n" + machine);
  options.gpus = chosen;
  Experiment experiment = load_experiment(project.world, options, errors);
  EXPECT_EQ(text_of(errors), "");
  return experiment;
}

TEST(HostInventory, IsThatOfThisMachine) {
  const resources::Inventory host = host_inventory(experiment_on(2));
  ASSERT_EQ(host.cores.size(), 2u);
  EXPECT_EQ(host.cores[1].cpus, (std::vector<int>{1, 3}));
  EXPECT_EQ(host.cores[1].node, 1);
  ASSERT_EQ(host.gpus.size(), 2u);
  EXPECT_EQ(host.gpus[1].node, 1);
  EXPECT_EQ(host.gpus[1].linked, std::set<int>{0});
  EXPECT_EQ(host.memory_gib, 32);
  EXPECT_EQ(host.tokens, (std::map<std::string, int>{{"licence", 2}}));
}

TEST(HostInventory, HasOnlyTheChosenGpus) {
  const resources::Inventory host = host_inventory(experiment_on(4, "", {"1", "3"}));
  ASSERT_EQ(host.gpus.size(), 2u);
  EXPECT_EQ(host.gpus[0].index, 1);
  EXPECT_EQ(host.gpus[1].index, 3);
}

TEST(HostInventory, OfAStatedMachineHasWhatIsStated) {
  const resources::Inventory host =
      host_inventory(experiment_on(0, "machine: {gpus: 8, cpus: 64, cpu_model: Other}\n"));
  EXPECT_EQ(host.gpus.size(), 8u);
  EXPECT_EQ(host.cores.size(), 64u);
  EXPECT_EQ(host.memory_gib, 0) << "not stated, and not counted";
}

TEST(HostInventory, UsualJobsAreTheProcessorsUpToFour) {
  EXPECT_EQ(usual_jobs(resources::plain_inventory(2, 0)), 2u);
  EXPECT_EQ(usual_jobs(resources::plain_inventory(64, 0)), 4u);
  EXPECT_EQ(usual_jobs({}), 4u) << "not known";
}

}  // namespace host_inventory_test
}  // namespace orch::session
