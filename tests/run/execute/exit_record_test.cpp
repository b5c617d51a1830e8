#include "run/execute/exit_record.hpp"

#include "core/base/fields_json.hpp"
#include "fakes/memory_files.hpp"
#include "run/execute/guardian_fixture.hpp"

namespace orch::execute {
namespace exit_record_test {

TEST_F(GuardianTest, ARecordOfAnotherBootIsIgnored) {
  const Launch launch = host.launch("exit 0");
  const ExitRecord record{.ended = {.token = launch.token, .code = 0},
                          .containment = system::Containment::session,
                          .boot_id = "another"};
  ASSERT_TRUE(host.files.replace(launch.exit_record, to_json_text(record)));
  EXPECT_EQ(host.executor().recover(launch, std::nullopt).fate, Recovered::Fate::lost);
  ExitRecord current = record;
  current.boot_id = system::boot_id();
  ASSERT_TRUE(host.files.replace(launch.exit_record, to_json_text(current)));
  EXPECT_EQ(host.executor().recover(launch, std::nullopt).fate, Recovered::Fate::ended);
}

TEST(ExitRecord, ComesBackUnchanged) {
  const ExitRecord record{.ended = {.token = "o1",
                                    .code = 7,
                                    .signal = 0,
                                    .wall_s = 1.5,
                                    .cpu_s = 0.25,
                                    .max_rss_bytes = 4096,
                                    .oom_killed = true,
                                    .abandoned = true,
                                    .log_error = ENOSPC,
                                    .full_disk = "/store/work"},
                          .containment = system::Containment::cgroup,
                          .boot_id = "b",
                          .left = true};
  const auto read = from_json_text<ExitRecord>(to_json_text(record));
  ASSERT_TRUE(read);
  EXPECT_EQ(to_json_text(*read), to_json_text(record));
  EXPECT_EQ(read->ended.code, 7);
  EXPECT_EQ(read->ended.log_error, ENOSPC);
  EXPECT_EQ(read->ended.full_disk, "/store/work");
  for (const char* other : {"", "{}", "[]", "null", R"({"token":1})"})
    EXPECT_FALSE(from_json_text<ExitRecord>(other)) << other;
}

TEST(ExitRecord, OfAnOlderVersionIsRead) {
  const auto read = from_json_text<ExitRecord>(
      R"({"token":"o1","code":7,"signal":0,"wall_s":1.5,"cpu_s":0.25,"max_rss_bytes":4096,)"
      R"("oom_killed":false,"abandoned":false,"containment":"session","boot_id":"b","left":false})");
  ASSERT_TRUE(read);
  EXPECT_EQ(read->ended.code, 7);
  EXPECT_EQ(read->ended.log_error, 0);
  EXPECT_EQ(read->ended.full_disk, "");
}

TEST(ExitRecord, OfAnotherTokenIsIgnored) {
  fakes::MemoryFiles files;
  const ExitRecord record{.ended = {.token = "o1", .code = 3},
                          .containment = system::Containment::session,
                          .boot_id = system::boot_id()};
  files.files["/exit.json"] = to_json_text(record);
  ASSERT_TRUE(read_exit_record(files, "/exit.json", "o1"));
  EXPECT_EQ(read_exit_record(files, "/exit.json", "o1")->code, 3);
  EXPECT_FALSE(read_exit_record(files, "/exit.json", "o2"));
  EXPECT_FALSE(read_exit_record(files, "/absent.json", "o1"));
  EXPECT_FALSE(read_exit_record(files, "", "o1"));
}

TEST(Leftovers, AreTheFoldersAndSharedMemoryOfTheLaunchAlone) {
  fakes::MemoryFiles files;
  system::RealHost host;
  for (const char* folder : {"/tmp/o1", "/dev/shm/o1"}) ASSERT_TRUE(files.make_folder(folder));
  files.files = {{"/tmp/o1/a", ""}, {"/dev/shm/o1-x", ""}, {"/dev/shm/o2-x", ""}};
  Launch launch;
  launch.tmp = "/tmp/o1";
  launch.shm_folder = "/dev/shm/o1";
  launch.shm_prefix = "o1-";
  EXPECT_TRUE(remove_leftovers({host.processes, files, host.clock}, launch).ok());
  EXPECT_FALSE(files.exists("/tmp/o1"));
  EXPECT_FALSE(files.exists("/dev/shm/o1"));
  ASSERT_EQ(files.files.size(), 1u);
  EXPECT_TRUE(files.exists("/dev/shm/o2-x"));
}

}  // namespace exit_record_test
}  // namespace orch::execute
