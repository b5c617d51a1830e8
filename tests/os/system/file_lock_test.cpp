#include "os/system/file_lock.hpp"

#include "fakes/temp_folder.hpp"

#include <gtest/gtest.h>

namespace orch::system {
namespace file_lock_test {

TEST(FileLock, HoldsAFileUntilItIsDestroyed) {
  const fakes::TempFolder folder;
  const std::string file = (folder.path() / "lock").string();
  EXPECT_FALSE(FileLock::is_held(file));
  {
    const auto first = FileLock::try_file(file);
    ASSERT_TRUE(first && *first);
    EXPECT_TRUE(FileLock::is_held(file));
    const auto second = FileLock::try_file(file);
    ASSERT_TRUE(second);
    EXPECT_FALSE(*second);
  }
  EXPECT_FALSE(FileLock::is_held(file));
}

TEST(FileLock, HoldsAFolderThatExists) {
  const fakes::TempFolder folder;
  const auto first = FileLock::try_folder(folder.path().string());
  ASSERT_TRUE(first && *first);
  EXPECT_FALSE(FileLock::try_folder(folder.path().string()).value());
  EXPECT_EQ(FileLock::try_folder((folder.path() / "absent").string()).error().kind,
            ErrorKind::not_found);
}

}  // namespace file_lock_test
}  // namespace orch::system
