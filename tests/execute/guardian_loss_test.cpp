// Guardians and orchestrators that die, hang or are stopped: what the other one does, and what the
// next one finds.
#include "execute/guardian_fixture.hpp"

#include "execute/guardian_card.hpp"
#include "execute/guardian_link.hpp"

#include <sched.h>
#include <sys/mount.h>

namespace orch::execute {
namespace {

TEST_F(GuardianTest, ItsOwnDeathIsToldAndWhatItHeldIsEnded) {
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

TEST_F(GuardianTest, OneThatHangsWhenToldToKillIsEndedWithWhatItHolds) {
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

TEST_F(GuardianTest, AGuardianThatDiedIdleIsReplaced) {
  const Launch first = host.launch("exit 0"), second = host.launch("exit 6");
  const auto handle = host.executor().start(first);
  ASSERT_TRUE(handle);
  host.wait_for(first.token);
  ::kill(handle->guardian_process.pid, SIGKILL);
  host.wait_until_gone(handle->guardian_process);
  ASSERT_TRUE(host.executor().start(second));
  EXPECT_EQ(host.wait_for(second.token).code, 6);
}

TEST_F(GuardianTest, AskedByASignalItEndsWhatItHoldsAndWritesItDown) {
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

TEST_F(GuardianTest, OneThatHangsDoesNotHoldUpRecovery) {
  const Launch launch = host.launch("exec sleep 1000");
  const auto handles = host.start_and_die({launch});
  ASSERT_EQ(handles.size(), 1u);
  host.stop(handles[0].guardian_process);
  const Recovered recovered = host.executor().recover(launch, handles[0]);
  EXPECT_EQ(recovered.fate, Recovered::Fate::lost);
  EXPECT_EQ(recovered.why,
            "its guardian was gone or did not answer; what was left of it has been ended");
  EXPECT_FALSE(host.lives(handles[0].guardian_process));
  EXPECT_FALSE(host.lives(handles[0].tree.leader));
  EXPECT_FALSE(host.is_left(launch.token));
}

// As its launches are held together here, whichever way that is.
class BlindTest : public GuardianTest, public ::testing::WithParamInterface<system::Containment> {
 protected:
  BlindTest() : GuardianTest(GetParam()) {}
};

TEST_P(BlindTest, EndsWhatItHoldsAndWritesItDownWithoutProc) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs the right to mount";
  Launch launch = host.launch("trap '' TERM; sleep 1000 & while :; do sleep 1000; done");
  launch.stop_s = 0.1;
  // The guardian shares the mounts of an orchestrator that dies, and with it goes /proc.
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
  EXPECT_NE(recovered.ended->signal,
            0);  // asked to end before the shell ignored it, it is over sooner
  EXPECT_FALSE(std::filesystem::exists(launch.tmp));
}

INSTANTIATE_TEST_SUITE_P(In, BlindTest, ::testing::ValuesIn(weakest_and_strongest()),
                         [](const auto& in) {
                           return in.param == system::Containment::session ? "Session"
                                                                           : "Strongest";
                         });

// What was asked for by a process that is gone would run without anybody's knowing of it.
TEST_F(GuardianTest, StartsNothingForOneWhoIsGone) {
  const Launch launch = host.launch("touch $F/ran");
  auto link = start_guardian(host.options());
  ASSERT_TRUE(link) << link.error().text();
  host.stop(link->card.process);
  ASSERT_TRUE(link->channel.send(to_line(Start{launch, system::Containment::session})));
  link->channel.close();
  ::kill(link->card.process.pid, SIGCONT);
  host.wait_until_gone(link->card.process);
  EXPECT_FALSE(std::filesystem::exists(host.folder() + "/ran"));
  EXPECT_FALSE(std::filesystem::exists(launch.exit_record));
}

TEST_F(GuardianTest, WithoutAnOrchestratorItEndsWhatItHoldsAfterTheGracePeriod) {
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

TEST_F(GuardianTest, WithoutAnOrchestratorItKillsWhatIgnoresToBeAsked) {
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

// The program dies at POINT, which stands in a guardian or in its orchestrator; whoever is left
// does its part. The next executor finds everything out, and afterwards nothing is there that
// nobody knows of.
class DeathTest
    : public GuardianTest,
      public ::testing::WithParamInterface<std::tuple<const char*, system::Containment>> {
 protected:
  DeathTest() : GuardianTest(std::get<1>(GetParam())) {}
};

TEST_P(DeathTest, IsFoundOutByTheNextExecutor) {
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

}  // namespace
}  // namespace orch::execute
