#include "fakes/temp_folder.hpp"
#include "os/system/file_lock.hpp"

#include <fstream>

#include <gtest/gtest.h>

namespace orch::system {
namespace file_stamp_test {

TEST(FileStamp, IsSettledOnceTheClockOfTheFileSystemHasAdvanced) {
  FileStamp stamp{
      .path = "/a", .size = 1, .mtime_ns = 5'000'000'000, .ctime_ns = 7'000'000'000, .inode = 2};
  EXPECT_FALSE(stamp.is_settled(7.05));
  EXPECT_TRUE(stamp.is_settled(7.2));
  stamp.mtime_ns = 9'000'000'000;
  EXPECT_FALSE(stamp.is_settled(7.2)) << "the clock was set back";
}

TEST(FileStamp, DiffersWithTheFile) {
  fakes::TempFolder folder;
  std::ofstream(folder.file("a")) << "x";
  const auto before = FileStamp::of(folder.file("a"));
  ASSERT_TRUE(before.ok());
  EXPECT_EQ(*before, *FileStamp::of(folder.file("a")));
  std::ofstream(folder.file("a")) << "xy";
  EXPECT_NE(*before, *FileStamp::of(folder.file("a")));
  EXPECT_FALSE(FileStamp::of(folder.file("none")).ok());
}

}  // namespace file_stamp_test
}  // namespace orch::system
