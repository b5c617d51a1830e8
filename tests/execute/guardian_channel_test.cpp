// Who may ask a guardian, and what it answers to the others.
#include "execute/guardian_fixture.hpp"

#include "execute/guardian_channel.hpp"

namespace orch::execute {
namespace {

TEST_F(GuardianTest, ALaunchThatAnotherExecutorHoldsIsNotTakenFromIt) {
  const Launch launch = host.launch("exec sleep 1000");
  const auto handle = host.executor().start(launch);
  ASSERT_TRUE(handle);
  Channel caller(std::move(*connect_to(handle->guardian)));
  ASSERT_TRUE(caller.send(to_line(Attach{.token = launch.token})));
  EXPECT_EQ(caller.wait_line(host.clock, 30), R"({"busy":true})");
  ASSERT_TRUE(caller.send(to_line(Attach{.token = "another"})));
  EXPECT_EQ(caller.wait_line(host.clock, 30), R"({"not_held":true})");
  host.executor().kill(launch.token);
  EXPECT_EQ(host.wait_for(launch.token).signal, SIGKILL);
}

TEST_F(GuardianTest, GarbageAndManyCallersDoNotDisturbIt) {
  const Launch launch = host.launch("exec sleep 1000");
  const auto handle = host.executor().start(launch);
  ASSERT_TRUE(handle);
  std::vector<Channel> callers;
  for (int i = 0; i < 20; ++i) callers.emplace_back(std::move(*connect_to(handle->guardian)));
  for (Channel& caller : callers) (void)caller.send("\xff{\"attach\":[[[");
  for (Channel& caller : callers) EXPECT_EQ(caller.wait_line(host.clock, 30), std::nullopt);
  host.executor().kill(launch.token);
  EXPECT_EQ(host.wait_for(launch.token).signal, SIGKILL);
}

TEST_F(GuardianTest, APeerOfAnotherUserIsRefused) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can become another user";
  const Launch launch = host.launch("exec sleep 1000");
  const auto handle = host.executor().start(launch);
  ASSERT_TRUE(handle);
  // Asks as nobody whether LAUNCH is there: 0 when the connection was closed without a word.
  const pid_t child = ::fork();
  if (child == 0) {
    if (::setgid(65534) != 0 || ::setuid(65534) != 0) ::_exit(9);
    auto socket = connect_to(handle->guardian);
    if (!socket) ::_exit(8);
    Channel caller(std::move(*socket));
    (void)caller.send(to_line(Attach{.token = launch.token}));
    ::_exit(caller.wait_line(host.clock, 30) ? 1 : 0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 0);
  host.executor().kill(launch.token);
  EXPECT_EQ(host.wait_for(launch.token).signal, SIGKILL);
}

}  // namespace
}  // namespace orch::execute
