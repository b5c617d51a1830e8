// The ranks of a server in the folder of its attempt; agents of ranks in this process.
#include "run/slurm/server_ranks.hpp"

#include "core/base/text.hpp"
#include "fakes/temp_folder.hpp"
#include "run/execute/exit_record.hpp"
#include "run/slurm/job_agent.hpp"

#include <csignal>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

namespace orch::slurm {
namespace server_ranks_test {

class NoReadiness final : public attempt::Readiness {
 public:
  void watch(const std::string&, const attempt::Probe&) override {}
  attempt::HealthReport report(const std::string&) override { return {}; }
  void forget(const std::string&) override {}
};

class ServerRanksTest : public testing::Test {
 protected:
  // A server of four ranks, each of which runs SCRIPT.
  execute::Launch server(const std::string& script) {
    std::filesystem::create_directories(folder + "/work");
    execute::Launch launch{
        .argv = {"mpirun", "--mca", "btl", "self", "-n", "4", "/bin/sh", "-c", script},
        .env = {{"PATH", "/usr/bin:/bin"}, {"NAME", "of the stage"}},
        .work = folder + "/work",
        .log = folder + "/log",
        .token = token,
        .exit_record = folder + "/exit.json",
        .tmp = folder + "/tmp",
        .secrets = {"hidden-value"}};
    launch.place.nodes = 2;
    launch.place.ranks = 4;
    launch.place.cores = 8;
    launch.place.stop_s = 5;
    return launch;
  }
  Result<ServerRanks> divide(const execute::Launch& launch) {
    return ServerRanks::divide({.files = host.host().files,
                                .folder = folder,
                                .program = "/opt/orchestrate",
                                .environment = {{"SLURM_JOB_ID", "12"}}},
                               launch);
  }
  // The exit status of the agent of rank RANK.
  int serve(int rank) {
    return serve_as_job({.host = host.host(),
                         .children = host.processes.descriptor(),
                         .readiness = readiness,
                         .ports = ports,
                         .remains = remains,
                         .environment = {{"SLURMD_NODENAME", "n2"},
                                         {"SLURM_ARRAY_TASK_ID", "0"},
                                         {"SLURM_PROCID", std::to_string(rank)},
                                         {"PMIX_RANK", std::to_string(rank)},
                                         {"OTHER", "x"}},
                         .who = system::new_token()},
                        ranks_files.batch_folder("ranks"));
  }
  std::string token_of(std::size_t rank) { return ranks_files.tokens_of("ranks").at(rank); }

