// What starts the ranks of a server in containers on several nodes: the words of srun, and the
// script that each rank runs.
#include "core/base/text.hpp"
#include "fakes/temp_folder.hpp"
#include "os/system/host_parts.hpp"
#include "run/slurm/server_ranks.hpp"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace orch::slurm {
namespace contained_ranks_test {

using testing::ElementsAre;
using Words = std::vector<std::string>;

class ContainedRanksTest : public testing::Test {
 protected:
  Result<execute::Launch> start() {
    return contained_ranks({.files = host.files,
                            .folder = folder,
                            .program = "/opt/orchestrate",
                            .environment = {{"PATH", bin + ":/usr/bin:/bin"},
                                            {"SLURM_CONF", "/etc/slurm.conf"},
                                            {"SLURM_JOB_ID", "12"},
                                            {"OTHER", "x"}}},
                           server);
  }
  // What the script of the ranks prints as rank RANK.
  std::string rank(int number) {
    return output(fmt::format("SLURM_PROCID={} sh {}/ranks/rank.sh", number, folder));
  }
  std::string output(const std::string& command) {
    const std::string said = store.file("said");
    EXPECT_EQ(std::system(fmt::format("{} >{}", command, said).c_str()), 0) << command;
    std::ifstream text(said);
    return {std::istreambuf_iterator<char>(text), {}};
  }
  // A program of Slurm that runs SCRIPT.
  void stand_in(const std::string& name, const std::string& script) {
    std::filesystem::create_directories(bin);
    std::ofstream(bin + "/" + name) << "#!/bin/sh\n" << script;
    std::filesystem::permissions(bin + "/" + name, std::filesystem::perms::owner_all);
  }
  static int status_of(const Words& command) {
    return WEXITSTATUS(std::system(shell_quote(std::span(command)).c_str()));
  }
  // The exit status of the command that ends the step after any death.
  static int kill_steps(const execute::Launch& launch) { return status_of(launch.after.at(0)); }

  fakes::TempFolder store;
  system::RealHost host;
  const std::string folder = store.file("attempts/o1"), bin = store.file("bin");
  execute::Launch server = [this] {
    execute::Launch launch{.argv = {"mpirun", "-n", "1", "printf", "%s|", "first", "it's", ":",
                                    "-n", "3", "printf", "%s|", "rank 9", "$HOME"},
                           .env = {{"NAME", "of the stage"}},
                           .work = folder,
                           .token = "o1",
                           .tmp = store.file("tmp"),
                           .shm_folder = store.file("shm")};
    launch.place.nodes = 2;
    launch.place.ranks = 4;
    launch.place.container = {"/opt/srun", "--container-image=i", "--container-workdir=/work"};
    return launch;
  }();
};

TEST_F(ContainedRanksTest, AreOneStepWithTheNameOfTheAttempt) {
  const auto launch = start();
  ASSERT_TRUE(launch) << launch.error().message;
  EXPECT_EQ(join(launch->argv, " "),
            "/opt/srun --overlap --export=ALL --distribution=block --wait=5 --mpi=pmix "
            "--kill-on-bad-exit=1 --nodes=2 --ntasks-per-node=2 --job-name=o1 "
            "--container-image=i --container-workdir=/work /bin/sh " +
                folder + "/ranks/rank.sh");
  EXPECT_EQ(launch->env, server.env);
}

TEST_F(ContainedRanksTest, EachRunTheCommandOfTheirNumber) {
  ASSERT_TRUE(start());
  EXPECT_EQ(rank(0), "first|it's|");
  EXPECT_EQ(rank(3), "rank 9|$HOME|");
}

// Those of the server are on its first node.
TEST_F(ContainedRanksTest, MakeTheirPrivateFolders) {
  ASSERT_TRUE(start());
  for (int i = 0; i < 2; ++i) rank(i);
  for (const std::string& one : {server.tmp, server.shm_folder})
    EXPECT_EQ(std::filesystem::status(one).permissions(), std::filesystem::perms::owner_all);
}

TEST_F(ContainedRanksTest, HaveTheirNumberInTheirWords) {
  server.argv = {"mpirun", "-n", "1", "printf", "%s|", "p_0_x",
                 ":",      "-n", "1", "printf", "%s|", "p_1_x"};
  ASSERT_TRUE(start());
  EXPECT_EQ(rank(0) + rank(1), "p_0_x|p_1_x|");
}

TEST_F(ContainedRanksTest, OfACommandWithoutMpirunAreAnError) {
  server.argv = {"serve"};
  const auto launch = start();
  ASSERT_FALSE(launch);
  EXPECT_EQ(launch.error().message, "its command does not start its ranks with one mpirun");
}

// Its srun may be dead, and the ids of steps are used again: the name tells which it is.
TEST_F(ContainedRanksTest, AreKilledByTheNameOfTheirStepUntilItIsGone) {
  const std::string steps = store.file("steps"), killed = store.file("killed");
  stand_in("squeue", "cat " + steps + "\n");
  stand_in("scancel", "echo \"$@\" >>" + killed + "\necho '12.batch batch' >" + steps + "\n");
  stand_in("sleep", "");
  std::ofstream(steps) << "12.batch batch\n12.0 o1\n12.1 o12\n13.4 o1\n";
  const auto launch = start();
  ASSERT_TRUE(launch);
  EXPECT_EQ(kill_steps(*launch), 0);
  EXPECT_EQ(output("cat " + killed), "--signal=KILL 12.0 13.4\n");
}

TEST_F(ContainedRanksTest, AreLeftForALaterTryWhileSlurmDoesNotAnswer) {
  stand_in("squeue", "exit 1\n");
  const auto launch = start();
  ASSERT_TRUE(launch);
  EXPECT_EQ(kill_steps(*launch), 1);
}

TEST_F(ContainedRanksTest, AreLeftForALaterTryWhereTheyDoNotEnd) {
  stand_in("squeue", "echo 12.0 o1\n");
  stand_in("scancel", "");
  stand_in("sleep", "");
  const auto launch = start();
  ASSERT_TRUE(launch);
  EXPECT_EQ(kill_steps(*launch), 1);
}

TEST_F(ContainedRanksTest, LeaveNoFoldersOnTheNodesOfTheirJob) {
  const std::string asked = store.file("asked");
  stand_in("srun", "echo \"$@\" >" + asked + "\nexit 1\n");
  const auto launch = start();
  ASSERT_TRUE(launch);
  EXPECT_EQ(status_of(launch->after.at(1)), 0) << "a job that is over has no nodes";
  EXPECT_EQ(output("cat " + asked),
            "--jobid=12 --overlap --mpi=none --gres=none --nodes=2 --ntasks=2 --ntasks-per-node=1 "
            "--cpus-per-task=1 /bin/rm -rf " +
                server.tmp + " " + server.shm_folder + "\n");
}

}  // namespace contained_ranks_test
}  // namespace orch::slurm
