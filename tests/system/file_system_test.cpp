#include "system/file_system.hpp"

#include "fakes/temp_folder.hpp"

#include <gtest/gtest.h>

namespace orch::system {
namespace file_system_test {

TEST(FileSystem, ALocalFolderIsNotOnTheNetworkAndATemporaryOneIsWritable) {
  const fakes::TempFolder folder;
  EXPECT_FALSE(is_on_network("/proc"));
  EXPECT_TRUE(is_writable(folder.path().string()));
}

TEST(FileSystem, AMissingFolderIsNeitherOnTheNetworkNorWritable) {
  EXPECT_FALSE(is_on_network("/no/such/folder"));
  EXPECT_FALSE(is_writable("/no/such/folder"));
}

}  // namespace file_system_test
}  // namespace orch::system
