#include "fakes/temp_folder.hpp"
#include "os/system/files/walk.hpp"

#include <filesystem>

#include <gtest/gtest.h>
#include <unistd.h>

namespace orch::system {
namespace private_folder_test {

TEST(PrivateFolder, IsOneOfThisUserThatOthersCannotWriteTo) {
  const fakes::TempFolder folder;
  EXPECT_TRUE(check_private(folder.path().string()));
  std::filesystem::permissions(folder.path(), std::filesystem::perms::all);
  const Status open = check_private(folder.path().string());
  ASSERT_FALSE(open);
  EXPECT_NE(open.error().message.find("writable by every user"), std::string::npos);
  EXPECT_FALSE(check_private(folder.file("missing")));
}

TEST(PrivateFolder, OfAnotherUserIsRefused) {
  const fakes::TempFolder folder;
  if (::chown(folder.path().c_str(), 65534, 65534) != 0) GTEST_SKIP() << "only root can test this";
  const Status other = check_private(folder.path().string());
  ASSERT_FALSE(other);
  EXPECT_NE(other.error().message.find("another user (uid 65534)"), std::string::npos);
}

}  // namespace private_folder_test
}  // namespace orch::system
