// What the commands share that read a store: output to a file that a user named, and checks.
#include "app/cli/reading.hpp"

#include "results/store/sample.hpp"

#include <filesystem>
#include <fstream>
#include <thread>

#include <gtest/gtest.h>
#include <sys/stat.h>

namespace orch::cli {
namespace reading_test {

namespace fs = std::filesystem;

std::string text_of(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(WriteOutput, ReplacesAFileAndWhatALinkNames) {
  const sample::TemporaryFolder folder;
  const fs::path file = folder.path() / "page.html", link = folder.path() / "link";
  ASSERT_TRUE(write_output(file.string(), "one").ok());
  EXPECT_EQ(text_of(file), "one");
  fs::create_symlink(file, link);
  ASSERT_TRUE(write_output(link.string(), "two").ok());
  EXPECT_EQ(text_of(file), "two");
  EXPECT_TRUE(fs::is_symlink(link));
}

TEST(WriteOutput, WritesToAPipeAndADeviceThatStayWhatTheyAre) {
  const sample::TemporaryFolder folder;
  const fs::path link = folder.path() / "null", pipe = folder.path() / "pipe";
  fs::create_symlink("/dev/null", link);
  ASSERT_TRUE(write_output(link.string(), "text").ok());
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  std::string read;
  std::thread reader([&] { read = text_of(pipe); });
  EXPECT_TRUE(write_output(pipe.string(), "text").ok());
  reader.join();
  EXPECT_EQ(read, "text");
  EXPECT_TRUE(fs::is_fifo(pipe));
}

TEST(Checks, RefuseWhatIsNoNumberInTheLimitsAndAnEmptyText) {
  EXPECT_EQ(number_in(0, 2)("1.5"), "");
  for (const char* text : {"nan", "inf", "-1", "3", "", "x"})
    EXPECT_NE(number_in(0, 2)(text), "") << text;
  EXPECT_EQ(not_empty("--gate")("1"), "");
  EXPECT_EQ(not_empty("--gate")(""), "it is empty; write an SQL predicate, or leave --gate out");
}

}  // namespace reading_test
}  // namespace orch::cli
