// A guardian and its launches when nothing goes wrong.
#include "run/execute/guardian_fixture.hpp"

namespace orch::execute {
namespace guardian_test {

TEST_F(GuardianTest, RunsOneLaunchAfterTheOther) {
  const Launch first = host.launch("exit 3"), second = host.launch("exit 4");
  const auto one = host.executor().start(first);
  ASSERT_TRUE(one) << one.error().text();
  EXPECT_EQ(host.wait_for(first.token).code, 3);
  const auto two = host.executor().start(second);
  ASSERT_TRUE(two) << two.error().text();
  EXPECT_EQ(host.wait_for(second.token).code, 4);
  EXPECT_EQ(one->guardian, two->guardian);
  EXPECT_EQ(one->guardian_process, two->guardian_process);
}

TEST_F(GuardianTest, RunsOneLaunchAtATime) {
  const Launch first = host.launch("exec sleep 1000"), second = host.launch("exec sleep 1000");
  const auto one = host.executor().start(first), two = host.executor().start(second);
  ASSERT_TRUE(one && two);
  EXPECT_NE(one->guardian, two->guardian);
  host.executor().kill(first.token);
  host.executor().kill(second.token);
  host.wait_for(first.token);
}

// An end may be read together with the answer to the start.
TEST_F(GuardianTest, EndsAreReportedHoweverSoonTheyCome) {
  for (int i = 0; i < 300; ++i) {
    Launch launch = host.launch("");
    launch.argv = {"/bin/true"};
    ASSERT_TRUE(host.executor().start(launch));
    std::vector<Ended> ended;
    for (int polls = 0; ended.empty() && polls < 2; ++polls) ended = host.executor().poll(20);
    ASSERT_EQ(ended.size(), 1u) << i;
    ASSERT_EQ(ended[0].code, 0);
  }
}

TEST_F(GuardianTest, LeavesNothingBehindWhenItIsDismissed) {
  const Launch launch = host.launch("exit 0");
  const auto handle = host.executor().start(launch);
  ASSERT_TRUE(handle);
  host.wait_for(launch.token);
  EXPECT_EQ(files_of_guardians(), 2u);  // its card and its log
  host.drop_executor();
  EXPECT_FALSE(host.lives(handle->guardian_process));
  EXPECT_EQ(files_of_guardians(), 0u);
}

TEST_F(GuardianTest, DoesNotInheritSecrets) {
  ::setenv("ORCH_TEST_API_KEY", "hunter22", 1);
  ::setenv("ORCH_TEST_PLAIN", "hunter", 1);
  const Launch launch = host.launch("exit 0");
  const auto handle = host.executor().start(launch);
  ::unsetenv("ORCH_TEST_API_KEY");
  ::unsetenv("ORCH_TEST_PLAIN");
  ASSERT_TRUE(handle);
  const auto environment =
      system::RealFiles().read(fmt::format("/proc/{}/environ", handle->guardian_process.pid));
  ASSERT_TRUE(environment);
  EXPECT_NE(environment->find("ORCH_TEST_PLAIN=hunter"), std::string::npos);
  EXPECT_EQ(environment->find("hunter22"), std::string::npos);
  host.wait_for(launch.token);
}

TEST_F(GuardianTest, DoesNotGetSignalsOfTheTerminal) {
  const Launch launch = host.launch("exec sleep 1000");
  const auto handle = host.executor().start(launch);
  ASSERT_TRUE(handle);
  EXPECT_EQ(::getsid(handle->guardian_process.pid), handle->guardian_process.pid);
  EXPECT_NE(::getsid(handle->tree.leader.pid), handle->guardian_process.pid);
  host.executor().kill(launch.token);
  host.wait_for(launch.token);
}

TEST_F(GuardianTest, ArgumentsAndEnvironmentArriveByteForByte) {
  Launch launch = host.launch("printf '%s|' \"$0\" \"$@\" \"$WILD\"");
  const std::string wild = "\xff\x80 \xc3\xa9 \"quoted\"\n\x01";
  launch.argv.insert(launch.argv.end(), {"zero", wild, ""});
  launch.env["WILD"] = wild;
  ASSERT_TRUE(host.executor().start(launch));
  host.wait_for(launch.token);
  EXPECT_EQ(host.read(launch.token + "/log"), "zero|" + wild + "||" + wild + "|");
}

TEST_F(GuardianTest, TemporaryFoldersArePrivate) {
  const Launch launch = host.launch("stat -c %a $TMPDIR");
  ASSERT_TRUE(host.executor().start(launch));
  EXPECT_EQ(host.wait_for(launch.token).code, 0);
  EXPECT_EQ(host.read(launch.token + "/log"), "700\n");
  Launch second = host.launch("exit 0");
  std::filesystem::create_directory(second.tmp);
  const auto handle = host.executor().start(second);
  ASSERT_FALSE(handle);
  EXPECT_EQ(handle.error().text(),
            "cannot make the temporary folder " + second.tmp + ": File exists");
}

// Open MPI derives the names of shared files from a pid, which is the same in every PID namespace.
TEST_F(GuardianTest, RanksShareMemoryInAFolderOfTheirLaunch) {
  const Launch launch = host.launch(
      "d=$OMPI_MCA_btl_vader_backing_directory; stat -c '%n %a' $d; touch "
      "$d/vader_segment.host.0.1.0; [ $d = $OMPI_MCA_btl_sm_backing_directory ]");
  ASSERT_TRUE(host.executor().start(launch));
  EXPECT_EQ(host.wait_for(launch.token).code, 0);
  EXPECT_EQ(host.read(launch.token + "/log"), launch.shm_folder + " 700\n");
  EXPECT_FALSE(std::filesystem::exists(launch.shm_folder));
}

TEST_F(GuardianTest, AnExistingFolderForSharedMemoryIsAnErrorAndStays) {
  const Launch launch = host.launch("touch $F/ran");
  std::filesystem::create_directory(launch.shm_folder);
  const auto handle = host.executor().start(launch);
  EXPECT_TRUE(std::filesystem::remove(launch.shm_folder));
  ASSERT_FALSE(handle);
  EXPECT_EQ(handle.error().text(),
            "cannot make the temporary folder " + launch.shm_folder + ": File exists");
  EXPECT_FALSE(std::filesystem::exists(launch.tmp));
  EXPECT_FALSE(std::filesystem::exists(host.folder() + "/ran"));
}

TEST_F(GuardianTest, IsNotACommandForUsers) {
  const std::string output = host.folder() + "/output";
  EXPECT_EQ(WEXITSTATUS(std::system(
                (std::string(ORCH_BINARY) + " guardian 3</dev/null 2> " + output).c_str())),
            2);
  EXPECT_EQ(
      host.read("output"),
      "'orchestrate guardian' is started by 'orchestrate run'; it cannot be used by itself\n");
  EXPECT_EQ(WEXITSTATUS(std::system((std::string(ORCH_BINARY) + " --help > " + output).c_str())),
            0);
  EXPECT_NE(host.read("output").find("completion"), std::string::npos);
  EXPECT_EQ(host.read("output").find("guardian"), std::string::npos);
}

TEST_F(GuardianTest, InheritsNoOtherDescriptor) {
  const std::string own = host.folder() + "/own";
  const int open = ::open(own.c_str(), O_WRONLY | O_CREAT, 0600);  // may be inherited
  const Launch launch = host.launch("exec sleep 1000");
  const auto handle = host.executor().start(launch);
  ASSERT_TRUE(handle);
  std::size_t seen = 0;
  for (const system::ProcessId& process : {handle->guardian_process, handle->tree.leader})
    for (const auto& entry :
         std::filesystem::directory_iterator(fmt::format("/proc/{}/fd", process.pid))) {
      std::error_code closed;
      EXPECT_NE(std::filesystem::read_symlink(entry.path(), closed), own);
      ++seen;
    }
  EXPECT_GT(seen, 6u);
  ::close(open);
  host.executor().kill(launch.token);
  host.wait_for(launch.token);
}

}  // namespace guardian_test
}  // namespace orch::execute
