// Connections of other processes to a guardian, and its answers.
#include "run/execute/guardian_fixture.hpp"
#include "run/execute/guardian_message.hpp"

#include <sys/socket.h>

namespace orch::execute {
namespace guardian_channel_test {

TEST_F(GuardianTest, ALaunchOfAnotherLiveExecutorIsNotHandedOver) {
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
  // Asks for LAUNCH as another user: 0 when the connection is closed without an answer.
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

TEST(Channel, DeliversLinesAlsoAfterThePeerIsGone) {
  system::RealClock clock;
  const std::string name = "test-" + system::new_token();
  const auto listener = listen_as(name);
  ASSERT_TRUE(listener) << listener.error().text();
  EXPECT_FALSE(connect_to(name + "-other"));
  auto socket = connect_to(name);
  ASSERT_TRUE(socket);
  Channel receiver{system::Descriptor(::accept(listener->get(), nullptr, nullptr))};
  EXPECT_EQ(receiver.peer().pid, ::getpid());
  EXPECT_FALSE(receiver.wait_line(clock, 0.01));
  {
    Channel sender(std::move(*socket));
    EXPECT_TRUE(sender.send("first"));
    EXPECT_TRUE(sender.send(""));
  }
  EXPECT_EQ(receiver.wait_line(clock, 30), "first");
  EXPECT_EQ(receiver.next_line(), "");
  EXPECT_FALSE(receiver.wait_line(clock, 30));
  EXPECT_FALSE(receiver.fill());
}

}  // namespace guardian_channel_test
}  // namespace orch::execute
