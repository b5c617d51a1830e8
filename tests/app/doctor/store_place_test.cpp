#include "app/doctor/machine_of_scripts.hpp"
#include "app/doctor/this_machine.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace orch::doctor {
namespace store_place_test {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

bool is_shared(const std::string&) { return true; }
bool is_local(const std::string&) { return false; }

constexpr const char* k_mounts =
    "22 1 8:1 / / rw shared:1 - ext4 /dev/sda1 rw\n"
    "30 22 0:40 / /data rw - nfs4 server:/data rw\n"
    "31 30 0:41 / /data/my\\040disk rw - xfs /dev/sdb rw\n";

TEST(FileSystem, IsThatOfTheDeepestMountAboveAFolder) {
  EXPECT_EQ(file_system_of(k_mounts, "/home/me"), "ext4");
  EXPECT_EQ(file_system_of(k_mounts, "/data/results"), "nfs4");
  EXPECT_EQ(file_system_of(k_mounts, "/database"), "ext4");
  EXPECT_EQ(file_system_of(k_mounts, "/data/my disk/x"), "xfs");
  EXPECT_EQ(file_system_of("", "/"), "");
}

TEST(ExistingFolder, IsTheNearestAboveOneThatIsStillToBeMade) {
  const fakes::TempFolder folder;
  const std::string here = std::filesystem::canonical(folder.path()).string();
  EXPECT_EQ(existing_folder(here + "/a/b"), here);
  EXPECT_EQ(existing_folder(here), here);
}

TEST(StorePlace, SaysWhatANetworkFileSystemMeans) {
  MachineOfScripts machine;
  const Asking asking(machine.world, 20);
  const auto [section, place] = look_at_store(asking, is_shared, machine.folder.path(), false);
  EXPECT_EQ(place, std::filesystem::canonical(machine.folder.path()));
  EXPECT_EQ(section.findings.front().level, Level::warning);
  EXPECT_THAT(section.findings.front().what, HasSubstr("rollback journal"));
}

TEST(StorePlace, OnANetworkFileSystemIsWhatSlurmNeeds) {
  MachineOfScripts machine;
  const Asking asking(machine.world, 20);
  const Finding finding =
      look_at_store(asking, is_shared, machine.folder.path(), true).section.findings.front();
  EXPECT_EQ(finding.level, Level::ok);
  EXPECT_THAT(finding.what, HasSubstr("rollback journal"));
  EXPECT_EQ(finding.remedy, "");
}

TEST(StorePlace, ThatIsStillToBeMadeIsNamedWithTheFolderThatItWillBeIn) {
  MachineOfScripts machine;
  const Asking asking(machine.world, 20);
  const std::string here = std::filesystem::canonical(machine.folder.path()).string();
  const auto [section, place] = look_at_store(asking, is_local, here + "/a/b", false);
  EXPECT_EQ(place, here);
  EXPECT_THAT(lines_of(section),
              testing::Contains(testing::AllOf(StartsWith("ok " + here +
                                                          "/a/b (does not exist yet) "
                                                          "would be on "),
                                               EndsWith(", in " + here))));
  EXPECT_TRUE(std::filesystem::is_empty(here)) << "what was written is removed";
}

// Not even root may create a file there, and rights do not show it.
TEST(StorePlace, WhereNoFileCanBeCreatedIsMissing) {
  MachineOfScripts machine;
  const Asking asking(machine.world, 20);
  const auto [section, place] = look_at_store(asking, is_local, "/proc/nothing", false);
  EXPECT_THAT(
      lines_of(section),
      testing::ElementsAre(StartsWith("missing nothing can be written into /proc: "),
                           "ok /proc/nothing (does not exist yet) would be on proc, in /proc",
                           "ok the file system reports no size"));
}

TEST(StorePlace, OnAFileServerThatIsDownIsAFinding) {
  if (const auto why = why_no_thread_may_stay(); !why.empty()) GTEST_SKIP() << why;
  MachineOfScripts machine;
  const Asking asking(machine.world, 0.05);
  // The thread that asks stays until the process ends.
  const auto waits = [](const std::string&) -> bool {
    for (;;) ::pause();
  };
  const auto [section, place] = look_at_store(asking, waits, machine.folder.path(), false);
  EXPECT_EQ(place, "");
  EXPECT_THAT(lines_of(section), testing::ElementsAre(HasSubstr("gave no answer within 0.05 s")));
}

}  // namespace store_place_test
}  // namespace orch::doctor
