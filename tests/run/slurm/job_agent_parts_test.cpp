// Launches and probes are those of job_agent_test.cpp.
#include "run/slurm/job_agent_parts.hpp"

#include "fakes/fake_world.hpp"
#include "fakes/faulty_files.hpp"
#include "fakes/temp_folder.hpp"

#include <csignal>
#include <filesystem>

#include <gtest/gtest.h>

namespace orch::slurm {
namespace job_agent_parts_test {

class JobAgentPartsTest : public testing::Test {
 protected:
  JobAgentPartsTest() { std::filesystem::create_directories(agent.attempt(token)); }

  fakes::TempFolder store;
  system::RealFiles real;
  fakes::FaultyFiles files{real};
  fakes::FakeClock clock;
  OrchestratorFiles orchestrator{real, store.path()};
  AgentFiles agent{files, store.path()};
  const std::string token = system::new_token();
};

TEST_F(JobAgentPartsTest, AHeartBeatsEveryTwoSecondsAndHearsOnlyChanges) {
  std::filesystem::create_directories(store.file("slurm"));
  Heartbeat heart(agent, token);
  orchestrator.beat(1);
  EXPECT_TRUE(heart.beat(10));
  EXPECT_EQ(heart.heard_at_s(), 10);
  const std::string first = orchestrator.pulse_of(token);
  EXPECT_FALSE(heart.beat(11.9));
  EXPECT_TRUE(heart.beat(12));
  EXPECT_NE(orchestrator.pulse_of(token), first);
  EXPECT_EQ(heart.heard_at_s(), 10);
  orchestrator.beat(2);
  EXPECT_TRUE(heart.beat(14));
  EXPECT_EQ(heart.heard_at_s(), 14);
}

TEST_F(JobAgentPartsTest, ARecordThatCannotBeWrittenIsTriedAgain) {
  bool is_full = true;
  files.fault = [&](std::string_view verb, const std::string& path) -> Status {
    if (!is_full || verb != "replace") return {};
    return Error{ErrorKind::io, path, {}};
  };
  EndRecords records(agent);
  records.write({.token = token, .code = 3});
  records.write_again();
  EXPECT_FALSE(orchestrator.read_ended(token));
  is_full = false;
  records.write_left(clock);
  ASSERT_TRUE(orchestrator.read_ended(token));
  EXPECT_EQ(orchestrator.read_ended(token)->code, 3);
}

// SIGHUP stays blocked afterwards in this process, as in that of a job.
TEST_F(JobAgentPartsTest, ASignalThatComesLateIsThatOfTheTimeLimit) {
  for (const double near_s : {clock.now_s(), clock.now_s() + 1}) {
    StopSignals stops(clock);
    stops.set_limit(near_s);
    EXPECT_FALSE(stops.read());
    EXPECT_FALSE(stops.have_come());
    ::raise(SIGHUP);
    EXPECT_TRUE(stops.read(0.5));
    EXPECT_TRUE(stops.have_come());
    EXPECT_EQ(stops.are_of_limit(), near_s == clock.now_s());
    EXPECT_FALSE(stops.read()) << "it was read";
  }
}

}  // namespace job_agent_parts_test
}  // namespace orch::slurm
