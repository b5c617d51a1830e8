// Launches that are fitted and run are those of job_agent_test.cpp.
#include "run/slurm/node_fitter.hpp"

#include "fakes/temp_folder.hpp"

#include <filesystem>

#include <gtest/gtest.h>

namespace orch::slurm {
namespace node_fitter_test {

class NoReadiness final : public attempt::Readiness {
 public:
  void watch(const std::string&, const attempt::Probe&) override {}
  attempt::HealthReport report(const std::string&) override { return {}; }
  void forget(const std::string&) override {}
};

class NodeFitterTest : public testing::Test {
 protected:
  NodeFitterTest() { std::filesystem::create_directories(files.attempt(asked.launch.token)); }
  NodeFitter fitter(bool is_rank = false) {
    return NodeFitter(host, files, asked.launch.token, is_rank);
  }

  fakes::TempFolder store;
  system::RealHost real;
  system::RealPorts ports;
  NoReadiness readiness;
  NodeRemains remains{store.file("remains")};
  AgentHost host{.host = real.host(),
                 .children = -1,
                 .readiness = readiness,
                 .ports = ports,
                 .remains = remains,
                 .environment = {{"SLURM_JOB_ID", "12"},
                                 {"SLURMD_NODENAME", "n1"},
                                 {"SLURM_JOB_GPUS", "4,6"},
                                 {"PMIX_RANK", "1"}},
                 .site = {},
                 .who = "who"};
  AgentFiles files{real.files, store.path()};
  AgentFiles::Asked asked{.launch = {.argv = {"x", "{port:http}", "{port:serve.http}", "{gpu:1}"},
                                     .token = system::new_token()}};
};

TEST_F(NodeFitterTest, GivesNumbersOfPortsAndGpus) {
  asked.launch.place.ports = {"http"};
  asked.launch.place.port_prefix = "serve.";
  NodeFitter node = fitter();
  ASSERT_TRUE(node.fit(asked));
  const Started place = node.place();
  const std::string port = std::to_string(place.ports.at("http"));
  EXPECT_EQ(asked.launch.argv, (std::vector<std::string>{"x", port, port, "6"}));
  EXPECT_EQ(node.with_numbers("{gpu:2} {port:grpc}"), "2 {port:grpc}") << "what it does not have";
  EXPECT_EQ(place.node, "n1");
  EXPECT_EQ(place.job, "12");
}

TEST_F(NodeFitterTest, GivesVariablesOfMpiToRanksOnly) {
  for (const bool is_rank : {false, true}) {
    AgentFiles::Asked own = asked;
    own.launch.token = system::new_token();
    std::filesystem::create_directories(files.attempt(own.launch.token));
    NodeFitter node = fitter(is_rank);
    ASSERT_TRUE(node.fit(own));
    EXPECT_EQ(own.launch.env.at("SLURM_JOB_ID"), "12");
    EXPECT_EQ(own.launch.env.contains("PMIX_RANK"), is_rank);
    EXPECT_EQ(own.launch.env.contains("APPTAINERENV_PMIX_RANK"), is_rank);
  }
}

TEST_F(NodeFitterTest, SaysThatSlurmNamesNoGpuWhoseClockCouldBeLocked) {
  host.environment.erase("SLURM_JOB_GPUS");
  asked.launch.before = {{"lock", std::string(execute::k_gpus_of_job)}};
  const auto fitted = fitter().fit(asked);
  ASSERT_FALSE(fitted);
  EXPECT_EQ(
      fitted.error().message,
      "cannot lock GPU clocks: neither CUDA_VISIBLE_DEVICES nor SLURM_JOB_GPUS names a GPU of "
      "this job");
}

}  // namespace node_fitter_test
}  // namespace orch::slurm
