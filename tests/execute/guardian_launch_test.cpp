// One launch as its guardian runs it, without the guardian's process.
#include "execute/guardian_launch.hpp"

#include "execute/real_executor.hpp"

namespace orch::execute {
namespace {

class GuardianLaunchTest : public ::testing::Test {
 protected:
  // Waits until the leader exits, and finishes the launch.
  Ended finish(GuardianLaunch& launch) {
    while (!launch.has_exited())
      for (const system::Exit& exit : host.processes.wait(1))
        if (launch.is_leader(exit)) launch.record_exit(exit);
    std::optional<Ended> ended;
    while (!ended) ended = launch.finish(false);
    return *ended;
  }

  RealHost host;
};

TEST_F(GuardianLaunchTest, RecordsTheExitAndRemovesItsFolders) {
  const Launch asked = host.launch("test -d $TMPDIR && echo log; exit 7");
  const auto launch = GuardianLaunch::spawn(host.host(), asked, system::Containment::session);
  ASSERT_TRUE(launch) << launch.error().text();
  EXPECT_EQ((*launch)->tree().token, asked.token);
  EXPECT_GE((*launch)->running_s(), 0);
  const Ended ended = finish(**launch);
  EXPECT_EQ(ended.code, 7);
  EXPECT_EQ(host.read(asked.token + "/log"), "log\n");
  const auto recorded = read_exit_record(host.files, asked.exit_record, asked.token);
  ASSERT_TRUE(recorded);
  EXPECT_EQ(recorded->code, 7);
  EXPECT_FALSE(std::filesystem::exists(asked.tmp));
  EXPECT_FALSE(std::filesystem::exists(asked.shm_folder));
}

TEST_F(GuardianLaunchTest, RecordsThatProcessesOutlivedTheLeader) {
  const Launch asked = host.launch("sleep 1000 & exit 0");
  const auto launch = GuardianLaunch::spawn(host.host(), asked, system::Containment::session);
  ASSERT_TRUE(launch) << launch.error().text();
  EXPECT_EQ(finish(**launch).code, 0);
  EXPECT_FALSE(host.is_left(asked.token));
  const auto record = parse_exit_record(host.read(asked.token + "/exit.json"));
  ASSERT_TRUE(record);
  EXPECT_TRUE(record->left);
}

TEST_F(GuardianLaunchTest, AFailedSpawnLeavesNoFolders) {
  Launch missing = host.launch(""), empty = host.launch("");
  missing.argv = {"/nowhere/program"};
  empty.argv.clear();
  for (const Launch& asked : {missing, empty}) {
    const auto launch = GuardianLaunch::spawn(host.host(), asked, system::Containment::session);
    EXPECT_FALSE(launch);
    EXPECT_FALSE(std::filesystem::exists(asked.tmp));
    EXPECT_FALSE(std::filesystem::exists(asked.shm_folder));
  }
}

}  // namespace
}  // namespace orch::execute
