// Launches that the executor holds between the end of one run and the recovery by the next.
#include "run/execute/real_executor.hpp"

#include <poll.h>

namespace orch::execute {
namespace guarded_test {

TEST(GuardedExecutor, TheGracePeriodOfAHeldLaunchDoesNotEnd) {
  RealHost host;
  host.grace_s = 1;
  const Launch launch = host.launch("exec sleep 1000"), left = host.launch("exec sleep 1000");
  const auto handles = host.start_and_die({launch});
  ASSERT_EQ(handles.size(), 1u);
  host.executor().hold(launch, handles[0]);
  // The grace period of a launch that was abandoned later and is not held ends first.
  const auto others = host.start_and_die({left});
  ASSERT_EQ(others.size(), 1u);
  host.wait_until_gone(others[0].guardian_process);
  const Recovered recovered = host.executor().recover(launch, handles[0]);
  ASSERT_EQ(recovered.fate, Recovered::Fate::running) << recovered.why;
  EXPECT_GE(recovered.for_s, host.grace_s);
  host.executor().kill(launch.token);
  EXPECT_EQ(host.wait_for(launch.token).signal, SIGKILL);
}

TEST(GuardedExecutor, TheEndOfAHeldLaunchIsReportedOnRecovery) {
  RealHost host;
  host.make_pipe("go");
  const Launch launch = host.launch("read x < $F/go; exit 7");
  const auto handles =
      host.start_and_die({launch}, true, "ORCHESTRATE_KILL_LOG=" + host.folder() + "/points");
  ASSERT_EQ(handles.size(), 1u);
  host.executor().hold(launch, handles[0]);
  host.write("go", "\n");
  while (host.read("points").find("guardian-end-told") == std::string::npos) ::poll(nullptr, 0, 1);
  const Recovered recovered = host.executor().recover(launch, handles[0]);
  ASSERT_EQ(recovered.fate, Recovered::Fate::ended) << recovered.why;
  EXPECT_EQ(recovered.ended->code, 7);
  EXPECT_TRUE(host.executor().poll(0).empty());
}

TEST(GuardedExecutor, DoesNotHoldALaunchOfAnotherLiveRun) {
  RealHost host;
  const Launch launch = host.launch("exec sleep 1000");
  ASSERT_TRUE(host.executor().start(launch));
  const auto other = make_guarded_executor(host.host(), host.options());
  other->hold(launch, std::nullopt);
  EXPECT_EQ(other->recover(launch, std::nullopt).fate, Recovered::Fate::held);
  host.executor().kill(launch.token);
  EXPECT_EQ(host.wait_for(launch.token).signal, SIGKILL);
}

}  // namespace guarded_test
}  // namespace orch::execute
