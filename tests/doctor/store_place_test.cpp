#include "doctor/store_place.hpp"

#include "doctor/machine_of_scripts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

namespace orch::doctor {
namespace store_place_test {

using testing::HasSubstr;

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
  const Disks disks{.is_shared = [](const std::string&) { return true; },
                    .is_writable = [](const std::string&) { return true; }};
  const auto [section, place] = look_at_store(asking, disks, machine.folder.path());
  EXPECT_EQ(place, std::filesystem::canonical(machine.folder.path()));
  EXPECT_EQ(section.findings.front().level, Level::warning);
  EXPECT_THAT(section.findings.front().what, HasSubstr("rollback journal"));
}

TEST(StorePlace, OfAnotherUserIsMissing) {
  MachineOfScripts machine;
  const Asking asking(machine.world, 20);
  const Disks disks{.is_shared = [](const std::string&) { return false; },
                    .is_writable = [](const std::string&) { return false; }};
  EXPECT_TRUE(look_at_store(asking, disks, machine.folder.path()).section.lacks());
}

TEST(StorePlace, OnAFileServerThatIsDownIsAFinding) {
  MachineOfScripts machine;
  const Asking asking(machine.world, 0.05);
  // The thread that asks stays until the process ends.
  const Disks disks{.is_shared = [](const std::string&) -> bool {
                      for (;;) ::pause();
                    },
                    .is_writable = [](const std::string&) { return true; }};
  const auto [section, place] = look_at_store(asking, disks, machine.folder.path());
  EXPECT_EQ(place, "");
  EXPECT_THAT(lines_of(section), testing::ElementsAre(HasSubstr("gave no answer within 0.05 s")));
}

}  // namespace store_place_test
}  // namespace orch::doctor
