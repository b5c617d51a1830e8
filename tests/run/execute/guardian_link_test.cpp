// Hanging guardians of dead orchestrators do not outlive the next run, even if no recovery asks for
// their launches.
#include "run/execute/guardian_link.hpp"

#include "run/execute/guardian_fixture.hpp"
#include "run/execute/guardian_launch.hpp"

namespace orch::execute {
namespace guardian_link_test {

class HangingTest : public GuardianTest {
 protected:
  using GuardianTest::GuardianTest;
  ~HangingTest() override {
    for (const system::ProcessId& process : stopped_)
      if (host.lives(process)) ::kill(process.pid, SIGCONT);
  }
  // An idle guardian of an orchestrator that is gone, stopped so that it does not notice.
  GuardianCard hanging_guardian() {
    auto link = start_guardian(host.host(), host.options());
    EXPECT_TRUE(link);
    host.stop(link->card.process);
    stopped_.push_back(link->card.process);
    return link->card;
  }

 private:
  std::vector<system::ProcessId> stopped_;
};

TEST_F(HangingTest, AnIdleGuardianIsEndedBeforeTheFirstStart) {
  const std::vector<GuardianCard> cards = {hanging_guardian(), hanging_guardian()};
  const Launch launch = host.launch("exit 3");
  ASSERT_TRUE(host.executor().start(launch));
  for (const GuardianCard& card : cards) EXPECT_FALSE(host.lives(card.process));
  EXPECT_EQ(files_of_guardians(), 2u);  // the card and log of the new one
  EXPECT_EQ(host.wait_for(launch.token).code, 3);
}

TEST_F(HangingTest, AnIdleGuardianIsEndedEvenWithoutAStart) {
  const GuardianCard card = hanging_guardian();
  (void)host.executor();
  EXPECT_TRUE(host.lives(card.process));
  host.drop_executor();
  EXPECT_FALSE(host.lives(card.process));
  EXPECT_EQ(files_of_guardians(), 0u);
}

// The orchestrator of the original folder may be alive.
TEST_F(HangingTest, AGuardianInACopyOfItsFolderIsLeftAlone) {
  const GuardianCard card = hanging_guardian();
  RealHost copy;
  std::filesystem::copy(host.guardians(), copy.guardians());
  EXPECT_TRUE(copy.executor().poll(0).empty());
  EXPECT_TRUE(host.lives(card.process));
  EXPECT_TRUE(host.executor().poll(0).empty());
  EXPECT_FALSE(host.lives(card.process));
}

TEST_F(HangingTest, AllGuardiansAreAskedAtOnce) {
  std::vector<GuardianCard> cards = {hanging_guardian()};
  const double from_s = host.clock.now_s();
  EXPECT_EQ(unresponsive_guardians(host.clock, cards).size(), 1u);
  const double between_s = host.clock.now_s();
  while (cards.size() < 4) cards.push_back(hanging_guardian());
  const double then_s = host.clock.now_s();
  EXPECT_EQ(unresponsive_guardians(host.clock, cards).size(), 4u);
  EXPECT_LT(host.clock.now_s() - then_s, 2 * (between_s - from_s));
}

TEST_F(HangingTest, AGuardianThatAnswersIsLeftAlone) {
  const Launch orphan = host.launch("exec sleep 1000"), running = host.launch("exec sleep 1000");
  const auto orphans = host.start_and_die({orphan});
  const auto handle = host.executor().start(running);
  ASSERT_TRUE(handle && orphans.size() == 1);
  { EXPECT_TRUE(make_guarded_executor(host.host(), host.options())->poll(0).empty()); }
  EXPECT_TRUE(host.lives(handle->guardian_process));
  EXPECT_TRUE(host.lives(orphans[0].guardian_process));
  ASSERT_EQ(host.executor().recover(orphan, orphans[0]).fate, Recovered::Fate::running);
  for (const Launch& launch : {orphan, running}) host.executor().kill(launch.token);
  EXPECT_EQ(host.wait_for(orphan.token).signal, SIGKILL);
}

class HangingWithALaunchTest : public HangingTest,
                               public ::testing::WithParamInterface<system::Containment> {
 protected:
  HangingWithALaunchTest() : HangingTest(GetParam()) {}
};

TEST_P(HangingWithALaunchTest, IsEndedWithALaunchThatIsOnNoRecord) {
  const Launch launch = host.launch("sleep 1000 & setsid sleep 1000 & wait");
  const auto handles = host.start_and_die({launch});
  ASSERT_EQ(handles.size(), 1u);
  host.stop(handles[0].guardian_process);
  EXPECT_TRUE(host.executor().poll(0).empty());
  EXPECT_FALSE(host.lives(handles[0].guardian_process));
  EXPECT_FALSE(host.lives(handles[0].tree.leader));
  EXPECT_FALSE(host.is_left(launch.token));
  EXPECT_EQ(files_of_guardians(), 0u);
}

// The orchestrator that ends it may die before it is done.
TEST_P(HangingWithALaunchTest, IsEndedByTheOrchestratorAfterThat) {
  const Launch launch = host.launch("exec sleep 1000"), never = host.launch("echo ran > $F/ran");
  const auto handles = host.start_and_die({launch});
  ASSERT_EQ(handles.size(), 1u);
  host.stop(handles[0].guardian_process);
  EXPECT_TRUE(host.start_and_die({never}, false, "ORCHESTRATE_KILL=executor-before-hanging-ended:1")
                  .empty());
  EXPECT_FALSE(host.is_left(launch.token));
  EXPECT_TRUE(host.lives(handles[0].guardian_process));
  EXPECT_TRUE(host.executor().poll(0).empty());
  EXPECT_FALSE(host.lives(handles[0].guardian_process));
  EXPECT_EQ(files_of_guardians(), 0u);
  EXPECT_FALSE(std::filesystem::exists(host.folder() + "/ran"));
}

INSTANTIATE_TEST_SUITE_P(In, HangingWithALaunchTest, ::testing::ValuesIn(weakest_and_strongest()),
                         [](const auto& in) {
                           return in.param == system::Containment::session ? "Session"
                                                                           : "Strongest";
                         });

}  // namespace guardian_link_test
}  // namespace orch::execute
