// What the launch of a stage in a container asks of the engine, on this host and on a cluster.
#include "core/base/text.hpp"
#include "fakes/memory_files.hpp"
#include "run/attempt/workspace.hpp"

#include <gmock/gmock.h>

namespace orch::attempt {
namespace workspace_container_test {

using container::Engine;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;
using Words = std::vector<std::string>;

class InContainer : public testing::Test {
 protected:
  InContainer() {
    stage.id = "serve-1a2b";
    stage.spec.name = "serve";
    stage.spec.kind = runner::Kind::service;
    stage.spec.argv = {"/usr/bin/mpirun", "-n", "4", "/bin/serve"};
    stage.gpus = 2;
  }
  // The launch in a container of ENGINE; with NODES, on a cluster.
  execute::Launch launch(Engine engine, int nodes = 0) {
    stage.spec.container =
        std::make_shared<container::Settings>(container::Settings{.engine = engine, .image = "i"});
    plan::Plan plan;
    if (nodes > 0) plan.nodes = {.count = nodes, .gpus = 2};
    Workspace workspace(files,
                        {.layout = {.store = "/store",
                                    .project = "/p",
                                    .runner = "/p/runners/r",
                                    .orchestrate = "/bin/o"},
                         .inherited = variables,
                         .plan = &plan,
                         .containers = host,
                         .places = nodes > 0 ? std::optional(PlaceOptions()) : std::nullopt});
    const std::vector<Attempt> attempts = {
        {.stage = &stage, .token = "o1", .gpus = gpus, .cpus = cpus, .nodes = numa_nodes}};
    return workspace.describe(attempts).front().launch;
  }
  execute::Launch on_cluster(Engine engine, int nodes = 1) {
    stage.gpus = 2 * nodes;
    gpus.clear();
    return launch(engine, nodes);
  }
  static std::string text(const Words& words) { return join(words, " "); }

