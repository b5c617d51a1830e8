// Removal of what a hostile stage may leave: mounts, links, closed folders, depth, odd names.
#include "fakes/own_mounts.hpp"
#include "fakes/temp_folder.hpp"
#include "os/system/files/walk.hpp"

#include <fstream>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace orch::system {
namespace removal_test {

namespace fs = std::filesystem;

class Removal : public ::testing::TestWithParam<MountCheck> {
 protected:
  Removal() {
    fs::create_directories(foreign / "below");
    put(foreign / "kept");
    put(foreign / "below" / "kept");
    fs::create_directories(top / "a" / "b");
    put(top / "file");
    put(top / "a" / "file");
  }
  static void put(const fs::path& file) { std::ofstream(file) << "text"; }
  void expect_foreign_untouched() const {
    EXPECT_TRUE(fs::exists(foreign / "kept"));
    EXPECT_TRUE(fs::exists(foreign / "below" / "kept"));
  }
  // That only the mount points POINTS and the folders above them are left.
  void expect_left(const std::set<std::string>& points) const {
    std::set<std::string> left;
    for (fs::recursive_directory_iterator walk(top), end; walk != end; ++walk) {
      const std::string path = walk->path().lexically_relative(top).string();
      if (points.contains(path)) walk.disable_recursion_pending();
      if (points.contains(path) || !walk->is_directory()) left.insert(path);
    }
    EXPECT_EQ(left, points);
  }
  static std::string refusal(const fs::path& point) {
    return "cannot remove " + point.string() +
           ": it is a mount point, and what is mounted there was left alone; unmount it, then "
           "repeat the command";
  }

  fakes::TempFolder folder;
  const fs::path top = folder.path() / "top", foreign = folder.path() / "foreign";
};

std::string name_of(const ::testing::TestParamInfo<MountCheck>& check) {
  if (check.param == MountCheck::openat2) return "openat2";
  if (check.param == MountCheck::mount_id) return "mount_id";
  return check.param == MountCheck::fdinfo ? "fdinfo" : "device";
}

INSTANTIATE_TEST_SUITE_P(Each, Removal,
                         ::testing::Values(MountCheck::openat2, MountCheck::mount_id,
                                           MountCheck::fdinfo, MountCheck::device),
                         name_of);

TEST_P(Removal, TakesAFolderWithEverythingInIt) {
  EXPECT_TRUE(remove_path(top, GetParam()).ok());
  EXPECT_FALSE(fs::exists(top));
  EXPECT_TRUE(remove_path(top, GetParam()).ok());
  EXPECT_TRUE(remove_path(top / "x/y", GetParam()).ok());
}

TEST_P(Removal, DoesNotFollowLinks) {
  fs::create_directory_symlink(foreign, top / "a" / "link");
  fs::create_symlink(foreign / "kept", top / "file-link");
  fs::create_directory_symlink(foreign, folder.path() / "itself");
  EXPECT_TRUE(remove_path(top, GetParam()).ok());
  EXPECT_TRUE(remove_path(folder.file("itself"), GetParam()).ok());
  EXPECT_FALSE(fs::exists(top) || fs::is_symlink(folder.path() / "itself"));
  expect_foreign_untouched();
}

TEST_P(Removal, LeavesABindMountAndRemovesTheRest) {
  ORCH_WITH_OWN_MOUNTS([&] {
    fakes::bind(foreign, top / "a" / "b");
    const Status removed = remove_path(top, GetParam());
    // Devices do not distinguish a bind mount of the same file system.
    if (GetParam() == MountCheck::device) return;
    ASSERT_FALSE(removed.ok());
    EXPECT_EQ(removed.error().text(), refusal(top / "a" / "b"));
    expect_foreign_untouched();
    expect_left({"a/b"});
    ASSERT_EQ(::umount((top / "a" / "b").c_str()), 0);
    EXPECT_TRUE(remove_path(top, GetParam()).ok());
    EXPECT_FALSE(fs::exists(top));
  });
}

TEST_P(Removal, LeavesAnotherFileSystem) {
  ORCH_WITH_OWN_MOUNTS([&] {
    fakes::mount_in_memory(top / "a" / "b");
    put(top / "a" / "b" / "kept");
    const Status removed = remove_path(top, GetParam());
    ASSERT_FALSE(removed.ok());
    EXPECT_EQ(removed.error().text(), refusal(top / "a" / "b"));
    EXPECT_TRUE(fs::exists(top / "a" / "b" / "kept"));
    expect_left({"a/b"});
  });
}

TEST_P(Removal, LeavesAMountedFile) {
  ORCH_WITH_OWN_MOUNTS([&] {
    fakes::bind(foreign / "kept", top / "a" / "file");
    const Status removed = remove_path(top, GetParam());
    ASSERT_FALSE(removed.ok());
    EXPECT_EQ(removed.error().text(), refusal(top / "a" / "file"));
    expect_foreign_untouched();
    expect_left({"a/file"});
  });
}

TEST_P(Removal, DoesNotEmptyAMountPoint) {
  ORCH_WITH_OWN_MOUNTS([&] {
    fakes::mount_in_memory(top);
    put(top / "kept");
    const Status removed = remove_path(top.string() + "/", GetParam());
    ASSERT_FALSE(removed.ok());
    EXPECT_EQ(removed.error().text(), refusal(top));
    EXPECT_TRUE(fs::exists(top / "kept"));
  });
}

TEST_P(Removal, BelowAMountPointIsNoCrossing) {
  ORCH_WITH_OWN_MOUNTS([&] {
    fakes::mount_in_memory(foreign);
    fs::create_directories(foreign / "ours" / "deep");
    put(foreign / "ours" / "deep" / "file");
    EXPECT_TRUE(remove_path(foreign / "ours", GetParam()).ok());
    EXPECT_FALSE(fs::exists(foreign / "ours"));
  });
}

TEST_P(Removal, TakesTenThousandFoldersInOneAnother) {
  // In memory: a disk takes seconds.
  std::string deep = "/dev/shm/orchestrate-test-XXXXXX";
  ASSERT_TRUE(::mkdtemp(deep.data()));
  rlimit few{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &few), 0);
  Descriptor here(::open(deep.c_str(), O_RDONLY | O_DIRECTORY));
  const std::string name(100, 'd');
  for (int depth = 0; depth < 10'000; ++depth) {
    ASSERT_EQ(::mkdirat(here.get(), name.c_str(), 0755), 0);
    here = Descriptor(::openat(here.get(), name.c_str(), O_RDONLY | O_DIRECTORY));
  }
  here = Descriptor();
  const rlimit limited{.rlim_cur = 64, .rlim_max = few.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &limited), 0);
  const Status removed = remove_path(deep, GetParam());
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &few), 0);
  EXPECT_TRUE(removed.ok()) << removed.error().text();
  EXPECT_FALSE(fs::exists(deep));
}

