#include "app/session/host/host_inventory.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

namespace orch::session {
namespace containers_here_test {

using container::Engine;

TEST(ContainersHere, HaveTheCommandAndTheOptionsOfTheSite) {
  Experiment experiment;
  experiment.site.container.engine = Engine::podman;
  experiment.site.container.command = {"podman", "--root", "/data"};
  experiment.site.container.options = {"--security-opt", "label=disable"};
  const attempt::ContainerHost host = containers_here(experiment, {});
  EXPECT_EQ(host.command_of(Engine::podman),
            (std::vector<std::string>{"podman", "--root", "/data"}));
  EXPECT_EQ(host.command_of(Engine::docker), std::vector<std::string>{"docker"});
  EXPECT_EQ(host.options.at(Engine::podman).back(), "label=disable");
}

TEST(ContainersHere, AreThoseOfTheUserWhereTheDaemonIs) {
  Experiment experiment;
  experiment.site.container.engine = Engine::docker;
  EXPECT_FALSE(containers_here(experiment, {}).rootless);
  EXPECT_TRUE(
      containers_here(experiment, {{"DOCKER_HOST", "unix:///run/user/1000/docker.sock"}}).rootless);
  experiment.site.container.engine = Engine::podman;
  EXPECT_EQ(containers_here(experiment, {}).rootless, ::geteuid() != 0);
  experiment.site.container.rootless = true;
  EXPECT_TRUE(containers_here(experiment, {}).rootless);
}

}  // namespace containers_here_test
}  // namespace orch::session
