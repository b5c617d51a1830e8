#include "os/system/launch.hpp"
#include "os/system/process.hpp"

#include <filesystem>

#include <gtest/gtest.h>

namespace orch::system {
namespace cgroup_test {

TEST(Cgroup, IsNamedByItsTokenBelowTheCgroupOfThisProcess) {
  EXPECT_EQ(cgroup_of(""), "");
  const std::string token = new_token(), folder = cgroup_of(token);
  if (folder.empty()) GTEST_SKIP() << "this host has no cgroup v2";
  EXPECT_TRUE(folder.ends_with("/orchestrate-" + token)) << folder;
  EXPECT_FALSE(cgroup_populated(folder));
}

TEST(Cgroup, IsCreatedEmptyAndRemovedWithItsChildren) {
  if (!is_available(Containment::cgroup))
    GTEST_SKIP() << "no cgroup here: this process may not make one";
  const std::string folder = cgroup_of(new_token());
  ASSERT_TRUE(make_cgroup(folder));
  EXPECT_FALSE(make_cgroup(folder)) << "it exists already";
  std::filesystem::create_directory(folder + "/below");
  EXPECT_FALSE(cgroup_populated(folder));
  remove_cgroup(folder);
  EXPECT_FALSE(std::filesystem::exists(folder));
  remove_cgroup(folder);
}

TEST(Cgroup, CannotBeCreatedOutsideTheCgroupFileSystem) {
  const auto made = make_cgroup("/nowhere/orchestrate-test");
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().text(),
            "cannot make the cgroup /nowhere/orchestrate-test: No such file or directory");
}

}  // namespace cgroup_test
}  // namespace orch::system
