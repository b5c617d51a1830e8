// One contract suite for both implementations of Files, the real one and the fake.
#include "fakes/memory_files.hpp"
#include "fakes/temp_folder.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

namespace orch::system {
namespace files_test {

namespace fs = std::filesystem;

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

TEST_P(FilesContract, ReplacesATextAndLeavesNoOtherFile) {
  ASSERT_TRUE(files.replace(root + "/a", "one"));
  ASSERT_TRUE(files.replace(root + "/a", "two"));
  EXPECT_EQ(files.read(root + "/a").value(), "two");
  EXPECT_EQ(files.names(root).value(), std::vector<std::string>{"a"});
  EXPECT_FALSE(files.replace(root + "/no/such/a", "x"));
}

TEST_P(FilesContract, CreatesANameOnceAndLeavesNoOtherFile) {
  EXPECT_TRUE(files.create_once(root + "/a", "one").value());
  EXPECT_FALSE(files.create_once(root + "/a", "two").value());
  EXPECT_EQ(files.read(root + "/a").value(), "one");
  EXPECT_EQ(files.names(root).value(), std::vector<std::string>{"a"});
}

TEST_P(FilesContract, AMissingFileIsNotFound) {
  const auto read = files.read(root + "/absent");
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().kind, ErrorKind::not_found);
  EXPECT_EQ(read.error().message, "cannot open " + root + "/absent: No such file or directory");
}

TEST_P(FilesContract, WritingIntoAMissingFolderFails) {
  EXPECT_FALSE(files.write(root + "/no/such/a", "x"));
}

TEST_P(FilesContract, StatDistinguishesFilesFromFolders) {
  ASSERT_TRUE(files.make_folder(root + "/d"));
  ASSERT_TRUE(files.put(root + "/a", "123"));
  const auto file = files.stat(root + "/a"), folder = files.stat(root + "/d");
  ASSERT_TRUE(file && folder);
  EXPECT_TRUE(file->is_regular && !file->is_folder);
  EXPECT_EQ(file->bytes, 3u);
  EXPECT_TRUE(folder->is_folder && !folder->is_regular);
  EXPECT_FALSE(files.stat(root + "/absent"));
}

TEST_P(FilesContract, ReadBlockIsShortOnlyAtTheEndOfTheFile) {
  ASSERT_TRUE(files.put(root + "/a", "12345"));
  EXPECT_EQ(files.read_block(root + "/a", 0, 2).value(), "12");
  EXPECT_EQ(files.read_block(root + "/a", 3, 9).value(), "45");
  EXPECT_EQ(files.read_block(root + "/a", 5, 9).value(), "");
  EXPECT_EQ(files.read_block(root + "/a", 9, 9).value(), "");
  EXPECT_EQ(files.read_block(root + "/absent", 0, 1).error().kind, ErrorKind::not_found);
  EXPECT_EQ(files.read_block(root, 0, 1).error().message, root + " is not a regular file");
}

TEST_P(FilesContract, AppendCreatesAFileAndThenExtendsIt) {
  ASSERT_TRUE(files.append(root + "/a", "one"));
  ASSERT_TRUE(files.append(root + "/a", " two"));
  EXPECT_EQ(files.read(root + "/a").value(), "one two");
  EXPECT_FALSE(files.append(root + "/no/such/a", "x"));
}

TEST_P(FilesContract, AnOpenFileIsCreatedExtendedReadAndCut) {
  const std::string path = root + "/log";
  {
    const auto file = files.open(path);
    ASSERT_TRUE(file.ok());
    EXPECT_EQ(*(*file)->size(), 0u);
    ASSERT_TRUE((*file)->append("one").ok());
    ASSERT_TRUE((*file)->append("two").ok());
    EXPECT_EQ(*(*file)->read(2, 2), "et");
    EXPECT_EQ(*(*file)->read(4, 100), "wo");
    EXPECT_TRUE((*file)->sync().ok());
  }
  const auto again = files.open(path);
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(*(*again)->size(), 6u);
  ASSERT_TRUE((*again)->truncate(4).ok());
  ASSERT_TRUE((*again)->append("!").ok());
  EXPECT_EQ(*files.read(path), "onet!");
  EXPECT_EQ(files.open(root).error().text().find(root) != std::string::npos, true);
}

TEST_P(FilesContract, TellsTheFreeSpace) {
  const auto space = files.free_space(root);
  ASSERT_TRUE(space.ok());
  EXPECT_GT(space->bytes, 0u);
  EXPECT_GT(space->inodes, 0u);
  if (space->total_bytes) {
    EXPECT_GE(space->total_bytes, space->bytes);
  }
}

TEST_P(FilesContract, TruncateKeepsTheBeginning) {
  ASSERT_TRUE(files.put(root + "/a", "12345"));
  ASSERT_TRUE(files.truncate(root + "/a", 2));
  EXPECT_EQ(files.read(root + "/a").value(), "12");
  EXPECT_EQ(files.truncate(root + "/absent", 0).error().message,
            "cannot truncate " + root + "/absent: No such file or directory");
}

TEST_P(FilesContract, SyncAcceptsAFileOrAFolder) {
  ASSERT_TRUE(files.append(root + "/a", "one"));
  EXPECT_TRUE(files.sync(root + "/a"));
  EXPECT_TRUE(files.sync(root));
  EXPECT_EQ(files.sync(root + "/absent").error().kind, ErrorKind::not_found);
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

TEST_P(FilesContract, RenameNeverReplacesAFolder) {
  ASSERT_TRUE(files.make_folder(root + "/from"));
  ASSERT_TRUE(files.make_folder(root + "/to"));
  EXPECT_FALSE(files.rename(root + "/from", root + "/to"));
  EXPECT_TRUE(files.exists(root + "/from"));
}

TEST_P(FilesContract, RemovingAMissingPathSucceeds) {
  ASSERT_TRUE(files.make_folder(root + "/d/e"));
  ASSERT_TRUE(files.put(root + "/d/e/b", "22"));
  EXPECT_TRUE(files.remove_tree(root + "/d"));
  EXPECT_FALSE(files.exists(root + "/d/e/b"));
  EXPECT_TRUE(files.remove_tree(root + "/d"));
}

TEST_P(FilesContract, HashesContents) {
  ASSERT_TRUE(files.put(root + "/a", "abc"));
  LongWork work;
  EXPECT_EQ(files.sha256(root + "/a", work).value().hex(),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST_P(FilesContract, CopiesOneFile) {
  ASSERT_TRUE(files.put(root + "/a", "abc"));
  LongWork work;
  ASSERT_TRUE(files.copy(root + "/a", root + "/b", work));
  EXPECT_EQ(files.read(root + "/b").value(), "abc");
  EXPECT_FALSE(files.copy(root + "/absent", root + "/c", work));
}

// What a hostile stage may put where we read or write.
class Hostile : public ::testing::TestWithParam<std::string> {
 protected:
  Hostile() {
    EXPECT_TRUE(files.put(victim, "precious"));
    if (GetParam() == "pipe") {
      EXPECT_EQ(::mkfifo(path.c_str(), 0600), 0);
    }
    if (GetParam() == "link") fs::create_symlink(victim, path);
    if (GetParam() == "hard_link") fs::create_hard_link(victim, path);
    if (GetParam() == "dangling") fs::create_symlink(root + "/nothing", path);
    if (GetParam() == "folder") {
      fs::create_directories(path + "/below");
      fs::create_symlink(victim, path + "/below/link");
    }
    if (GetParam() == "socket") {
      sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
      path.copy(address.sun_path, sizeof address.sun_path - 1);
      const Descriptor socket(::socket(AF_UNIX, SOCK_STREAM, 0));
      EXPECT_EQ(::bind(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    }
  }
  ~Hostile() override {
    EXPECT_EQ(files.read(victim).value(), "precious");
    EXPECT_FALSE(files.exists(root + "/nothing"));
  }
  void expect_refused(const Status& status) const {
    ASSERT_FALSE(status.ok());
    EXPECT_TRUE(status.error().text().starts_with(path + " is ") ||
                status.error().text().ends_with(path + ": Is a directory"))
        << status.error().text();
  }
  template <class T> void expect_refused(const Result<T>& result) const {
    expect_refused(result.ok() ? Status() : Status(result.error()));
  }
  bool is_hard() const { return GetParam() == "hard_link"; }

  RealBackend backend;
  Files& files = backend.files();
  const std::string root = backend.root(), path = root + "/file", victim = root + "/victim";
};

INSTANTIATE_TEST_SUITE_P(All, Hostile,
                         ::testing::Values("pipe", "link", "hard_link", "dangling", "folder",
                                           "socket"),
                         [](const auto& param) { return param.param; });

TEST_P(Hostile, IsReplacedByPut) {
  ASSERT_TRUE(files.put(path, "ours").ok());
  EXPECT_EQ(files.read_own(path, 100).value(), "ours");
}

TEST_P(Hostile, TemporaryFileIsReplaced) {
  fs::rename(path, path + ".tmp");
  ASSERT_TRUE(files.replace(path, "ours").ok());
  EXPECT_EQ(files.read_own(path, 100).value(), "ours");
  const std::string mine = fmt::format("{}.{}.tmp", path, ::getpid());
  fs::create_symlink(victim, mine);
  ASSERT_TRUE(files.write(path, "again").ok());
  EXPECT_EQ(files.read_own(path, 100).value(), "again");
  EXPECT_FALSE(files.exists(mine));
}

TEST_P(Hostile, TargetIsReplacedUnlessItIsAFolder) {
  EXPECT_EQ(files.replace(path, "ours").ok(), GetParam() != "folder");
  EXPECT_EQ(files.write(path, "ours").ok(), GetParam() != "folder");
}

TEST_P(Hostile, IsReplacedByCopy) {
  ASSERT_TRUE(files.put(root + "/source", "ours"));
  LongWork work;
  ASSERT_TRUE(files.copy(root + "/source", path, work).ok());
  EXPECT_EQ(files.read_own(path, 100).value(), "ours");
}

TEST_P(Hostile, IsNotReadAsOurOwn) {
  if (is_hard()) return;  // a second name of a file is that file
  expect_refused(files.read_own(path, 100));
  expect_refused(files.read_tail(path, 100));
}

TEST_P(Hostile, IsNeitherExtendedNorCut) {
  if (is_hard()) return;  // a second name of a file is that file
  expect_refused(files.append(path, "ours"));
  expect_refused(files.truncate(path, 0));
  expect_refused(files.open(path));
}

TEST_P(Hostile, NeverBlocksAReader) {
  const bool readable = GetParam() == "link" || is_hard();
  EXPECT_EQ(files.read_text(path, 100).ok(), readable);
  EXPECT_EQ(files.read_block(path, 0, 1).ok(), readable);
  LongWork work;
  EXPECT_EQ(files.sha256(path, work).ok(), readable);
  (void)files.sync(path).ok();
  EXPECT_TRUE(files.remove_tree(path).ok());
  EXPECT_FALSE(files.exists(path));
}

TEST(RealFiles, AMoveThatCannotBeMadeDurableIsUndone) {
  RealBackend backend;
  const std::string from = backend.root() + "/from", shut = backend.root() + "/shut";
  constexpr uid_t k_nobody = 65534;
  ASSERT_TRUE(backend.files().make_folder(from + "/d"));
  ASSERT_TRUE(backend.files().make_folder(shut));
  // Names can be made in it, but it cannot be opened for its names to be synced.
  ASSERT_EQ(::chmod(shut.c_str(), 0300), 0);
  const auto attempt = [&] {
    const Status moved = backend.files().rename(from + "/d", shut + "/d");
    return !moved.ok() && moved.error().number == EACCES;
  };
  if (::geteuid() == 0) {
    for (const std::string& path : {backend.root(), from, from + "/d", shut})
      ASSERT_EQ(::chown(path.c_str(), k_nobody, k_nobody), 0);
    const pid_t child = ::fork();
    if (child == 0) ::_exit(::setuid(k_nobody) == 0 && attempt() ? 0 : 1);
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  } else {
    EXPECT_TRUE(attempt());
  }
  EXPECT_TRUE(fs::exists(from + "/d"));
  ASSERT_EQ(::chmod(shut.c_str(), 0700), 0);
  EXPECT_FALSE(fs::exists(shut + "/d"));
}

TEST(RealFiles, ReadTextStopsAtItsLimitAlsoWithoutASize) {
  RealFiles files;
  EXPECT_FALSE(files.read_text("/proc/self/status", 100).ok());
  EXPECT_FALSE(files.read_text("/proc/self/status", 1 << 20).value().empty());
}

// As root, a rename would make /dev/null a file for every program.
TEST(RealFiles, APipeOrADeviceIsNotReplaced) {
  RealBackend backend;
  const std::string pipe = backend.root() + "/pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const Status written = backend.files().write(pipe, "text");
  ASSERT_FALSE(written.ok());
  EXPECT_EQ(written.error().message, pipe + " is a device, pipe or socket, which is not replaced");
  EXPECT_TRUE(fs::is_fifo(pipe));
}

TEST(TemporaryFolder, IsThatOfTheVariable) {
  const char* before = std::getenv("TMPDIR");
  const std::string restored = before ? before : "";
  const fakes::TempFolder folder;
  ::setenv("TMPDIR", folder.path().c_str(), 1);
  EXPECT_EQ(temporary_folder().value(), folder.path().string());
  ::setenv("TMPDIR", folder.file("none").c_str(), 1);
  EXPECT_EQ(temporary_folder().error().message, "temporary files need a folder, and '" +
                                                    folder.file("none") +
                                                    "' is none; set TMPDIR to one");
  if (before) ::setenv("TMPDIR", restored.c_str(), 1);
  else ::unsetenv("TMPDIR");
}

TEST(RealFiles, ALinkIsListedAndNotFollowed) {
  RealBackend backend;
  std::filesystem::create_symlink("/etc", backend.root() + "/link");
  const auto entries = backend.files().list(backend.root());
  ASSERT_EQ(entries->size(), 1u);
  EXPECT_TRUE((*entries)[0].is_link);
}

}  // namespace files_test
}  // namespace orch::system
