// The diagnostics of a process: which lines are written, and what a full disk does to them.
#include "os/system/diagnostics.hpp"

#include "fakes/temp_folder.hpp"

#include <csignal>
#include <fstream>
#include <sstream>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

namespace orch::system {
namespace diagnostics_test {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::MatchesRegex;

class DiagnosticsTest : public ::testing::Test {
 protected:
  std::unique_ptr<Diagnostics> open(LogLevel level) {
    return open_diagnostics(
        {.path = folder.file("d.log"), .level = level, .most_bytes = 1 << 20, .kept = 1});
  }
  std::vector<std::string> lines(const std::string& name = "d.log") const {
    std::ifstream file(folder.file(name));
    std::vector<std::string> all;
    for (std::string line; std::getline(file, line);) all.push_back(line);
    return all;
  }

  fakes::TempFolder folder;
};

TEST_F(DiagnosticsTest, ALineHasItsTimeLevelAndProcess) {
  open(LogLevel::info)->log(LogLevel::warning, "{} of {}", 1, 2);
  EXPECT_THAT(lines(),
              ElementsAre(MatchesRegex("[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}\\.[0-9]{3}Z warning " +
                                       std::to_string(::getpid()) + " 1 of 2")));
}

TEST_F(DiagnosticsTest, OnlyTheChosenLevelsAreWritten) {
  const auto diagnostics = open(LogLevel::warning);
  diagnostics->log(LogLevel::error, "an error");
  diagnostics->log(LogLevel::info, "a decision");
  diagnostics->write(LogLevel::debug, "a request");
  EXPECT_THAT(lines(), ElementsAre(EndsWith(" an error")));
  EXPECT_FALSE(diagnostics->shows(LogLevel::info));
}

TEST_F(DiagnosticsTest, OffMakesNoFile) {
  open(LogLevel::off)->log(LogLevel::error, "lost");
  EXPECT_FALSE(std::filesystem::exists(folder.file("d.log")));
}

TEST_F(DiagnosticsTest, AFileThatCannotBeOpenedIsNoError) {
  const auto diagnostics =
      open_diagnostics({.path = folder.path().string(), .level = LogLevel::info});
  diagnostics->log(LogLevel::error, "lost");
  EXPECT_EQ(diagnostics->level(), LogLevel::off);
}

TEST_F(DiagnosticsTest, ALinkOrAPipeAtItsPlaceIsReplaced) {
  std::ofstream(folder.file("foreign")) << "precious";
  std::filesystem::create_symlink(folder.file("foreign"), folder.file("d.log"));
  open(LogLevel::info)->log(LogLevel::info, "one");
  EXPECT_THAT(lines(), ElementsAre(EndsWith(" one")));
  EXPECT_THAT(lines("foreign"), ElementsAre("precious"));
  std::filesystem::remove(folder.file("d.log"));
  ASSERT_EQ(::mkfifo(folder.file("d.log").c_str(), 0600), 0);
  open(LogLevel::info)->log(LogLevel::info, "two");
  EXPECT_THAT(lines(), ElementsAre(EndsWith(" two")));
}

TEST_F(DiagnosticsTest, ALineIsOneLineWithoutSecrets) {
  const auto diagnostics = open_diagnostics({.path = folder.file("d.log"),
                                             .level = LogLevel::info,
                                             .most_bytes = 1 << 20,
                                             .kept = 1,
                                             .redact = [](std::string line) {
                                               const auto at = line.find("hunter2");
                                               if (at != std::string::npos)
                                                 line.replace(at, 7, "[secret]");
                                               return line;
                                             }});
  diagnostics->write(LogLevel::info, "first hunter2\nsecond \x1b[31m");
  EXPECT_THAT(lines(), ElementsAre(EndsWith(" first [secret]\\nsecond \\x1b[31m")));
}

TEST_F(DiagnosticsTest, AFullFileIsKeptUnderTheNextName) {
  const auto diagnostics = open_diagnostics(
      {.path = folder.file("d.log"), .level = LogLevel::info, .most_bytes = 200, .kept = 1});
  for (int i = 0; i < 9; ++i) diagnostics->log(LogLevel::info, "{}{}", std::string(60, 'x'), i);
  EXPECT_LE(std::filesystem::file_size(folder.file("d.log")), 200u);
  EXPECT_LE(std::filesystem::file_size(folder.file("d.1.log")), 200u);
  EXPECT_FALSE(std::filesystem::exists(folder.file("d.2.log")));
  EXPECT_THAT(lines().back(), EndsWith("8"));
}

TEST_F(DiagnosticsTest, ProgramsDoNotInheritTheFile) {
  const auto diagnostics = open(LogLevel::info);
  const std::string path = std::filesystem::canonical(folder.file("d.log")).string();
  int found = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code gone;
    if (std::filesystem::read_symlink(entry, gone) != path) continue;
    ++found;
    EXPECT_TRUE(::fcntl(std::stoi(entry.path().filename()), F_GETFD) & FD_CLOEXEC);
  }
  EXPECT_EQ(found, 1);
}

// Lets files of this process grow to BYTES, as a disk that is full then.
class SmallDisk {
 public:
  explicit SmallDisk(rlim_t bytes) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    handler_ = std::signal(SIGXFSZ, SIG_IGN);
    const rlimit small{.rlim_cur = bytes, .rlim_max = before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &small);
  }
  ~SmallDisk() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  rlimit before_{};
  void (*handler_)(int);
};

