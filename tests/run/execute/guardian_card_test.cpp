// Cards of earlier guardians, and files in their folder that no guardian wrote.
#include "run/execute/guardian_fixture.hpp"
#include "run/execute/guardian_launch.hpp"
#include "run/execute/guardian_message.hpp"

namespace orch::execute {
namespace guardian_card_test {

TEST_F(GuardianTest, TheNextOrchestratorRemovesCardsOfKilledGuardians) {
  const Launch launch = host.launch("exec sleep 1000");
  const auto handles = host.start_and_die({launch});
  ASSERT_EQ(handles.size(), 1u);
  ::kill(handles[0].guardian_process.pid, SIGKILL);
  host.wait_until_gone(handles[0].guardian_process);
  EXPECT_EQ(files_of_guardians(), 2u);
  EXPECT_EQ(host.executor().recover(launch, handles[0]).fate, Recovered::Fate::lost);
  EXPECT_EQ(files_of_guardians(), 0u);
}

TEST_F(GuardianTest, ALaunchOfAnotherBootIsLostAndNoProcessIsSignalled) {
  const Launch launch = host.launch("exec sleep 1000");
  const auto handle = host.executor().start(launch);
  ASSERT_TRUE(handle);
  Handle old = *handle;
  old.tree.boot_id = "another";
  RealHost later;
  Launch other = launch;
  other.token = system::new_token();
  old.tree.token = other.token;
  other.exit_record = other.tmp = other.shm_folder = other.shm_prefix = "";
  const Recovered recovered = later.executor().recover(other, old);
  EXPECT_EQ(recovered.fate, Recovered::Fate::lost);
  EXPECT_EQ(recovered.why, "the host was rebooted since");
  EXPECT_TRUE(host.lives(handle->guardian_process));
  EXPECT_TRUE(host.lives(handle->tree.leader));
  host.executor().kill(launch.token);
  host.wait_for(launch.token);
}

TEST_F(GuardianTest, CardsThatNoGuardianWroteAreIgnored) {
  const Launch stranger = host.launch("exec sleep 1000"), launch = host.launch("exit 0");
  RealHost elsewhere;
  const auto handle = elsewhere.executor().start(stranger);
  ASSERT_TRUE(handle);
  const std::string name = "g00000000000000a", folder = host.guardians() + "/";
  // Another process under a guardian's name, another guardian's process under a false name, and
  // files that are not cards.
  const GuardianCard card{.name = name,
                          .process = handle->tree.leader,
                          .boot_id = system::boot_id(),
                          .version = k_guardian_version};
  ASSERT_TRUE(write_card(host.files, host.guardians(), card));
  ASSERT_TRUE(write_card(host.files, host.guardians(),
                         {.name = "g00000000000000b",
                          .process = handle->guardian_process,
                          .boot_id = system::boot_id(),
                          .version = 1}));
  // This process listens there, and not the process on the card.
  const auto socket = listen_as("g00000000000000b");
  ASSERT_TRUE(socket);
  host.write("guardians/g00000000000000c.json", "{\"name\": [[[");
  host.write("guardians/g00000000000000d.json",
             R"({"name":"../../x","pid":-1,"start_ticks":0,"boot_id":"x","version":1})");
  host.write(
      "guardians/g00000000000000e.json",
      R"({"name":"g00000000000000e","pid":1e99,"start_ticks":{},"boot_id":null,"version":1})");
  host.write("guardians/g00000000000000f.json", std::string(100000, '['));
  host.write("guardians/..json", "{}");
  ASSERT_EQ(
      ::symlink((folder + name + ".json").c_str(), (folder + "g000000000000010.json").c_str()), 0);
  ASSERT_EQ(::mkfifo((folder + "g000000000000011.json").c_str(), 0600), 0);
  ASSERT_EQ(::mkdir((folder + "g000000000000012.json").c_str(), 0700), 0);
  const Recovered recovered = host.executor().recover(launch, std::nullopt);
  EXPECT_EQ(recovered.fate, Recovered::Fate::lost);
  EXPECT_EQ(recovered.why, "it was never started, or none of its processes was left");
  EXPECT_TRUE(host.lives(handle->tree.leader));
  EXPECT_TRUE(host.lives(handle->guardian_process));
  elsewhere.executor().kill(stranger.token);
  EXPECT_EQ(elsewhere.wait_for(stranger.token).signal, SIGKILL);
}

TEST_F(GuardianTest, CardsOfAnotherBootAreRemovedEvenIfTheirPidIsInUse) {
  const auto self = system::identify(::getpid());
  ASSERT_TRUE(write_card(
      host.files, host.guardians(),
      {.name = "g00000000000000a", .process = *self, .boot_id = "another", .version = 1}));
  host.write("guardians/g00000000000000a.log", "");
  EXPECT_TRUE(host.executor().poll(0).empty());
  EXPECT_EQ(files_of_guardians(), 0u);
}

TEST_F(GuardianTest, CardsOfDeadProcessesAreRemoved) {
  const Launch launch = host.launch("exit 0");
  ASSERT_TRUE(write_card(host.files, host.guardians(),
                         {.name = "g00000000000000a",
                          .process = {::getpid(), 1},
                          .boot_id = system::boot_id(),
                          .version = 1}));
  host.executor().recover(launch, std::nullopt);
  EXPECT_EQ(files_of_guardians(), 0u);
}

}  // namespace guardian_card_test
}  // namespace orch::execute
