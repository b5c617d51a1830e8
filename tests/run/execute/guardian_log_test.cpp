// The log of a launch.
#include "run/execute/guardian.hpp"
#include "run/execute/guardian_fixture.hpp"

#include <cerrno>

#include <sys/resource.h>

namespace orch::execute {
namespace guardian_log_test {

TEST_F(GuardianTest, DrainsALogOfFiftyMegabytes) {
  const Launch launch = host.launch("head -c 50000000 /dev/zero; echo end");
  ASSERT_TRUE(host.executor().start(launch));
  EXPECT_EQ(host.wait_for(launch.token).code, 0);
  EXPECT_EQ(std::filesystem::file_size(launch.log), 50000004u);
}

TEST_F(GuardianTest, AFullDiskDoesNotBlockTheWriter) {
  Launch launch = host.launch("head -c 3000000 /dev/zero || exit 1; exit 5");
  launch.log = "/dev/full";
  ASSERT_TRUE(host.executor().start(launch));
  const Ended ended = host.wait_for(launch.token);
  EXPECT_EQ(ended.code, 5);
  EXPECT_EQ(ended.log_error, ENOSPC);
}

// Without a word of the guardian, the lack of room under the limit would look like a lost guardian.
TEST_F(GuardianTest, OutlivesALogAtTheLimitOnFileSizes) {
  const Launch launch = host.launch("head -c 100000 /dev/zero; exit 6");
  rlimit before{};
  ::getrlimit(RLIMIT_FSIZE, &before);
  const rlimit small{50000, before.rlim_max};
  ::setrlimit(RLIMIT_FSIZE, &small);
  const auto handle = host.executor().start(launch);
  ::setrlimit(RLIMIT_FSIZE, &before);
  ASSERT_TRUE(handle);
  const Ended ended = host.wait_for(launch.token);
  EXPECT_FALSE(ended.guardian_lost);
  EXPECT_EQ(ended.code, 6);
  EXPECT_EQ(ended.log_error, EFBIG);
  EXPECT_EQ(std::filesystem::file_size(launch.log), 50000u);
}

TEST_F(GuardianTest, ALogThatCannotBeOpenedIsAnErrorAndNothingRuns) {
  Launch launch = host.launch("touch $F/ran");
  launch.log = host.folder() + "/nowhere/log";
  const auto handle = host.executor().start(launch);
  ASSERT_FALSE(handle);
  EXPECT_EQ(handle.error().text(), "cannot open " + launch.log + ": No such file or directory");
  EXPECT_FALSE(std::filesystem::exists(launch.tmp));
  EXPECT_FALSE(std::filesystem::exists(host.folder() + "/ran"));
}

TEST_F(GuardianTest, SecretsDoNotReachTheLogNorTheDisk) {
  Launch launch =
      host.launch("printf 'it is %s' \"${KEY%???}\"; printf '%s.' \"${KEY#??????????}\"");
  launch.env["KEY"] = "s3cr3t-t0ken!";
  launch.secrets = {"s3cr3t-t0ken!"};
  ASSERT_TRUE(host.executor().start(launch));
  EXPECT_EQ(host.wait_for(launch.token).code, 0);
  const std::string log = host.read(launch.token + "/log");
  EXPECT_TRUE(log.starts_with("it is ") && log.ends_with(".")) << log;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(host.folder()))
    if (entry.is_regular_file()) {
      EXPECT_EQ(
          host.read(std::filesystem::relative(entry.path(), host.folder()).string()).find("s3cr3t"),
          std::string::npos)
          << entry.path();
    }
}

TEST(LogPipe, ReportsHowMuchWasLost) {
  const fakes::TempFolder folder;
  const std::string path = folder.file("log");
  auto log = LogPipe::open(path, {});
  ASSERT_TRUE(log);
  rlimit before{};
  ::getrlimit(RLIMIT_FSIZE, &before);
  const auto handler = ::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{5, before.rlim_max};
  ::setrlimit(RLIMIT_FSIZE, &small);
  EXPECT_EQ((*log)->error(), 0);
  ASSERT_EQ(::write((*log)->write_end(), "0123456789", 10), 10);
  (*log)->drain();
  ::setrlimit(RLIMIT_FSIZE, &before);
  ::signal(SIGXFSZ, handler);
  ASSERT_EQ(::write((*log)->write_end(), "more\n", 5), 5);
  (*log)->close_write_end();
  (*log)->finish();
  EXPECT_EQ((*log)->error(), EFBIG);
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  EXPECT_EQ(text.str(),
            "01234more\n\n[orchestrate: 5 bytes of this log were lost: File too large]\n");
}

}  // namespace guardian_log_test
}  // namespace orch::execute
