// A server of four ranks, tp 2 x pp 2, on the two nodes of a real Slurm: four real tritonservers
// that srun starts with PMIx, and their deaths.
#include "e2e/on_two_nodes.hpp"

#include <gmock/gmock.h>

namespace orch::e2e {
namespace nodes_test {

using testing::HasSubstr;

const std::vector<std::string> k_nothing;

constexpr const char* k_axes = "{server: [one], tp: [2], pp: [2], concurrency: [1, 2]}";

TEST_F(OnTwoNodes, FourRanksAreMeasured) {
  const auto ranks = sweep_of(k_axes);
  ranks->close_gate();
  const auto run = ranks->start();
  std::map<std::string, std::string> nodes;  // by rank
  std::set<std::string> launches;
  if (ranks->wait_for_prompt(run)) {
    nodes = nodes_of(*ranks);
    launches = ranks->launches_of(ranks->server("0").token);
  }
  ranks->open_gate();
  const Finished done = ranks->sweep().finish(run);
  ASSERT_EQ(done.code, 0) << done.err;
  EXPECT_EQ(nodes, k_two_on_each);
  EXPECT_EQ(launches.size(), 4u);
  Sweep& sweep = ranks->sweep();
  expect_measured(*ranks, 2);
  for (const char* rank : {"1", "2", "3"})
    EXPECT_GT(
        sweep.value(fmt::format(
            "select count(*) from answers where not warmup and answer like '% of rank {}%'", rank)),
        0)
        << rank;
  EXPECT_EQ(sweep.value("select sum(attempts) from stages where name = 'serve'"), 1);
  wait_for_empty_queue(*ranks);
  EXPECT_EQ(ranks->left(launches), k_nothing);
}

// What is killed while a measurement waits for its first answer.
struct Victim {
  std::string name;
  // The processes of the job in the order of their kills.
  std::function<std::vector<int>(const Ranks&)> find;
  bool may_leave_files = false;  // see "Limits" in docs/slurm.md
};

// The first process of the job of SWEEP, or of rank RANK, and its child, which does the work.
std::vector<int> guardians_of(const Ranks& sweep, const std::string& rank = "") {
  return pids_with([&](const std::string& command, const std::string& environment) {
    const std::string folder = rank.empty() ? "/results/slurm/" : "/ranks/slurm/batches/ranks ";
    return command.find(" guardian --job " + sweep.store()) != std::string::npos &&
           command.find(folder) != std::string::npos &&
           (rank.empty() || environment.find("SLURM_PROCID=" + rank + '\0') != std::string::npos);
  });
}

const std::vector<Victim> k_victims = {
    {"ARankOfTheSecondNode",
     [](const Ranks& sweep) { return std::vector<int>{sweep.server("3").pid}; }},
    {"TheGuardianOfThatRank",
     [](const Ranks& sweep) { return std::vector<int>{guardians_of(sweep, "3").back()}; }},
    {"TheFirstProcessOfThatRank",
     [](const Ranks& sweep) { return std::vector<int>{guardians_of(sweep, "3").front()}; }},
    {"WhatHasStartedTheRanks",
     [](const Ranks& sweep) {
       const std::string token = sweep.server("0").token;
       return pids_with([&](const std::string& command, const std::string&) {
         return command.starts_with("srun ") &&
                command.find(token + "/ranks/slurm/batches/ranks/") != std::string::npos;
       });
     }},
    {"TheGuardianOfTheJob",
     [](const Ranks& sweep) { return std::vector<int>{guardians_of(sweep).back()}; }},
    {"TheGuardianOfTheJobAndItsFirstProcess",
     [](const Ranks& sweep) {
       std::vector<int> both = guardians_of(sweep);
       std::reverse(both.begin(), both.end());
       return both;
     },
     true},
};

class OnTwoNodesDies : public OnTwoNodes, public testing::WithParamInterface<Victim> {};

// As on one host: the sender of the signal is unknown, so the server is started again. Its ranks
// are gone on both nodes, with what they had in /tmp and /dev/shm.
TEST_P(OnTwoNodesDies, AndTheServerIsStartedAgainAndNothingIsLeft) {
  const auto ranks = sweep_of("{server: [one], tp: [2], pp: [2]}");
  ranks->close_gate();
  const auto run = ranks->start();
  std::set<std::string> launches;
  if (ranks->wait_for_prompt(run)) {
    const std::string token = ranks->server("3").token;
    launches = ranks->launches_of(token);
    EXPECT_EQ(ranks->server("3").node, "n2");
    const std::vector<int> victims = GetParam().find(*ranks);
    EXPECT_FALSE(victims.empty());
    for (const int pid : victims) ::kill(pid, SIGKILL);
    ranks->wait_for_end_of(token);
  }
  ranks->open_gate();
  const Finished done = ranks->sweep().finish(run);
  EXPECT_EQ(done.code, 0) << done.err;
  Sweep& sweep = ranks->sweep();
  EXPECT_EQ(sweep.query("select class from failures where kind = 'service'"),
            Json::parse(R"([{"class":"killed_externally"}])"))
      << done.err;
  EXPECT_EQ(sweep.value("select count(*) from results where error_rate = 0"), 1);
  EXPECT_EQ(sweep.value("select sum(attempts) from stages where name = 'serve'"), 2);
  wait_for_empty_queue(*ranks);
  EXPECT_EQ(launches.size(), 4u);
  std::vector<std::string> left = ranks->left(launches);
  if (GetParam().may_leave_files)
    std::erase_if(left, [](const std::string& one) {
      return (one.starts_with("/tmp/") || one.starts_with("/dev/shm/")) &&
             std::filesystem::remove_all(one) > 0;
    });
  EXPECT_EQ(left, k_nothing);
}

INSTANTIATE_TEST_SUITE_P(Killed, OnTwoNodesDies, testing::ValuesIn(k_victims),
                         [](const auto& one) { return one.param.name; });

TEST_F(OnTwoNodes, AnAbortedRankFailsOnlyItsOwnPoints) {
  const auto ranks = sweep_of("{server: [one, two], tp: [2], pp: [2]}");
  ranks->close_gate();
  const auto run = ranks->start();
  if (ranks->wait_for_prompt(run)) ranks->kill_server_and_wait("3", SIGABRT);
  ranks->open_gate();
  const Finished done = ranks->sweep().finish(run);
  EXPECT_EQ(done.code, 1) << done.err;
  EXPECT_THAT(done.err, HasSubstr("server_crash: ended with exit status 134"));
  EXPECT_EQ(ranks->sweep().query("select class from failures where kind = 'service'"),
            Json::parse(R"([{"class":"server_crash"}])"));
  EXPECT_EQ(ranks->sweep().value("select count(*) from results where error_rate = 0"), 1);
  wait_for_empty_queue(*ranks);
  EXPECT_EQ(ranks->left(), k_nothing);
}

TEST_F(OnTwoNodes, TheServerIsAdoptedAfterTheOrchestratorIsKilled) {
  const auto ranks = sweep_of(k_axes);
  Sweep& sweep = ranks->sweep();
  ranks->close_gate();
  auto run = ranks->start();
  ASSERT_TRUE(ranks->wait_for_prompt(run)) << sweep.finish(run).err;
  const Part first = ranks->server("3"), measured = ranks->measurement();
  ::kill(run.pid, SIGKILL);
  sweep.finish(run);

  run = ranks->start();
  ASSERT_TRUE(ranks->wait_for_another(measured, run)) << sweep.finish(run).err;
  EXPECT_EQ(ranks->server("3").pid, first.pid);
  ranks->open_gate();
  const Finished done = sweep.finish(run);
  EXPECT_EQ(done.code, 0) << done.err;
  EXPECT_EQ(sweep.value("select count(*) from results where error_rate = 0"), 2);
  EXPECT_EQ(sweep.value("select sum(attempts) from stages where name = 'serve'"), 1);
  wait_for_empty_queue(*ranks);
  EXPECT_EQ(ranks->left(), k_nothing);
}

TEST_F(OnTwoNodes, MpirunStartsTheRanksWhereTheSiteSaysSo) {
  const auto ranks = sweep_of(k_axes, "slurm: {mpi: mpirun}\n");
  const Finished done = ranks->run();
  ASSERT_EQ(done.code, 0) << done.err;
  expect_measured(*ranks, 2);
  wait_for_empty_queue(*ranks);
  EXPECT_EQ(ranks->left(), k_nothing);
}

}  // namespace nodes_test
}  // namespace orch::e2e
