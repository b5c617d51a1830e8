// Servers of two ranks: two real tritonservers under a real mpirun, which share memory and are
// killed one by one and together.
#include "e2e/ranks.hpp"

namespace orch::e2e {
namespace mpirun_test {

std::string site_of(system::Containment containment) {
  return fmt::format("containment: {}\n", to_string(containment));
}

const std::vector<std::string> k_nothing;

// In a PID namespace every mpirun has the same pid, from which Open MPI derives the names of shared
// files.
TEST(Mpirun, TwoSweepsAtOnceShareNoNamesAndLeaveNothing) {
  const auto containment = system::is_available(system::Containment::pid_namespace)
                               ? system::Containment::pid_namespace
                               : system::Containment::session;
  Ranks one(environment(), site_of(containment), "{server: [one], concurrency: [1, 2]}");
  Ranks two(environment(), site_of(containment) + "ports: {first: 23000, last: 23099}\n",
            "{server: [one], concurrency: [1, 2]}");
  one.close_gate();
  two.close_gate();
  const auto run_one = one.start(), run_two = two.start();
  if (one.wait_for_prompt(run_one) && two.wait_for_prompt(run_two)) {
    const auto segments_one = Ranks::segments_of(one.server("0").token),
               segments_two = Ranks::segments_of(two.server("0").token);
    EXPECT_EQ(segments_one.size(), 2u);  // one of each rank
    EXPECT_EQ(segments_two.size(), 2u);
    EXPECT_EQ(segments_one == segments_two, containment == system::Containment::pid_namespace);
  }
  one.open_gate();
  two.open_gate();
  const Finished done_one = one.sweep().finish(run_one), done_two = two.sweep().finish(run_two);
  ASSERT_EQ(done_one.code, 0) << done_one.err;
  ASSERT_EQ(done_two.code, 0) << done_two.err;
  for (Ranks* ranks : {&one, &two}) {
    EXPECT_EQ(ranks->sweep().value(
                  "select count(*) from results where error_rate = 0 and osl_counted = 4"),
              2);
    EXPECT_EQ(ranks->sweep().value(
                  "select count(*) from answers where not warmup and answer like '% of rank 1%'"),
              48);
    EXPECT_EQ(ranks->left(), k_nothing);
  }
}

struct Killed {
  Finished done;
  std::vector<std::string> left;
  Json failures;  // of servers
  Json why;       // of points that failed
  Json results;   // servers that have one
  Json starts;    // of servers
};

// A sweep over two servers; rank 1 of the first is ended by SIGNAL during its measurement.
Killed kill_rank(int signal) {
  Ranks ranks(environment(), site_of(system::Containment::session), "{server: [one, two]}");
  ranks.close_gate();
  const auto run = ranks.start();
  if (ranks.wait_for_prompt(run)) ranks.kill_server_and_wait("1", signal);
  ranks.open_gate();
  Killed killed;
  killed.done = ranks.sweep().finish(run);
  killed.left = ranks.left();
  killed.failures = ranks.sweep().query("select class from failures where kind = 'service'");
  killed.why =
      ranks.sweep().query("select why from stages where kind = 'measure' and state = 'failed'");
  killed.results = ranks.sweep().query("select server from results order by server");
  killed.starts = ranks.sweep().value("select sum(attempts) from stages where name = 'serve'");
  return killed;
}

// The sender of the signal is unknown, so it is a harness failure and is retried.
TEST(Mpirun, AServerWithAKilledRankIsStartedAgain) {
  const Killed killed = kill_rank(SIGKILL);
  EXPECT_EQ(killed.done.code, 0) << killed.done.err;
  EXPECT_NE(killed.done.err.find("killed_externally: ended with exit status 137"),
            std::string::npos)
      << killed.done.err;
  EXPECT_EQ(killed.failures, Json::parse(R"([{"class":"killed_externally"}])")) << killed.failures;
  EXPECT_EQ(killed.results, Json::parse(R"([{"server":"one"},{"server":"two"}])"))
      << killed.results;
  EXPECT_EQ(killed.starts, 3);
  EXPECT_EQ(killed.left, k_nothing);
}

TEST(Mpirun, AServerWithAnAbortedRankFailsOnlyItsOwnPoints) {
  const Killed killed = kill_rank(SIGABRT);
  EXPECT_EQ(killed.done.code, 1) << killed.done.err;
  EXPECT_NE(killed.done.err.find("server_crash: ended with exit status 134"), std::string::npos)
      << killed.done.err;
  EXPECT_EQ(killed.failures, Json::parse(R"([{"class":"server_crash"}])")) << killed.failures;
  EXPECT_EQ(killed.why,
            Json::parse(R"([{"why":"server_crash: ended with exit status 134 while serving"}])"))
      << killed.why;
  EXPECT_EQ(killed.results.size(), 1u) << killed.results;
  EXPECT_EQ(killed.starts, 2);
  EXPECT_EQ(killed.left, k_nothing);
}

class MpirunHeldBy : public ::testing::TestWithParam<system::Containment> {};

// First alone: the server is adopted. Then with its guardians: the next run ends all ranks and
// starts another server.
TEST_P(MpirunHeldBy, TheSweepCompletesAfterTheOrchestratorIsKilledAloneAndWithItsGuardians) {
  if (!system::is_available(GetParam()))
    GTEST_SKIP() << to_string(GetParam()) << " is not available here";
  Ranks ranks(environment(), site_of(GetParam()), "{server: [one], concurrency: [1, 2]}");
  Sweep& sweep = ranks.sweep();
  ranks.close_gate();
  auto run = ranks.start();
  ASSERT_TRUE(ranks.wait_for_prompt(run)) << sweep.finish(run).err;
  const Part first = ranks.server("1"), measured = ranks.measurement();
  ::kill(run.pid, SIGKILL);
  sweep.finish(run);

  run = ranks.start();
  ASSERT_TRUE(ranks.wait_for_another(measured, run)) << sweep.finish(run).err;
  EXPECT_EQ(ranks.server("1").pid, first.pid);
  EXPECT_EQ(Ranks::segments_of(first.token).size(), 2u);
  const std::vector<int> guardians = ranks.guardians();
  EXPECT_GE(guardians.size(), 2u);
  ::kill(run.pid, SIGKILL);
  for (const int guardian : guardians) ::kill(guardian, SIGKILL);
  sweep.finish(run);

  ranks.open_gate();
  const Finished done = ranks.run();
  EXPECT_EQ(done.code, 0) << done.err;
  EXPECT_EQ(sweep.value("select count(*) from results where error_rate = 0"), 2);
  EXPECT_EQ(sweep.value("select sum(attempts) from stages where name = 'serve'"), 2);
  EXPECT_EQ(ranks.left(), k_nothing);
}

INSTANTIATE_TEST_SUITE_P(Containments, MpirunHeldBy,
                         ::testing::Values(system::Containment::session,
                                           system::Containment::pid_namespace,
                                           system::Containment::cgroup),
                         [](const auto& one) {
                           std::string name(to_string(one.param));
                           std::erase(name, '-');
                           return name;
                         });

}  // namespace mpirun_test
}  // namespace orch::e2e
