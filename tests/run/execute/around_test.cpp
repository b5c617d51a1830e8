// Commands around launches: their order, and what is taken back after which death.
#include "run/execute/exit_record.hpp"
#include "run/execute/guardian_fixture.hpp"

namespace orch::execute {
namespace around_test {

using Around = GuardianTest;

// A launch that appends to the file `order`; so do the commands around it.
Launch with_commands(RealHost& host, const std::string& script) {
  Launch launch = host.launch(script);
  const auto append = [&](const std::string& word) {
    return std::vector<std::string>{"sh", "-c",
                                    fmt::format("echo {} >> {}/order", word, host.folder())};
  };
  launch.before = {append("lock")};
  launch.after = {append("restore")};
  launch.undo = launch.work + "/undo.json";
  return launch;
}

TEST_F(Around, CommandsRunBeforeTheLaunchAndOnceItsTreeHasEnded) {
  const Launch launch = with_commands(host, "echo run >> $F/order; exit 3");
  ASSERT_TRUE(host.executor().start(launch));
  EXPECT_EQ(host.wait_for(launch.token).code, 3);
  EXPECT_EQ(host.read("order"), "lock\nrun\nrestore\n");
  EXPECT_FALSE(std::filesystem::exists(launch.undo));
}

TEST_F(Around, ACommandThatFailsRefusesTheLaunchAndIsTakenBack) {
  Launch launch = with_commands(host, "echo run >> $F/order");
  launch.before.push_back({"sh", "-c", "echo 'not permitted' >&2; exit 4"});
  const auto started = host.executor().start(launch);
  ASSERT_FALSE(started);
  EXPECT_NE(started.error().message.find("exit 4: not permitted"), std::string::npos)
      << started.error().message;
  EXPECT_EQ(host.read("order"), "lock\nrestore\n");
  EXPECT_FALSE(std::filesystem::exists(launch.tmp));
}

TEST_F(Around, AGuardiansDeathIsNotTheEndOfWhatItChanged) {
  const Launch launch = with_commands(host, "exec sleep 1000");
  const auto handle = host.executor().start(launch);
  ASSERT_TRUE(handle);
  EXPECT_EQ(host.read("order"), "lock\n");
  ::kill(handle->guardian_process.pid, SIGKILL);
  EXPECT_TRUE(host.wait_for(launch.token).guardian_lost);
  EXPECT_EQ(host.read("order"), "lock\nrestore\n");
}

TEST_F(Around, TheNextOrchestratorTakesBackWhatTwoDeathsLeft) {
  const Launch launch = with_commands(host, "exec sleep 1000");
  const auto handles = host.start_and_die({launch});
  ASSERT_EQ(handles.size(), 1u);
  ::kill(handles[0].guardian_process.pid, SIGKILL);
  host.wait_until_gone(handles[0].guardian_process);
  Launch known;  // what recovery knows of it
  known.token = launch.token;
  known.exit_record = launch.exit_record;
  known.undo = launch.undo;
  EXPECT_EQ(host.executor().recover(known, handles[0]).fate, Recovered::Fate::lost);
  EXPECT_EQ(host.read("order"), "lock\nrestore\n");
}

TEST_F(Around, AListOfAnotherBootOrLaunchIsNotObeyed) {
  const Launch launch = with_commands(host, "exit 0");
  ASSERT_TRUE(run_before(host.host(), launch));
  const std::string list = host.read(launch.token + "/undo.json");
  std::string other_boot = list;
  other_boot.replace(other_boot.find(system::boot_id()), system::boot_id().size(), "another");
  host.write(launch.token + "/undo.json", other_boot);
  EXPECT_TRUE(take_back(host.host(), launch));
  Launch another = launch;
  another.token = system::new_token();
  host.write(launch.token + "/undo.json", list);
  EXPECT_TRUE(take_back(host.host(), another));
  EXPECT_EQ(host.read("order"), "lock\n");
  EXPECT_TRUE(take_back(host.host(), launch));
  EXPECT_EQ(host.read("order"), "lock\nrestore\n");
}

}  // namespace around_test
}  // namespace orch::execute
