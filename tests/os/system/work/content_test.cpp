#include "fakes/temp_folder.hpp"
#include "os/system/files.hpp"
#include "os/system/work/long_work.hpp"

#include <fstream>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

namespace orch::system {
namespace content_test {

class Content : public testing::Test {
 protected:
  // A file with TEXT at OFFSET, a hole before it and, up to SIZE, one after it.
  std::string sparse(const std::string& name, off_t offset, const std::string& text, off_t size) {
    const std::string path = folder.file(name);
    const Descriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0640));
    EXPECT_EQ(::pwrite(file.get(), text.data(), text.size(), offset),
              static_cast<ssize_t>(text.size()));
    EXPECT_EQ(::ftruncate(file.get(), size), 0);
    return path;
  }
  static std::string read(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  static off_t allocated_bytes(const std::string& path) {
    struct stat status {};
    EXPECT_EQ(::stat(path.c_str(), &status), 0);
    return status.st_blocks * 512;
  }

  fakes::TempFolder folder;
  RealFiles files;
  LongWork work;
};

TEST_F(Content, TheDigestOfASparseFileIsThatOfItsZeros) {
  static constexpr off_t k_mb = 1 << 20;
  const std::string text(3 * k_mb + 17, 'x');
  for (const auto& [offset, size] : std::vector<std::pair<off_t, off_t>>{
           {0, 3 * k_mb + 17}, {0, 8 * k_mb + 1}, {2 * k_mb, 9 * k_mb}, {5 * k_mb + 3, 9 * k_mb}}) {
    const std::string path = sparse(fmt::format("{}-{}", offset, size), offset, text, size);
    LongWork one;
    const auto digest = files.sha256(path, one);
    ASSERT_TRUE(digest) << digest.error().message;
    EXPECT_EQ(*digest, orch::sha256(read(path))) << offset << " " << size;
    EXPECT_EQ(one.done_bytes(), static_cast<std::uint64_t>(size));
  }
}

TEST_F(Content, AnEmptyFileHasADigestToo) {
  EXPECT_EQ(files.sha256(sparse("empty", 0, "", 0), work).value(), orch::sha256(""));
}

TEST_F(Content, HashingEndsOnRequest) {
  const std::string path = sparse("large", 0, "x", off_t{1} << 35);
  work.stop();
  const auto digest = files.sha256(path, work);
  ASSERT_FALSE(digest);
  EXPECT_EQ(digest.error().kind, ErrorKind::interrupted);
}

TEST_F(Content, AFileOfHolesThatWouldTakeHoursToHashIsRefused) {
  const std::string path = sparse("holes", 1 << 20, "x", off_t{1} << 40);
  EXPECT_EQ(files.sha256(path, work).error().message,
            path +
                " has 1.0 TiB, of which 1024.0 GiB were never written (holes); at most 64.0 GiB of "
                "holes are hashed; write the file without holes");
  EXPECT_EQ(work.done_bytes(), 0u);
}

TEST_F(Content, ACopyHasTheContentTheModeAndTheHoles) {
  const std::string from = sparse("from", 5 << 20, "text", off_t{1} << 38), to = folder.file("to");
  ASSERT_TRUE(files.put(to, "something longer than before"));
  const Status copied = files.copy(from, to, work);
  ASSERT_TRUE(copied) << copied.error().message;
  struct stat status {};
  ASSERT_EQ(::stat(to.c_str(), &status), 0);
  EXPECT_EQ(status.st_size, off_t{1} << 38);
  EXPECT_EQ(status.st_mode & 07777, 0640u);
  EXPECT_EQ(files.read_block(to, 5 << 20, 4).value(), "text");
  EXPECT_EQ(files.read_block(to, 0, 9).value(), std::string(9, '\0'));
  EXPECT_LE(allocated_bytes(to), 1 << 20);
  EXPECT_EQ(work.done_bytes(), std::uint64_t{1} << 38);
}

TEST_F(Content, CopyingEndsOnRequestAndRefusesWhatIsNoFile) {
  const std::string from = sparse("from", 0, "x", off_t{1} << 42);
  EXPECT_EQ(files.copy(folder.path().string(), folder.file("to"), work).error().message,
            folder.path().string() + " is not a regular file");
  work.stop();
  EXPECT_EQ(files.copy(from, folder.file("to"), work).error().kind, ErrorKind::interrupted);
}

// As files of /proc, whose size is 0 whatever they hold.
TEST_F(Content, AFileOfNoSizeIsReadToItsEnd) {
  const auto digest = files.sha256("/proc/self/limits", work);
  ASSERT_TRUE(digest) << digest.error().message;
  EXPECT_EQ(*digest, orch::sha256(read("/proc/self/limits")));
}

}  // namespace content_test
}  // namespace orch::system
