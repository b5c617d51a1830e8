#include "spec/ranks/mpi_ranks.hpp"

#include <gtest/gtest.h>

namespace orch::ranks {
namespace mpi_ranks_test {

using Words = std::vector<std::string>;

TEST(MpiRanks, OfOneProgramShareItsWords) {
  const auto ranks = mpi_ranks({"/usr/bin/mpirun", "-n", "4", "server", "--port=1"});
  ASSERT_TRUE(ranks);
  EXPECT_EQ(ranks->count, 4);
  EXPECT_TRUE(ranks->is_bound);
  ASSERT_EQ(ranks->programs.size(), 1u);
  EXPECT_EQ(ranks->programs[0].first, 0);
  EXPECT_EQ(ranks->programs[0].last, 3);
  EXPECT_EQ(ranks->programs[0].argv, (Words{"server", "--port=1"}));
}

TEST(MpiRanks, OfSeveralProgramsHaveTheirNumberAsASymbol) {
  const auto ranks = mpi_ranks({"enter",  "serve",  "mpirun", "--bind-to", "none", "-n", "1",
                                "s",      "p_1_0_", ":",      "-n",        "1",    "s",  "-w",
                                "p_1_1_", ":",      "-n",     "1",         "s",    "-w", "p_1_2_"});
  ASSERT_TRUE(ranks);
  EXPECT_EQ(ranks->count, 3);
  EXPECT_FALSE(ranks->is_bound);
  ASSERT_EQ(ranks->programs.size(), 2u);
  EXPECT_EQ(ranks->programs[0].argv, (Words{"enter", "serve", "s", "p_1_0_"}));
  EXPECT_EQ(ranks->programs[1].first, 1);
  EXPECT_EQ(ranks->programs[1].last, 2);
  EXPECT_EQ(ranks->programs[1].argv, (Words{"enter", "serve", "s", "-w", "p_1_{mpi:rank}_"}));
}

// "1" of another meaning than the rank: the number of the server.
TEST(MpiRanks, OnlyWhatFollowsTheRankBecomesTheSymbol) {
  const auto ranks = mpi_ranks(
      {"mpirun", "-n", "1", "s", "1_0", ":", "-n", "1", "s", "1_1", ":", "-n", "1", "s", "1_2"});
  ASSERT_TRUE(ranks);
  ASSERT_EQ(ranks->programs.size(), 1u);
  EXPECT_EQ(ranks->programs[0].argv, (Words{"s", "1_{mpi:rank}"}));
}

TEST(MpiRanks, ThatDifferInAnythingElseStayApart) {
  const auto ranks = mpi_ranks(
      {"mpirun", "-n", "2", "s", "a", ":", "-n", "1", "s", "b", ":", "-n", "1", "s", "5"});
  ASSERT_TRUE(ranks);
  ASSERT_EQ(ranks->programs.size(), 3u);
  EXPECT_EQ(ranks->programs[0].last, 1);
  EXPECT_EQ(ranks->programs[1].argv, (Words{"s", "b"}));
  EXPECT_EQ(ranks->programs[2].argv, (Words{"s", "5"}));
}

TEST(MpiRanks, GetTheVariablesThatMpirunWouldHaveSet) {
  const auto ranks = mpi_ranks({"mpirun", "--allow-run-as-root", "--mca", "oob_tcp_if_include",
                                "lo", "--mca", "btl", "self,vader", "-x", "A=b=c", "-n", "2", "s"});
  ASSERT_TRUE(ranks);
  EXPECT_EQ(ranks->env,
            (std::map<std::string, std::string>{{"OMPI_MCA_btl", "self,vader"}, {"A", "b=c"}}));
}

TEST(MpiRanks, AreNoneWhereMpirunMustStay) {
  EXPECT_FALSE(mpi_ranks({"server", "-n", "2"})) << "no mpirun";
  EXPECT_FALSE(mpi_ranks({"mpirun", "-n", "1", "s"})) << "one rank may start others itself";
  EXPECT_FALSE(mpi_ranks({"mpirun", "--hostfile", "h", "-n", "2", "s"})) << "unknown option";
  EXPECT_FALSE(mpi_ranks({"mpirun", "-n", "2"})) << "no program";
  EXPECT_FALSE(
      mpi_ranks({"x", "--server", "mpirun", "-n", "2", "s", "--server", "mpirun", "-n", "2", "s"}))
      << "two of them";
}

TEST(MpiRanks, HaveACommandEach) {
  const auto ranks = mpi_ranks({"enter", "mpirun", "-n", "1", "s", "p_0_", ":", "-n", "1", "s",
                                "-w", "p_1_", ":", "-n", "1", "s", "-w", "p_2_"});
  ASSERT_TRUE(ranks);
  EXPECT_EQ(argv_of(*ranks, 0), (Words{"enter", "s", "p_0_"}));
  EXPECT_EQ(argv_of(*ranks, 1), (Words{"enter", "s", "-w", "p_1_"}));
  EXPECT_EQ(argv_of(*ranks, 2), (Words{"enter", "s", "-w", "p_2_"}));
  EXPECT_EQ(argv_of(*ranks, 3), Words{});
}

// vader reaches the ranks of one host only.
TEST(MpiRanks, OnSeveralNodesAreNotKeptToTransportsOfOne) {
  const auto ranks = mpi_ranks({"mpirun", "--mca", "btl", "self,vader", "--mca",
                                "btl_tcp_if_include", "lo", "-x", "A=b", "-n", "2", "s"});
  ASSERT_TRUE(ranks);
  EXPECT_EQ(variables_of(*ranks, 1).size(), 3u);
  EXPECT_EQ(variables_of(*ranks, 2), (std::map<std::string, std::string>{{"A", "b"}}));
}

TEST(MpiRanks, AreStartedBySrunOrMpirunAsManyOnEachNode) {
  const auto ranks =
      mpi_ranks({"/opt/mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none", "-n",
                 "1", "s", ":", "--oversubscribe", "-n", "3", "s", "-w"});
  ASSERT_TRUE(ranks);
  EXPECT_EQ(srun_words(*ranks, 2, "pmix_v4"),
            (Words{"--mpi=pmix_v4", "--kill-on-bad-exit=1", "--nodes=2", "--ntasks-per-node=2",
                   "--cpu-bind=none"}));
  EXPECT_EQ(mpirun_words(*ranks, 2),
            (Words{"/opt/mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none",
                   "--map-by", "ppr:2:node", "-n", "4"}));
}

TEST(MpiRanks, AreLinesOfAShellThatBecomeTheRankOfTheirProcess) {
  const ShellWriter text = {
      .value = [](const std::string& value) { return "'" + value + "'"; },
      .command = [](const Words& argv) { return argv.front() + " " + argv.back(); }};
  const auto one = mpi_ranks({"mpirun", "-x", "A=b", "-n", "2", "s", "x"});
  ASSERT_TRUE(one);
  EXPECT_EQ(shell_lines(*one, 1, text), "export A='b'\nexec s x\n");
  const auto two = mpi_ranks(
      {"mpirun", "-n", "1", "s", "x", ":", "-n", "2", "s", "y", ":", "-n", "1", "t", "z"});
  ASSERT_TRUE(two);
  EXPECT_EQ(shell_lines(*two, 2, text),
            "case $SLURM_PROCID in\n0)\n  exec s x ;;\n1 | 2)\n  exec s y ;;\n*)\n  exec t z ;;\n"
            "esac\n");
}

}  // namespace mpi_ranks_test
}  // namespace orch::ranks
