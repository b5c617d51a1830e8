#include "os/system/launch.hpp"

#include "fakes/own_mounts.hpp"
#include "fakes/temp_folder.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace orch::system {
namespace launch_test {

class LaunchTest : public ::testing::Test {
 protected:
  Child child(const char* program) {
    Child child;
    child.program = argv_[0] = const_cast<char*>(program);
    child.argv = argv_;
    child.env = argv_ + 1;
    child.work = "/";
    child.input = null_.get();
    child.output = child.errors = null_.get();
    return child;
  }

 private:
  char* argv_[2] = {nullptr, nullptr};
  Descriptor null_{::open("/dev/null", O_RDWR | O_CLOEXEC)};
};

TEST_F(LaunchTest, ReturnsTheChildOnceItRunsItsProgram) {
  Child shell = child("/bin/true");
  const pid_t pid = launch(shell);
  ASSERT_GT(pid, 0);
  EXPECT_EQ(shell.failure.step, LaunchStep::none);
  int status = -1;
  EXPECT_EQ(::waitpid(pid, &status, 0), pid);
  EXPECT_EQ(status, 0);
}

TEST_F(LaunchTest, NamesTheStepThatFailedAndReapsTheChild) {
  Child missing = child("/no/such/program");
  EXPECT_EQ(launch(missing), 0);
  EXPECT_EQ(missing.failure.step, LaunchStep::run);
  EXPECT_EQ(missing.failure.error, ENOENT);
  Child nowhere = child("/bin/true");
  nowhere.work = "/no/such/folder";
  EXPECT_EQ(launch(nowhere), 0);
  EXPECT_EQ(nowhere.failure.step, LaunchStep::enter_work);
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

// On such a host, as with AppArmor's limit on user namespaces, the containment is not available.
TEST_F(LaunchTest, AUserNamespaceWithoutItsMapRunsNothing) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs the right to change its user";
  constexpr uid_t k_nobody = 65534;
  constexpr int k_refused = 0, k_no_namespaces = 9;
  const pid_t other = ::fork();
  if (other == 0) {
    // After the change, its files in /proc, and those of its children, belong to root.
    if (::setresuid(k_nobody, k_nobody, k_nobody) != 0) ::_exit(1);
    Child shell = child("/bin/true");
    const auto launched = launch_in_namespace(shell);
    if (!launched) ::_exit(k_no_namespaces);
    const bool refused = launched->init == 0 && shell.failure.step == LaunchStep::map_users &&
                         shell.failure.error == EACCES;
    ::_exit(refused ? k_refused : 1);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(other, &status, 0), other);
  if (WEXITSTATUS(status) == k_no_namespaces) GTEST_SKIP() << "user namespaces are not allowed";
  EXPECT_EQ(WEXITSTATUS(status), k_refused);
}

TEST_F(LaunchTest, AProgramWhereNothingCanBeExecutedIsNamed) {
  const fakes::TempFolder folder;
  ORCH_WITH_OWN_MOUNTS([&] {
    ASSERT_EQ(::mount("none", folder.path().c_str(), "tmpfs", MS_NOEXEC, nullptr), 0);
    const std::string program = folder.file("program");
    const Descriptor file(::open(program.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0700));
    const auto found = find_program("program", {{"PATH", "/nowhere:" + folder.path().string()}});
    ASSERT_FALSE(found);
    EXPECT_EQ(found.error().message, "cannot run '" + program +
                                         "': nothing can be executed on its file system, which is "
                                         "mounted with noexec");
  });
}

TEST_F(LaunchTest, OutsideOfANamespaceTheHostsProcIsProc) {
  if (::getpid() == 1) GTEST_SKIP() << "this process is an init";
  EXPECT_EQ(host_proc(), "/proc");
}

}  // namespace launch_test
}  // namespace orch::system