// Lets this process open nothing more.
class NoDescriptors {
 public:
  NoDescriptors() {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    const rlimit none{.rlim_cur = 0, .rlim_max = before_.rlim_max};
    ::setrlimit(RLIMIT_NOFILE, &none);
  }
  ~NoDescriptors() { ::setrlimit(RLIMIT_NOFILE, &before_); }

 private:
  rlimit before_{};
};

// The disk takes none of a line, or a part of it.
TEST_F(DiagnosticsTest, LinesThatAFullDiskRefusesAreCounted) {
  for (const rlim_t more : {0, 10}) {
    std::filesystem::remove(folder.file("d.log"));
    const auto diagnostics = open(LogLevel::info);
    diagnostics->log(LogLevel::info, "first");
    {
      const SmallDisk full(std::filesystem::file_size(folder.file("d.log")) + more);
      for (int i = 0; i < 3; ++i) diagnostics->log(LogLevel::info, "lost");
    }
    diagnostics->log(LogLevel::info, "last");
    const std::vector<std::string> all = lines();
    ASSERT_EQ(all.size(), more == 0 ? 3u : 4u);
    EXPECT_THAT(all.front(), EndsWith(" first"));
    EXPECT_THAT(all[all.size() - 2], MatchesRegex("2.* warning .* 3 lines are missing here: .*"));
    EXPECT_THAT(all.back(), MatchesRegex("2.* info .* last"));
  }
}

TEST_F(DiagnosticsTest, AFileThatCannotBeRotatedIsOpenedAgainLater) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP()
      << "the undefined-behaviour sanitizer opens a pipe to check the type of an exception";
#endif
  const auto diagnostics = open_diagnostics(
      {.path = folder.file("d.log"), .level = LogLevel::info, .most_bytes = 200, .kept = 1});
  diagnostics->log(LogLevel::info, "{}", std::string(150, 'x'));
  {
    const NoDescriptors none;
    diagnostics->log(LogLevel::info, "{}", std::string(60, 'y'));
    diagnostics->log(LogLevel::info, "z");
  }
  diagnostics->log(LogLevel::info, "last");
  EXPECT_THAT(lines().back(), EndsWith(" last"));
}

TEST(LogLevels, AreReadAsTheyArePrinted) {
  for (const std::string_view name : names_of(Tag<LogLevel>())) {
    ASSERT_TRUE(parse_name<system::LogLevel>(name)) << name;
    EXPECT_EQ(to_string(*parse_name<system::LogLevel>(name)), name);
  }
  EXPECT_FALSE(parse_name<system::LogLevel>("verbose"));
}

}  // namespace diagnostics_test
}  // namespace orch::system