  fakes::TempFolder store;
  system::RealHost host;
  system::RealPorts ports;
  NodeRemains remains{store.file("remains")};
  NoReadiness readiness;
  const std::string token = system::new_token(), folder = store.file("attempts/" + token);
  OrchestratorFiles ranks_files{host.files, folder + "/ranks"};
  AgentFiles rank_agent{host.files, folder + "/ranks"};
};

TEST_F(ServerRanksTest, AreStartedBySrunOnAllNodes) {
  const auto ranks = divide(server("exit 0"));
  ASSERT_TRUE(ranks) << ranks.error().message;
  const execute::Launch& starter = ranks->starter();
  EXPECT_EQ(starter.token, token);
  EXPECT_EQ(starter.env, (std::map<std::string, std::string>{{"SLURM_JOB_ID", "12"}}));
  EXPECT_EQ(join(starter.argv, " "),
            "/usr/bin/env -u ORCHESTRATE_ATTEMPT srun --overlap --export=ALL --distribution=block "
            "--wait=5 --mpi=pmix --kill-on-bad-exit=1 --nodes=2 --ntasks-per-node=2 "
            "/bin/sh " +
                ranks_files.batch_folder("ranks") + "/script.sh");
  EXPECT_EQ(ranks_files.tokens_of("ranks").size(), 4u);
}

TEST_F(ServerRanksTest, OfACommandWithoutMpirunAreAnError) {
  execute::Launch launch = server("exit 0");
  launch.argv = {"serve"};
  const auto ranks = divide(launch);
  ASSERT_FALSE(ranks);
  EXPECT_EQ(ranks.error().message, "its command does not start its ranks with one mpirun");
}

TEST_F(ServerRanksTest, EachRunItsCommandWithTheVariablesOfItsStageAndItsPlace) {
  const auto made =
      divide(server("echo \"$NAME|$PMIX_RANK|$SLURM_PROCID|$OTHER|$OMPI_MCA_btl\" > seen; exit 0"));
  ASSERT_TRUE(made);
  EXPECT_EQ(serve(3), 0);
  std::ifstream file(folder + "/work/seen");
  std::string seen;
  std::getline(file, seen);
  EXPECT_EQ(seen, "of the stage|3|3||");
  EXPECT_TRUE(ranks_files.read_ended(token_of(3)));
  EXPECT_EQ(ranks_files.read_ended(token_of(3))->node, "n2");
}

// The private folders of the server are on the node of the job.
TEST_F(ServerRanksTest, InContainersHaveFoldersOfTheirOwnInTheirWords) {
  execute::Launch launch = server(
      "test -d \"$1\" && echo \"$1|$TMPDIR|$CACHE|$APPTAINERENV_PMIX_RANK|$(cat $2)\" > seen; "
      "exit 0");
  launch.env["CACHE"] = launch.tmp + "/cache";
  launch.env["SOME_TOKEN"] = "x y";
  launch.hidden = {"SOME_TOKEN"};
  launch.hidden_file = launch.tmp + "/secrets";
  launch.argv.insert(launch.argv.end(), {"sh", launch.tmp, launch.hidden_file});
  const auto ranks = divide(launch);
  ASSERT_TRUE(ranks);
  EXPECT_EQ(ranks->keepers().hidden_file + ranks->starter().hidden_file, "");
  EXPECT_EQ(serve(2), 0);
  std::ifstream file(folder + "/work/seen");
  std::string seen;
  std::getline(file, seen);
  const std::string own = folder + "/" + token_of(2);
  EXPECT_EQ(seen, own + "|" + own + "|" + own + "/cache|2|SOME_TOKEN='x y'");
}

// srun ends the others when one of them has a status.
TEST_F(ServerRanksTest, ThatEndByThemselvesPassTheirStatusOn) {
  ASSERT_TRUE(divide(server("exit 7")));
  EXPECT_EQ(serve(1), 7);
  EXPECT_EQ(serve(1), 0) << "it is claimed";
}

TEST_F(ServerRanksTest, ThatAreKilledHaveTheStatusOfTheirSignal) {
  ASSERT_TRUE(divide(server("kill -ABRT $$")));
  EXPECT_EQ(serve(0), 128 + SIGABRT);
}

TEST_F(ServerRanksTest, ThatAreToldToEndHaveNoStatus) {
  auto ranks = divide(server("trap 'exit 9' TERM; sleep 60 & wait"));
  ASSERT_TRUE(ranks);
  ranks->signal(SIGTERM);
  EXPECT_EQ(serve(2), 0);
  const auto ended = ranks_files.read_ended(token_of(2));
  ASSERT_TRUE(ended);
  EXPECT_EQ(std::filesystem::exists(folder + "/" + token_of(2)), false) << "its TMPDIR";
}

// The agent of the job may be dead together with its node.
TEST_F(ServerRanksTest, ThatWereGivenUpNeverBegin) {
  auto ranks = divide(server("exit 7"));
  ASSERT_TRUE(ranks);
  EXPECT_TRUE(ranks->have_ended()) << "none has begun";
  EXPECT_EQ(serve(0), 0);
  EXPECT_FALSE(ranks_files.read_ended(token_of(0)));
}

TEST_F(ServerRanksTest, TellWhatTheyHaveUsedAndWhyTheyCouldNotStart) {
  auto ranks = divide(server("exit 7"));
  ASSERT_TRUE(ranks);
  ASSERT_TRUE(
      rank_agent.write_ended({.token = token_of(0), .code = 7, .cpu_s = 2, .max_rss_bytes = 100}));
  ASSERT_TRUE(rank_agent.write_ended(
      {.token = token_of(3), .cpu_s = 3, .max_rss_bytes = 300, .refused = "no such program"}));
  execute::Ended ended{.token = token, .code = 1, .cpu_s = 1, .max_rss_bytes = 200};
  ranks->add_to(ended, false);
  EXPECT_EQ(ended.cpu_s, 6);
  EXPECT_EQ(ended.max_rss_bytes, 300u);
  EXPECT_EQ(ended.refused, "rank 3: no such program");
  EXPECT_EQ(ended.code, 1);
}

}  // namespace server_ranks_test
}  // namespace orch::slurm
