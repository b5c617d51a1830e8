// Guardians and orchestrators that die, hang or are stopped: the reaction of the other side, and
// the recovery by the next orchestrator.
#include "fakes/small_disk.hpp"
#include "run/execute/guardian_fixture.hpp"
#include "run/execute/guardian_launch.hpp"
#include "run/execute/guardian_link.hpp"

#include <sched.h>
#include <sys/mount.h>

namespace orch::execute {
namespace guardian_loss_test {

TEST_F(GuardianTest, ItsDeathIsReportedAndItsLaunchIsEnded) {
  const Launch launch = host.launch("sleep 1000 & setsid sleep 1000 & wait");
  const auto handle = host.executor().start(launch);
  ASSERT_TRUE(handle);
  ::kill(handle->guardian_process.pid, SIGKILL);
  const Ended ended = host.wait_for(launch.token);
  EXPECT_TRUE(ended.guardian_lost);
  EXPECT_EQ(ended.code, -1);
  EXPECT_FALSE(host.is_left(launch.token));
  EXPECT_FALSE(std::filesystem::exists(launch.tmp));
  EXPECT_FALSE(std::filesystem::exists(launch.shm_folder));
  EXPECT_EQ(files_of_guardians(), 0u);
}

TEST_F(GuardianTest, AGuardianThatHangsOnAKillIsEndedWithItsLaunch) {
  host.hangs_s = 0.1;
  const Launch launch = host.launch("exec sleep 1000");
  const auto handle = host.executor().start(launch);
  ASSERT_TRUE(handle);
  host.stop(handle->guardian_process);
  host.executor().kill(launch.token);
  EXPECT_TRUE(host.wait_for(launch.token).guardian_lost);
  EXPECT_FALSE(host.lives(handle->guardian_process));
  EXPECT_FALSE(host.is_left(launch.token));
}

TEST_F(GuardianTest, AnEndWithoutRoomForItsRecordIsHeardByALiveOrchestratorAlone) {
  fakes::SmallDisk disk("1m");
  if (!disk.why_not().empty()) GTEST_SKIP() << disk.why_not();
  Launch launch = host.launch("head -c 2000000 /dev/zero > half; exit 4");
  launch.work = disk.path();
  launch.exit_record = disk.file("exit.json");
  ASSERT_TRUE(host.executor().start(launch));
  const Ended ended = host.wait_for(launch.token);
  EXPECT_EQ(ended.code, 4);
  EXPECT_EQ(ended.full_disk, disk.path());
  EXPECT_FALSE(std::filesystem::exists(launch.exit_record));
  host.drop_executor();
  EXPECT_EQ(host.executor().recover(launch, std::nullopt).fate, Recovered::Fate::lost);
}

TEST_F(GuardianTest, AGuardianThatDiedWhileIdleIsReplaced) {
  const Launch first = host.launch("exit 0"), second = host.launch("exit 6");
  const auto handle = host.executor().start(first);
  ASSERT_TRUE(handle);
  host.wait_for(first.token);
  ::kill(handle->guardian_process.pid, SIGKILL);
  host.wait_until_gone(handle->guardian_process);
  ASSERT_TRUE(host.executor().start(second));
  EXPECT_EQ(host.wait_for(second.token).code, 6);
}

TEST_F(GuardianTest, OnASignalItEndsItsLaunchAndRecordsTheEnd) {
  const Launch launch = host.launch("exec sleep 1000");
  const auto handle = host.executor().start(launch);
  ASSERT_TRUE(handle);
  ::kill(handle->guardian_process.pid, SIGTERM);
  const Ended ended = host.wait_for(launch.token);
  EXPECT_EQ(ended.signal, SIGTERM);
  EXPECT_FALSE(ended.guardian_lost);
  EXPECT_FALSE(ended.abandoned);
  EXPECT_TRUE(std::filesystem::exists(launch.exit_record));
  host.wait_until_gone(handle->guardian_process);
}

TEST_F(GuardianTest, AHangingGuardianDoesNotBlockRecovery) {
  const Launch launch = host.launch("exec sleep 1000");
  const auto handles = host.start_and_die({launch});
  ASSERT_EQ(handles.size(), 1u);
  host.stop(handles[0].guardian_process);
  const Recovered recovered = host.executor().recover(launch, handles[0]);
  EXPECT_EQ(recovered.fate, Recovered::Fate::lost);
  EXPECT_EQ(recovered.why,
            "its guardian was gone or did not answer; its remaining processes have been ended");
  EXPECT_FALSE(host.lives(handles[0].guardian_process));
  EXPECT_FALSE(host.lives(handles[0].tree.leader));
  EXPECT_FALSE(host.is_left(launch.token));
}

// In each containment that is available here.
class BlindTest : public GuardianTest, public ::testing::WithParamInterface<system::Containment> {
 protected:
  BlindTest() : GuardianTest(GetParam()) {}
};

TEST_P(BlindTest, WithoutProcItEndsItsLaunchAndRecordsTheEnd) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs the right to mount";
  Launch launch = host.launch("trap '' TERM; sleep 1000 & while :; do sleep 1000; done");
  launch.stop_s = 0.1;
  // The guardian shares the mounts of a dead orchestrator, where /proc is hidden.
  const pid_t child = ::fork();
  if (child == 0) {
    if (::unshare(CLONE_NEWNS) != 0 ||
        ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0)
      ::_exit(9);
    const auto handles = host.start_and_die({launch});
    if (handles.size() != 1) ::_exit(1);
    if (::mount("none", "/proc", "tmpfs", 0, nullptr) != 0) ::_exit(9);
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  if (WEXITSTATUS(status) == 9) GTEST_SKIP() << "mounts are not allowed here";
  ASSERT_EQ(WEXITSTATUS(status), 0);
  const std::vector<GuardianCard> cards = living_cards(host.files, host.guardians());
  ASSERT_EQ(cards.size(), 1u);
  ::kill(cards[0].process.pid, SIGTERM);
  host.wait_until_gone(cards[0].process);
  EXPECT_FALSE(host.is_left(launch.token));
  EXPECT_TRUE(std::filesystem::exists(launch.exit_record));
  const Recovered recovered = host.executor().recover(launch, std::nullopt);
  ASSERT_EQ(recovered.fate, Recovered::Fate::ended);
  // TERM if it arrived before the shell ignored it, otherwise KILL.
  EXPECT_NE(recovered.ended->signal, 0);
  EXPECT_FALSE(std::filesystem::exists(launch.tmp));
}

INSTANTIATE_TEST_SUITE_P(In, BlindTest, ::testing::ValuesIn(weakest_and_strongest()),
                         [](const auto& in) {
                           return in.param == system::Containment::session ? "Session"
                                                                           : "Strongest";
                         });

// Such a launch would be on no record.
TEST_F(GuardianTest, StartsNothingForAnOrchestratorThatIsGone) {
  const Launch launch = host.launch("touch $F/ran");
  auto link = start_guardian(host.host(), host.options());
  ASSERT_TRUE(link) << link.error().text();
  host.stop(link->card.process);
  ASSERT_TRUE(link->channel.send(to_line(Start{launch, system::Containment::session})));
  link->channel.close();
  ::kill(link->card.process.pid, SIGCONT);
  host.wait_until_gone(link->card.process);
  EXPECT_FALSE(std::filesystem::exists(host.folder() + "/ran"));
  EXPECT_FALSE(std::filesystem::exists(launch.exit_record));
}

TEST_F(GuardianTest, WithoutAnOrchestratorItEndsItsLaunchAfterTheGracePeriod) {
  host.grace_s = 0.2;
  const Launch launch = host.launch("exec sleep 1000");
  const auto handles = host.start_and_die({launch});
  ASSERT_EQ(handles.size(), 1u);
  host.wait_until_gone(handles[0].guardian_process);
  EXPECT_FALSE(host.is_left(launch.token));
  EXPECT_EQ(files_of_guardians(), 0u);
  const Recovered recovered = host.executor().recover(launch, handles[0]);
  ASSERT_EQ(recovered.fate, Recovered::Fate::ended);
  EXPECT_TRUE(recovered.ended->abandoned);
  EXPECT_EQ(recovered.ended->signal, SIGTERM);
}

TEST_F(GuardianTest, WithoutAnOrchestratorItKillsALaunchThatIgnoresTerm) {
  host.grace_s = 0.2;
  Launch launch = host.launch("trap '' TERM; while :; do sleep 1000; done");
  launch.stop_s = 0.1;
  const auto handles = host.start_and_die({launch});
  ASSERT_EQ(handles.size(), 1u);
  host.wait_until_gone(handles[0].guardian_process);
  EXPECT_FALSE(host.is_left(launch.token));
  const Recovered recovered = host.executor().recover(launch, handles[0]);
  ASSERT_EQ(recovered.fate, Recovered::Fate::ended);
  EXPECT_TRUE(recovered.ended->abandoned);
}

// The program dies at a kill point in a guardian or its orchestrator; the other one goes on. The
// next executor finds out how the launch ended, and no unknown process or file is left.
class DeathTest
    : public GuardianTest,
      public ::testing::WithParamInterface<std::tuple<const char*, system::Containment>> {
 protected:
  DeathTest() : GuardianTest(std::get<1>(GetParam())) {}
};

TEST_P(DeathTest, TheNextExecutorFindsOut) {
  host.grace_s = 60;
  const Launch launch = host.launch("echo run >> $F/runs; exit 7");
  host.start_and_die({launch}, false,
                     std::string("ORCHESTRATE_KILL=") + std::get<0>(GetParam()) + ":1");
  Recovered recovered = host.executor().recover(launch, std::nullopt);
  if (recovered.fate == Recovered::Fate::running) recovered.ended = host.wait_for(launch.token);
  else EXPECT_TRUE(host.executor().poll(0).empty());
  if (recovered.ended && !recovered.ended->guardian_lost) {
    EXPECT_EQ(recovered.ended->code, 7);
  }
  EXPECT_FALSE(host.is_left(launch.token));
  EXPECT_FALSE(std::filesystem::exists(launch.tmp));
  EXPECT_LE(host.read("runs").size(), 4u) << "it ran twice";
  host.drop_executor();
  for (const GuardianCard& card : living_cards(host.files, host.guardians()))
    host.wait_until_gone(card.process);
  EXPECT_EQ(files_of_guardians(), 0u);
}

INSTANTIATE_TEST_SUITE_P(
    At, DeathTest,
    ::testing::Combine(::testing::Values("executor-before-guardian", "executor-after-guardian",
                                         "executor-before-start-sent",
                                         "executor-after-start-answered", "guardian-started",
                                         "guardian-listening", "guardian-before-spawn",
                                         "guardian-after-spawn", "guardian-spawn-told",
                                         "guardian-leader-ended", "guardian-tree-ended",
                                         "guardian-before-exit-record",
                                         "guardian-after-exit-record", "guardian-end-told"),
                       ::testing::ValuesIn(weakest_and_strongest())),
    [](const auto& at) {
      std::string name =
          fmt::format("{}_{}", std::get<0>(at.param), to_string(std::get<1>(at.param)));
      std::replace(name.begin(), name.end(), '-', '_');
      return name;
    });

}  // namespace guardian_loss_test
}  // namespace orch::execute
