// One launch as its guardian runs it, without the guardian's process.
#include "run/execute/guardian_launch.hpp"

#include "core/base/fields_json.hpp"
#include "fakes/faulty_files.hpp"
#include "fakes/small_disk.hpp"
#include "run/execute/real_executor.hpp"

#include <cerrno>

namespace orch::execute {
namespace guardian_launch_test {

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
  const Launch request = host.launch("test -d $TMPDIR && echo log; exit 7");
  const auto launch = GuardianLaunch::spawn(host.host(), request, system::Containment::session);
  ASSERT_TRUE(launch) << launch.error().text();
  EXPECT_EQ((*launch)->tree().token, request.token);
  EXPECT_GE((*launch)->running_s(), 0);
  const Ended ended = finish(**launch);
  EXPECT_EQ(ended.code, 7);
  EXPECT_EQ(host.read(request.token + "/log"), "log\n");
  const auto recorded = read_exit_record(host.files, request.exit_record, request.token);
  ASSERT_TRUE(recorded);
  EXPECT_EQ(recorded->code, 7);
  EXPECT_FALSE(std::filesystem::exists(request.tmp));
  EXPECT_FALSE(std::filesystem::exists(request.shm_folder));
}

TEST_F(GuardianLaunchTest, RecordsThatProcessesOutlivedTheLeader) {
  const Launch request = host.launch("sleep 1000 & exit 0");
  const auto launch = GuardianLaunch::spawn(host.host(), request, system::Containment::session);
  ASSERT_TRUE(launch) << launch.error().text();
  EXPECT_EQ(finish(**launch).code, 0);
  EXPECT_FALSE(host.is_left(request.token));
  const auto record = from_json_text<ExitRecord>(host.read(request.token + "/exit.json"));
  ASSERT_TRUE(record);
  EXPECT_TRUE(record->left);
}

TEST_F(GuardianLaunchTest, WritesItsDiagnosticsBesideTheLogWithoutSecrets) {
  Launch request = host.launch("sleep 1000 & exit 3");
  request.secrets = {request.token};  // the line about the start repeats it
  const auto launch = GuardianLaunch::spawn(host.host(), request, system::Containment::session,
                                            system::LogLevel::info);
  ASSERT_TRUE(launch) << launch.error().text();
  (*launch)->signal(SIGCONT);
  EXPECT_EQ(finish(**launch).code, 3);
  const std::string text = host.read(request.token + "/log.guardian.log");
  for (const char* words :
       {"spawned [secret]: pid ", "sends CONT to the tree", "status 3, signal 0", "warning ",
        "processes outlived the first one; ending them", "the tree has ended"})
    EXPECT_NE(text.find(words), std::string::npos) << words << "\n" << text;
  EXPECT_EQ(text.find(request.token), std::string::npos) << text;
}

TEST_F(GuardianLaunchTest, WritesNoDiagnosticsUnlessAsked) {
  const Launch request = host.launch("exit 0");
  const auto launch = GuardianLaunch::spawn(host.host(), request, system::Containment::session);
  ASSERT_TRUE(launch) << launch.error().text();
  finish(**launch);
  EXPECT_FALSE(std::filesystem::exists(GuardianLaunch::diagnostics_beside(request.log)));
}

TEST_F(GuardianLaunchTest, TellsThatTheDiskWasFullAtTheEnd) {
  fakes::SmallDisk disk("4m");
  if (!disk.why_not().empty()) GTEST_SKIP() << disk.why_not();
  for (const bool fills : {true, false}) {
    Launch request = host.launch(fills ? "head -c 5000000 /dev/zero > half; exit 3" : "exit 3");
    request.work = disk.path();
    const auto launch = GuardianLaunch::spawn(host.host(), request, system::Containment::session);
    ASSERT_TRUE(launch) << launch.error().text();
    const Ended ended = finish(**launch);
    EXPECT_EQ(ended.code, 3);
    EXPECT_EQ(ended.full_disk, fills ? disk.path() : "");
    EXPECT_EQ(read_exit_record(host.files, request.exit_record, request.token)->full_disk,
              ended.full_disk);
    std::filesystem::remove(disk.file("half"));
  }
}

TEST_F(GuardianLaunchTest, AnEndWithoutAnExitRecordIsToldAndLaterLost) {
  const Launch request = host.launch("exit 3");
  fakes::FaultyFiles full(host.files);
  full.fault = [&](std::string_view verb, const std::string& path) {
    return verb == "replace" && path == request.exit_record
               ? Status(io_error("write", path, ENOSPC))
               : Status();
  };
  const auto launch = GuardianLaunch::spawn({host.processes, full, host.clock}, request,
                                            system::Containment::session);
  ASSERT_TRUE(launch) << launch.error().text();
  EXPECT_EQ(finish(**launch).code, 3);
  EXPECT_FALSE(std::filesystem::exists(request.exit_record));
  EXPECT_EQ(host.executor().recover(request, std::nullopt).fate, Recovered::Fate::lost);
}

TEST_F(GuardianLaunchTest, AFailedSpawnLeavesNoFolders) {
  Launch missing = host.launch(""), empty = host.launch("");
  missing.argv = {"/nowhere/program"};
  empty.argv.clear();
  for (const Launch& request : {missing, empty}) {
    const auto launch = GuardianLaunch::spawn(host.host(), request, system::Containment::session);
    EXPECT_FALSE(launch);
    EXPECT_FALSE(std::filesystem::exists(request.tmp));
    EXPECT_FALSE(std::filesystem::exists(request.shm_folder));
  }
}

}  // namespace guardian_launch_test
}  // namespace orch::execute
