#include "fakes/memory_files.hpp"
#include "os/system/file_lock.hpp"

#include <gtest/gtest.h>

namespace orch::system {
namespace lines_test {

// Every line of a file that holds TEXT from OFFSET on; "..." marks a line without its newline.
std::vector<std::string> lines_of(const std::string& text, std::uint64_t offset = 0) {
  fakes::MemoryFiles files;
  EXPECT_TRUE(files.put("/file", text));
  Lines lines(files, "/file", offset);
  std::vector<std::string> out;
  for (std::string line; lines.next(line).value();)
    out.push_back(line + (lines.terminated() ? "" : "..."));
  EXPECT_EQ(lines.position(), text.size());
  return out;
}

using Texts = std::vector<std::string>;

TEST(Lines, AreGivenWithoutTheirNewlines) {
  EXPECT_EQ(lines_of(""), Texts{});
  EXPECT_EQ(lines_of("one\n\ntwo\n"), (Texts{"one", "", "two"}));
  EXPECT_EQ(lines_of("one\ntwo"), (Texts{"one", "two..."}));
}

TEST(Lines, BeginAtAnOffset) { EXPECT_EQ(lines_of("one\ntwo\n", 4), Texts{"two"}); }

TEST(Lines, MaySpanSeveralBlocks) {
  const std::string longest(3'000'000, 'x');
  EXPECT_EQ(lines_of("a\n" + longest + "\nb\n"), (Texts{"a", longest, "b"}));
}

TEST(Lines, OfAMissingFileAreAnError) {
  fakes::MemoryFiles files;
  std::string line;
  EXPECT_EQ(Lines(files, "/absent").next(line).error().kind, ErrorKind::not_found);
}

TEST(Lines, ThatAreTooLongAreAnErrorWithTheFileAndItsSize) {
  fakes::MemoryFiles files;
  ASSERT_TRUE(files.put("/file", "one\n" + std::string(3'000'000, 'x') + "\ntwo\n"));
  Lines lines(files, "/file", 0, 2 << 20);
  std::string line;
  EXPECT_TRUE(lines.next(line).value());
  const auto second = lines.next(line);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().kind, ErrorKind::invalid);
  EXPECT_EQ(second.error().message,
            "/file has 2.9 MiB, and its line at byte 4 is longer than 2.0 MiB");
}

}  // namespace lines_test
}  // namespace orch::system
