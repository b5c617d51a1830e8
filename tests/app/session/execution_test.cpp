#include "app/session/execution.hpp"

#include "app/session/project_of_files.hpp"
#include "run/slurm/slurm.hpp"

#include <filesystem>

#include <gtest/gtest.h>

namespace orch::session {
namespace execution_test {

struct Made {
  explicit Made(const execute::Placement& placement) {
    experiment.options.placement = placement;
    experiment.machine.host = "here";
    layout.store = project.path("results");
    std::filesystem::create_directories(layout.store);
    execution = make_execution({.world = project.world,
                                .reporter = reporter,
                                .experiment = experiment,
                                .layout = layout,
                                .log_level = system::LogLevel::off,
                                .secrets = {}})
                    .value();
  }

  ProjectOfFiles project;
  DiaryReporter reporter;
  Experiment experiment;
  attempt::Layout layout;
  Execution execution;
};

TEST(Execution, OnThisHostUsesItsGpusAndPorts) {
  Made made{{}};
  EXPECT_TRUE(made.execution.executor->placement().shares_host);
  EXPECT_EQ(made.execution.host, "here");
  EXPECT_FALSE(made.execution.places);
  const auto ports = made.execution.open_ports()->lease(1);
  ASSERT_TRUE(ports);
  EXPECT_NE(ports->front().port(), 0);
}

TEST(Execution, AsJobsLeavesGpusAndPortsToTheNodes) {
  Made made(slurm::k_jobs);
  EXPECT_FALSE(made.execution.executor->placement().shares_host);
  EXPECT_EQ(made.execution.host, "slurm") << "every node takes its attempts over";
  EXPECT_TRUE(made.execution.places);
  EXPECT_TRUE(made.execution.open_gpu_memory()->read().empty());
  EXPECT_EQ(made.execution.open_ports()->lease(1).value().front().port(), 0);
}

}  // namespace execution_test
}  // namespace orch::session
