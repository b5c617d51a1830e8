#include "run/attempt/container_host.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

namespace orch::attempt {
namespace container_host_test {

using container::Engine;
using Words = std::vector<std::string>;

TEST(ContainerHost, CallsAnEngineByItsNameOrAsTheSiteSays) {
  ContainerHost host;
  host.commands[Engine::docker] = {"sudo", "-n", "docker"};
  EXPECT_EQ(host.command_of(Engine::docker), (Words{"sudo", "-n", "docker"}));
  EXPECT_EQ(host.command_of(Engine::podman), Words{"podman"});
  EXPECT_EQ(host.command_of(Engine::cluster), Words{"srun"});
}

TEST(ContainerHost, GivesClientsTheVariablesByWhichTheyFindTheirDaemon) {
  const auto given = client_variables({{"DOCKER_HOST", "unix:///d"},
                                       {"XDG_RUNTIME_DIR", "/run/user/1"},
                                       {"PATH", "/bin"},
                                       {"HF_TOKEN", "x"}});
  EXPECT_EQ(given, (std::map<std::string, std::string>{{"DOCKER_HOST", "unix:///d"},
                                                       {"XDG_RUNTIME_DIR", "/run/user/1"}}));
}

// An image may name a user of its own.
TEST(ContainerHost, NamesTheUserThatIsThisOneInside) {
  EXPECT_EQ(user_option({}, {}), "{container:user}");
  EXPECT_EQ(user_option({.engine = Engine::podman}, {}),
            ::geteuid() == 0 ? "0:0" : "{container:user}");
  EXPECT_EQ(user_option({}, {.rootless = true}), "0:0");
  EXPECT_EQ(user_option({.as_user = false}, {}), "");
  EXPECT_EQ(user_option({.as_user = false}, {.rootless = true}), "");
}

// With keep-id, root inside is another user.
TEST(ContainerHost, LeavesTheUserToAnEngineThatMapsUsersOtherwise) {
  const ContainerHost rootless = {.rootless = true};
  EXPECT_EQ(user_option({.options = {"--userns", "keep-id"}}, rootless), "");
  EXPECT_EQ(user_option({.options = {"--userns=keep-id"}}, rootless), "");
  EXPECT_EQ(user_option({.options = {"--label", "userns"}}, rootless), "0:0");
}

TEST(ContainerHost, KeepsLimitsWithinThoseOfTheCaller) {
  rlimit files{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &files), 0);
  const auto limits = within_hard_limits(
      {{"nofile", "16:32"}, {"core", "0"}, {"unheard_of", "7"}, {"stack", "1024:2048"}});
  EXPECT_EQ(limits.at("nofile"), "16:32");
  EXPECT_EQ(limits.at("core"), "0:0");
  EXPECT_EQ(limits.at("unheard_of"), "7");
  EXPECT_EQ(limits.at("stack"), "1024:2048");
}

TEST(ContainerHost, FindsTheContainersOfItsStoreWhereADaemonKeepsThem) {
  const ContainerHost host = {.commands = {{Engine::docker, {"sudo", "docker"}}}};
  EXPECT_EQ(leftover_list(host, Engine::docker, "/s"),
            (Words{"sudo", "docker", "ps", "--all", "--filter", "label=orchestrate.store=/s",
                   "--format", "{{.Names}}"}));
  EXPECT_EQ(leftover_list(host, Engine::apptainer, "/s"), Words());
  EXPECT_EQ(leftover_removal(host, Engine::docker, {}), Words());
  const Words removal = leftover_removal(host, Engine::docker, {"a", "b"});
  EXPECT_EQ(Words(removal.end() - 3, removal.end()), (Words{"a b", "sudo", "docker"}));
}

}  // namespace container_host_test
}  // namespace orch::attempt