TEST_P(Removal, TakesNamesThatAreNotUtf8) {
  put(top / "\xff\x9b");
  fs::create_directory(top / "\xc2");
  put(top / "\xc2" / "a\nb");
  EXPECT_TRUE(remove_path(top, GetParam()).ok());
  EXPECT_FALSE(fs::exists(top));
}

TEST_P(Removal, OpensFoldersOfThisUserThatAreClosed) {
  fs::create_directories(top / "closed" / "below");
  put(top / "closed" / "below" / "file");
  fs::permissions(top / "closed" / "below", fs::perms::none);
  fs::permissions(top / "closed", fs::perms::owner_exec);
  fs::permissions(top / "a", fs::perms::owner_read);
  if (::geteuid() == 0) {
    // Root has every right: the owner removes it.
    constexpr uid_t k_nobody = 65534;
    for (const fs::path& path :
         {folder.path(), top, top / "a", top / "a" / "b", top / "closed", top / "closed" / "below"})
      ASSERT_EQ(::chown(path.c_str(), k_nobody, k_nobody), 0);
    const pid_t child = ::fork();
    if (child == 0) ::_exit(::setuid(k_nobody) == 0 && remove_path(top, GetParam()).ok() ? 0 : 1);
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  } else {
    EXPECT_TRUE(remove_path(top, GetParam()).ok());
  }
  EXPECT_FALSE(fs::exists(top));
}

TEST_P(Removal, OfAFolderNeedsItsName) {
  for (const std::string path : {"", "/", ".", "..", "a/.."})
    EXPECT_FALSE(remove_path(path, GetParam()).ok()) << path;
}

TEST(Walk, EndsWhenAFolderIsMovedMeanwhile) {
  struct Mover final : Visitor {
    Status file(const Visited& one) override {
      EXPECT_EQ(one.path, "b/file");
      fs::rename(folder.path() / "a" / "b", folder.path() / "elsewhere" / "b");
      return {};
    }
    Status closed(const Visited&, const Error& error) override { return error; }
    Status left(const Visited& one) override {
      ADD_FAILURE() << one.path;
      return {};
    }
    fakes::TempFolder folder;
  } mover;
  fs::create_directories(mover.folder.path() / "a" / "b");
  fs::create_directories(mover.folder.path() / "elsewhere");
  std::ofstream(mover.folder.path() / "a" / "b" / "file") << "text";
  const std::string top = mover.folder.path();
  Descriptor opened(::open((top + "/a").c_str(), O_RDONLY | O_DIRECTORY));
  const Status walked = walk_tree(std::move(opened), mover, {.top = top + "/a"});
  EXPECT_FALSE(walked.ok());
}

}  // namespace removal_test
}  // namespace orch::system
