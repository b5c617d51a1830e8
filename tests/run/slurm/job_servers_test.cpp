#include "fakes/fake_world.hpp"
#include "fakes/temp_folder.hpp"
#include "run/slurm/server_ranks.hpp"

#include <filesystem>

#include <gtest/gtest.h>

namespace orch::slurm {
namespace job_servers_test {

using attempt::Health;

class JobReadinessTest : public testing::Test {
 protected:
  JobReadinessTest() { std::filesystem::create_directories(files.attempt(token)); }

  fakes::TempFolder store;
  system::RealFiles real;
  OrchestratorFiles files{real, store.path()};
  AgentFiles agent{real, store.path()};
  const std::string token = system::new_token();
  fakes::FakeClock clock;
  JobReadiness readiness{files, clock};
};

TEST_F(JobReadinessTest, HandsTheProbeToTheAgentAndItsReportBack) {
  attempt::Probe probe;
  probe.get = {"http://127.0.0.1:{port:http}/v2/health/ready"};
  probe.timeout_s = 30;
  probe.smoke = {"http://127.0.0.1:{port:http}/generate"};
  probe.smoke_body = "{}";
  probe.identity.authorization = "Bearer key";
  probe.identity.urls = {"http://host/v1/models"};
  probe.identity.without = {"created"};
  probe.says = "{\"id\": 1}";
  readiness.watch(token, probe);
  const std::string path = files.attempt(token) + "/probe.json";
  EXPECT_EQ(std::filesystem::status(path).permissions() & std::filesystem::perms(0077),
            std::filesystem::perms::none);
  const auto read = agent.take_probe(token);
  ASSERT_TRUE(read);
  EXPECT_FALSE(std::filesystem::exists(path)) << "it holds a key";
  EXPECT_EQ(read->get, probe.get);
  EXPECT_EQ(read->timeout_s, 30);
  EXPECT_EQ(read->smoke, probe.smoke);
  EXPECT_EQ(read->smoke_body, "{}");
  EXPECT_EQ(read->identity.authorization, "Bearer key");
  EXPECT_EQ(read->identity.urls, probe.identity.urls);
  EXPECT_EQ(read->identity.without, probe.identity.without);
  EXPECT_EQ(read->says, probe.says);

  EXPECT_EQ(readiness.report(token).health, Health::pending);
  clock.time_s += 1;
  attempt::HealthReport report;
  report.health = Health::failed;
  report.why = "it answered 503";
  report.failure = attempt::FailureClass::server_changed;
  ASSERT_TRUE(agent.write_health(token, report));
  EXPECT_EQ(readiness.report(token).health, Health::failed);
  EXPECT_EQ(readiness.report(token).why, "it answered 503");
  EXPECT_EQ(readiness.report(token).failure, attempt::FailureClass::server_changed);
  readiness.watch(token, probe);
  EXPECT_FALSE(std::filesystem::exists(path)) << "nobody would take it";
}

// The folder is on a file system that many hosts share, and a job may wait for hours.
TEST_F(JobReadinessTest, LooksForAReportAtMostFiveTimesASecond) {
  attempt::HealthReport ready;
  ready.health = Health::ready;
  EXPECT_EQ(readiness.report(token).health, Health::pending);
  ASSERT_TRUE(agent.write_health(token, ready));
  clock.time_s += 0.1;
  EXPECT_EQ(readiness.report(token).health, Health::pending);
  clock.time_s += 0.11;
  EXPECT_EQ(readiness.report(token).health, Health::ready);
  EXPECT_EQ(readiness.report(token).health, Health::ready);
}

TEST_F(JobReadinessTest, TellsHowLongTheServerTookOnItsNode) {
  attempt::HealthReport report;
  report.health = Health::ready;
  report.start_s = 61.5;
  ASSERT_TRUE(agent.write_health(token, report));
  EXPECT_EQ(readiness.report(token).start_s, 61.5);
}

TEST_F(JobReadinessTest, AnAgentThatCannotBeAskedIsAFailure) {
  std::filesystem::remove_all(files.attempt(token));
  readiness.watch(token, {});
  EXPECT_EQ(readiness.report(token).health, Health::failed);
  EXPECT_EQ(readiness.report(token).failure, attempt::FailureClass::io_error);
}

TEST_F(JobReadinessTest, TakesAFileThatIsNoReportForNone) {
  ASSERT_TRUE(real.write(files.attempt(token) + "/health.json", "{\"ready\": \"yes\"}"));
  EXPECT_EQ(readiness.report(token).health, Health::pending);
}

TEST(JobPorts, AreChosenOnTheNode) {
  JobPorts ports;
  const auto leases = ports.lease(2);
  ASSERT_TRUE(leases);
  ASSERT_EQ(leases->size(), 2u);
  EXPECT_EQ(leases->front().port(), 0);
}

}  // namespace job_servers_test
}  // namespace orch::slurm