  fakes::MemoryFiles files;
  plan::Stage stage;
  ContainerHost host;
  std::vector<int> gpus = {2, 3}, cpus;
  std::set<int> numa_nodes;
  std::map<std::string, std::string> variables = {{"PATH", "/bin"}, {"SOME_TOKEN", "value"}};
};

TEST_F(InContainer, OfThisHostSeesTheGpusOfItsAttempt) {
  EXPECT_THAT(text(launch(Engine::docker).argv), HasSubstr("--gpus \"device=2,3\""));
  const execute::Launch apptainer = launch(Engine::apptainer);
  EXPECT_THAT(apptainer.argv, Contains("--nv"));
  EXPECT_THAT(apptainer.argv[4], HasSubstr("CUDA_VISIBLE_DEVICES,"));
  EXPECT_EQ(apptainer.env.at("CUDA_VISIBLE_DEVICES"), "2,3");
}

// Those of the user or of a scheduler are numbers of the host.
TEST_F(InContainer, NeverGetsTheVisibleGpusOfThisProcess) {
  variables["CUDA_VISIBLE_DEVICES"] = "6,7";
  stage.spec.inherit = {"CUDA_*", "CUDA_VISIBLE_DEVICES"};
  for (const Engine engine : {Engine::docker, Engine::podman}) {
    const Words argv = launch(engine).argv;
    EXPECT_THAT(argv, Contains("CUDA_VISIBLE_DEVICES=0,1"));
    EXPECT_THAT(argv, Not(Contains("CUDA_VISIBLE_DEVICES"))) << "the engine would pass it on";
  }
}

TEST_F(InContainer, WithoutGpusSeesNone) {
  stage.gpus = 0;
  gpus.clear();
  EXPECT_THAT(text(launch(Engine::docker).argv), HasSubstr(" NVIDIA_VISIBLE_DEVICES=void "));
  EXPECT_EQ(launch(Engine::cluster).env.at("NVIDIA_VISIBLE_DEVICES"), "void")
      << "its hook reads it before the container is there";
}

// Those of its client are not its own.
TEST_F(InContainer, OfADaemonIsKeptOnTheCpusOfItsAttempt) {
  EXPECT_THAT(text(launch(Engine::docker).argv), Not(HasSubstr("cpuset")));
  cpus = {4, 5, 6, 12};
  numa_nodes = {1, 2};
  host.memory_nodes = {0, 1};  // a process may have CPUs of a node without memory
  host.options[Engine::docker] = {"--cpuset-cpus=0"};
  const std::string docker = text(launch(Engine::docker).argv);
  EXPECT_THAT(docker, HasSubstr(" --cpuset-cpus 4-6,12 --cpuset-mems 1 "));
  EXPECT_LT(docker.find("--cpuset-cpus 4-6"), docker.find("--cpuset-cpus=0"))
      << "the last word counts, and it is the user's";
  EXPECT_THAT(text(launch(Engine::podman).argv),
              HasSubstr(" --cpuset-cpus 4-6,12 --cpuset-mems 1 "));
  EXPECT_THAT(text(launch(Engine::apptainer).argv), Not(HasSubstr("cpuset")));
  EXPECT_THAT(text(on_cluster(Engine::podman).argv), Not(HasSubstr("cpuset"))) << "of another host";
}

TEST_F(InContainer, OfPodmanWithoutRootIsNotKeptOnCpus) {
  cpus = {4};
  host.rootless = true;
  EXPECT_THAT(text(launch(Engine::podman).argv), Not(HasSubstr("cpuset")));
  EXPECT_THAT(text(launch(Engine::docker).argv), HasSubstr(" --cpuset-cpus 4 "))
      << "docker ignores what it cannot set";
}

TEST_F(InContainer, OfPodmanWithoutRootIsRootUnlessTheSiteMapsUsers) {
  host.rootless = true;
  EXPECT_THAT(text(launch(Engine::podman).argv), HasSubstr(" --user 0:0 --userns host "));
  host.options[Engine::podman] = {"--userns", "keep-id"};
  EXPECT_THAT(text(launch(Engine::podman).argv), Not(HasSubstr("--user ")));
}

TEST_F(InContainer, OfAClusterSeesTheGpusOfItsJob) {
  const std::string docker = text(on_cluster(Engine::docker).argv);
  EXPECT_THAT(docker, HasSubstr("--gpus \"device={gpu:0},{gpu:1}\""));
  EXPECT_THAT(docker, HasSubstr("--env CUDA_VISIBLE_DEVICES=0,1 "));
  EXPECT_THAT(text(on_cluster(Engine::podman).argv),
              HasSubstr("--device nvidia.com/gpu={gpu:0} --device "
                        "nvidia.com/gpu={gpu:1}"));
  const Words apptainer = on_cluster(Engine::apptainer).argv;
  EXPECT_THAT(apptainer, Contains("--nv"));
  EXPECT_THAT(text(apptainer), HasSubstr("CUDA_VISIBLE_DEVICES"));
  EXPECT_THAT(text(apptainer), Not(HasSubstr("CUDA_VISIBLE_DEVICES=")));
  EXPECT_THAT(text(on_cluster(Engine::cluster).argv), HasSubstr("CUDA_VISIBLE_DEVICES"));
}

TEST_F(InContainer, OfAClusterSeesNoneWhereItsStageRequestsNone) {
  stage.gpus = 0;
  gpus.clear();
  EXPECT_THAT(text(launch(Engine::docker, 1).argv), Not(HasSubstr("--gpus")));
  EXPECT_THAT(launch(Engine::apptainer, 1).argv, Not(Contains("--nv")));
}

// srun itself keeps the HOME of the user: plugins look for credentials there.
TEST_F(InContainer, OfTheClustersPluginHasItsFolderAsHome) {
  const auto one = on_cluster(Engine::cluster);
  EXPECT_FALSE(one.env.contains("HOME"));
  EXPECT_THAT(text(one.argv),
              HasSubstr(" /usr/bin/env CUDA_DEVICE_ORDER=PCI_BUS_ID HOME=/tmp/o1 USER=orchestrate "
                        "XDG_CACHE_HOME=/tmp/o1/.cache /usr/bin/mpirun"));
  EXPECT_THAT(text(one.argv), HasSubstr("/tmp/o1:/tmp/o1 "));
  EXPECT_EQ(one.place.container, Words());
}

// A server and its measurements are steps of one job, and the second would wait for the first.
TEST_F(InContainer, OfTheClustersPluginIsAStepBesideOthers) {
  EXPECT_THAT(
      text(on_cluster(Engine::cluster).argv),
      HasSubstr("srun --overlap --nodes=1 --ntasks=1 --cpu-bind=none --container-image=i "));
  EXPECT_THAT(text(launch(Engine::cluster).argv), Not(HasSubstr("--overlap")));
  EXPECT_THAT(text(on_cluster(Engine::cluster, 2).place.container), Not(HasSubstr("--ntasks=1")));
}

// A node has others, or none: the lines of the site may set them.
TEST_F(InContainer, OfAClusterHasItsFoldersOfTheClientAsInherited) {
  variables["XDG_RUNTIME_DIR"] = "/run/user/7";
  const auto podman = on_cluster(Engine::podman);
  EXPECT_EQ(podman.env.at("XDG_RUNTIME_DIR"), "/run/user/7");
  EXPECT_THAT(podman.place.inherited, Contains("XDG_RUNTIME_DIR"));
}

// What one node alone would have is mounted in none: its temporary folder and shared memory.
TEST_F(InContainer, OnSeveralNodesSharesTheFolderOfItsAttempt) {
  stage.spec.secrets = {"SOME_TOKEN"};
  const auto divided = on_cluster(Engine::cluster, 2);
  EXPECT_EQ(divided.argv, stage.spec.argv);
  const Words& container = divided.place.container;
  ASSERT_FALSE(container.empty());
  EXPECT_EQ(container.front(), "srun");
  EXPECT_THAT(text(container), HasSubstr("/store/attempts/o1/ranks:/store/attempts/o1/ranks:ro"));
  EXPECT_THAT(text(container), Not(HasSubstr("/tmp/o1:")));
  EXPECT_THAT(text(container), Not(HasSubstr("/dev/shm")));
  EXPECT_THAT(text(container), HasSubstr(",SOME_TOKEN,"));
  EXPECT_EQ(text(container).find("value"), std::string::npos) << "of the secret";
  EXPECT_EQ(divided.env.at("SOME_TOKEN"), "value");
  EXPECT_EQ(divided.hidden_file, "") << "on the file system of the results, it could stay";
}

// Each rank starts a container: the words stand in front of its program.
TEST_F(InContainer, OfApptainerOnSeveralNodesIsInFrontOfEachRank) {
  const auto divided = on_cluster(Engine::apptainer, 2);
  EXPECT_EQ(divided.place.container, Words());
  const auto mpirun = std::find(divided.argv.begin(), divided.argv.end(), "/usr/bin/mpirun");
  EXPECT_EQ(text({divided.argv.begin(), mpirun}).substr(0, 7), "/bin/sh");
  EXPECT_EQ(*(mpirun - 1), "docker://i");
}

}  // namespace workspace_container_test
}  // namespace orch::attempt
