// One suite for both implementations of Files: what the fake promises, the real one keeps.
#include "fakes/memory_files.hpp"

#include <gtest/gtest.h>

#include <unistd.h>

namespace orch::system {
namespace {

struct Backend {
  virtual ~Backend() = default;
  virtual Files& files() = 0;
  virtual std::string root() = 0;
};

struct RealBackend final : Backend {
  RealBackend() {
    char name[] = "/tmp/orchestrate-files-XXXXXX";
    root_ = ::mkdtemp(name);
  }
  ~RealBackend() override { std::filesystem::remove_all(root_); }
  Files& files() override { return files_; }
  std::string root() override { return root_; }

 private:
  RealFiles files_;
  std::string root_;
};

struct FakeBackend final : Backend {
  FakeBackend() { (void)files_.make_folder("/root").ok(); }
  Files& files() override { return files_; }
  std::string root() override { return "/root"; }

 private:
  fakes::MemoryFiles files_;
};

class FilesContract : public ::testing::TestWithParam<std::string> {
 protected:
  FilesContract()
      : backend_(GetParam() == "real" ? std::unique_ptr<Backend>(std::make_unique<RealBackend>())
                                      : std::make_unique<FakeBackend>()),
        files(backend_->files()),
        root(backend_->root()) {}

 private:
  std::unique_ptr<Backend> backend_;

 protected:
  Files& files;
  std::string root;
};

INSTANTIATE_TEST_SUITE_P(All, FilesContract, ::testing::Values("real", "fake"),
                         [](const auto& param) { return param.param; });

TEST_P(FilesContract, ReadsBackWhatWasWritten) {
  ASSERT_TRUE(files.write(root + "/a", "one"));
  ASSERT_TRUE(files.write(root + "/a", std::string("t\0wo", 4)));
  EXPECT_EQ(files.read(root + "/a").value(), std::string("t\0wo", 4));
  EXPECT_TRUE(files.exists(root + "/a"));
}

TEST_P(FilesContract, AMissingFileIsNotFound) {
  const auto read = files.read(root + "/absent");
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().kind, ErrorKind::not_found);
  EXPECT_EQ(read.error().message, "cannot open " + root + "/absent: No such file or directory");
}

TEST_P(FilesContract, WritingNeedsTheFolder) {
  EXPECT_FALSE(files.write(root + "/no/such/a", "x"));
}

TEST_P(FilesContract, ListsFilesBelowAFolderInOrder) {
  ASSERT_TRUE(files.make_folder(root + "/d/e"));
  ASSERT_TRUE(files.put(root + "/d/e/b", "22"));
  ASSERT_TRUE(files.put(root + "/d/a", "1"));
  const auto entries = files.list(root + "/d");
  ASSERT_TRUE(entries);
  ASSERT_EQ(entries->size(), 2u);
  EXPECT_EQ((*entries)[0].path, "a");
  EXPECT_EQ((*entries)[1].path, "e/b");
  EXPECT_EQ((*entries)[1].bytes, 2u);
}

TEST_P(FilesContract, RenameMovesAWholeFolder) {
  ASSERT_TRUE(files.make_folder(root + "/from/sub"));
  ASSERT_TRUE(files.put(root + "/from/sub/f", "x"));
  ASSERT_TRUE(files.rename(root + "/from", root + "/to"));
  EXPECT_FALSE(files.exists(root + "/from"));
  EXPECT_EQ(files.read(root + "/to/sub/f").value(), "x");
}

TEST_P(FilesContract, RenameNeverReplacesPublishedWork) {
  ASSERT_TRUE(files.make_folder(root + "/from"));
  ASSERT_TRUE(files.make_folder(root + "/to"));
  EXPECT_FALSE(files.rename(root + "/from", root + "/to"));
  EXPECT_TRUE(files.exists(root + "/from"));
}

TEST_P(FilesContract, RemovingWhatIsNotThereIsFine) {
  ASSERT_TRUE(files.make_folder(root + "/d/e"));
  ASSERT_TRUE(files.put(root + "/d/e/b", "22"));
  EXPECT_TRUE(files.remove_tree(root + "/d"));
  EXPECT_FALSE(files.exists(root + "/d/e/b"));
  EXPECT_TRUE(files.remove_tree(root + "/d"));
}

TEST_P(FilesContract, HashesContents) {
  ASSERT_TRUE(files.put(root + "/a", "abc"));
  EXPECT_EQ(files.sha256(root + "/a").value().hex(),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST_P(FilesContract, CopiesOneFile) {
  ASSERT_TRUE(files.put(root + "/a", "abc"));
  ASSERT_TRUE(files.copy(root + "/a", root + "/b"));
  EXPECT_EQ(files.read(root + "/b").value(), "abc");
  EXPECT_FALSE(files.copy(root + "/absent", root + "/c"));
}

TEST(RealFiles, ALinkIsListedAsOneAndNotFollowed) {
  RealBackend backend;
  std::filesystem::create_symlink("/etc", backend.root() + "/link");
  const auto entries = backend.files().list(backend.root());
  ASSERT_EQ(entries->size(), 1u);
  EXPECT_TRUE((*entries)[0].is_link);
}

}  // namespace
}  // namespace orch::system
