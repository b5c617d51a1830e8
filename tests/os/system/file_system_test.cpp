#include "fakes/temp_folder.hpp"
#include "os/system/files.hpp"

#include <gtest/gtest.h>

namespace orch::system {
namespace file_system_test {

TEST(FileSystem, OnThatSeveralHostsMayUseIsKnownByItsType) {
  // The numbers of statfs(2).
  const std::pair<std::uint32_t, const char*> shared[] = {
      {0x6969, "NFS"},        {0xfe534d42, "SMB"},  {0xff534d42, "CIFS"},
      {0x0bd00bd0, "Lustre"}, {0x47504653, "GPFS"}, {0x19830326, "BeeGFS"},
      {0x00c36400, "CephFS"}, {0x01021997, "9P"},   {0x65735546, "FUSE"}};
  for (const auto& [type, name] : shared) {
    EXPECT_TRUE(file_system_of(type).is_shared) << name;
    EXPECT_EQ(file_system_of(type).name, name);
  }
  const std::uint32_t local[] = {0xef53 /* ext4 */, 0x58465342 /* XFS */, 0x9123683e /* Btrfs */,
                                 0x01021994 /* tmpfs */, 0x794c7630 /* overlay */};
  for (const std::uint32_t type : local) EXPECT_FALSE(file_system_of(type).is_shared) << type;
}

TEST(FileSystem, ALocalFolderIsNotSharedAndATemporaryOneIsWritable) {
  const fakes::TempFolder folder;
  EXPECT_FALSE(RealFiles().file_system("/proc").is_shared);
  EXPECT_TRUE(is_writable(folder.path().string()));
}

TEST(FileSystem, AMissingFolderIsNeitherSharedNorWritable) {
  EXPECT_FALSE(RealFiles().file_system("/no/such/folder").is_shared);
  EXPECT_FALSE(is_writable("/no/such/folder"));
}

}  // namespace file_system_test
}  // namespace orch::system
