// The command line of each engine, word by word, and what is mounted how.
#include "container/container.hpp"

#include "base/text.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>

namespace orch::container {
namespace container_test {

using Words = std::vector<std::string>;

const std::string k_digest =
    "sha256:302d84583b79a5362c6b28ae4c8e13120df4317f45bb9a1f34824045543886ec";

Settings settings_of(Engine engine) {
  return {.engine = engine,
          .image = "nvcr.io/nvidia/tritonserver:24.10-trtllm-python-py3",
          .shm_size = "16g",
          .ulimits = {{"memlock", "-1"}, {"stack", "67108864"}},
          .options = {"--cap-add", "SYS_NICE"}};
}

Start start_of(const std::string& engine) {
  return {.engine = {engine},
          .image = "nvcr.io/nvidia/tritonserver@" + k_digest,
          .name = "orchestrate-o1",
          .labels = {{"orchestrate.attempt", "o1"}, {"orchestrate.run", "7"}},
          .mounts = {{"/store/artifacts/build-1"}, {"/store/attempts/o1/work", true}},
          .work = "/store/attempts/o1/work",
          .pass = {"HF_HOME"},
          .set = {{"HOME", "/tmp/o1"}},
          .gpus = Words{"2", "3"},
          .cpus = "4-6,12",
          .numa_nodes = "1",
          .user = "1000:1000"};
}

TEST(Container, OfDockerIsOneCommandLine) {
  EXPECT_EQ(words_of(settings_of(Engine::docker), start_of("docker")),
            (Words{"docker",
                   "run",
                   "--rm",
                   "--interactive",
                   "--init",
                   "--name",
                   "orchestrate-o1",
                   "--label",
                   "orchestrate.attempt=o1",
                   "--label",
                   "orchestrate.run=7",
                   "--network",
                   "host",
                   "--shm-size",
                   "16g",
                   "--ulimit",
                   "memlock=-1",
                   "--ulimit",
                   "stack=67108864",
                   "--gpus",
                   "\"device=2,3\"",
                   "--cpuset-cpus",
                   "4-6,12",
                   "--cpuset-mems",
                   "1",
                   "--user",
                   "1000:1000",
                   "--volume",
                   "/store/artifacts/build-1:/store/artifacts/build-1:ro",
                   "--volume",
                   "/store/attempts/o1/work:/store/attempts/o1/work",
                   "--workdir",
                   "/store/attempts/o1/work",
                   "--env",
                   "HF_HOME",
                   "--env",
                   "HOME=/tmp/o1",
                   "--env",
                   "CUDA_VISIBLE_DEVICES=0,1",
                   "--entrypoint",
                   "",
                   "--cap-add",
                   "SYS_NICE",
                   "nvcr.io/nvidia/tritonserver@" + k_digest}));
}

TEST(Container, OfPodmanNamesGpusAsDevices) {
  Settings settings = settings_of(Engine::podman);
  settings.entrypoint = true;
  Start start = start_of("podman");
  start.engine = {"podman", "--root", "/s"};
  start.user = start.cpus = start.numa_nodes = "";
  const Words words = words_of(settings, start);
  EXPECT_EQ(Words(words.begin(), words.begin() + 5),
            (Words{"podman", "--root", "/s", "run", "--rm"}));
  const auto device = std::find(words.begin(), words.end(), "--device");
  ASSERT_NE(device, words.end());
  EXPECT_EQ(Words(device, device + 5),
            (Words{"--device", "nvidia.com/gpu=2", "--device", "nvidia.com/gpu=3", "--volume"}));
  EXPECT_EQ(std::count(words.begin(), words.end(), "--entrypoint"), 0);
  EXPECT_EQ(std::count(words.begin(), words.end(), "--user"), 0);
}

TEST(Container, GetsAllGpusOrNone) {
  Start start = start_of("docker");
  start.gpus = Words{};
  Words words = words_of(settings_of(Engine::docker), start);
  const auto gpus = std::find(words.begin(), words.end(), "--gpus");
  ASSERT_NE(gpus, words.end());
  EXPECT_EQ(*(gpus + 1), "all");
  start.gpus.reset();
  words = words_of(settings_of(Engine::docker), start);
  EXPECT_EQ(std::count(words.begin(), words.end(), "--gpus"), 0);
  start.gpus = Words{"GPU-8f3c"};
  words = words_of(settings_of(Engine::docker), start);
  EXPECT_EQ(std::count(words.begin(), words.end(), "CUDA_VISIBLE_DEVICES=0"), 0)
      << "a UUID stays what it is";
}

TEST(Container, OfApptainerIsAProcessOfTheTree) {
  Start start = start_of("apptainer");
  start.pass.clear();
  EXPECT_EQ(
      words_of(settings_of(Engine::apptainer), start),
      (Words{"apptainer", "exec", "--cleanenv", "--no-home", "--pwd", "/store/attempts/o1/work",
             "--nv", "--bind", "/store/artifacts/build-1:/store/artifacts/build-1:ro", "--bind",
             "/store/attempts/o1/work:/store/attempts/o1/work:rw", "--env", "HOME=/tmp/o1",
             "--cap-add", "SYS_NICE", "nvcr.io/nvidia/tritonserver@" + k_digest}));
  EXPECT_TRUE(removal_of(settings_of(Engine::apptainer), start_of("apptainer")).empty());
}

// As with docker, no value stands in a command line. Apptainer is /usr/bin/env here.
TEST(Container, OfApptainerGetsVariablesUnderThePrefixThatApptainerTakesOff) {
  Start start = start_of("apptainer");
  start.pass = {"QUOTED", "name", "EMPTY", "ABSENT", "not.a.name"};
  Words words = words_of(settings_of(Engine::apptainer), start);
  const auto engine = std::find(words.begin(), words.end(), "apptainer");
  ASSERT_NE(engine, words.end());
  words.erase(engine, words.end());
  words.insert(words.end(), {"/usr/bin/env"});
  const std::string command =
      "env -i name=mine QUOTED='it'\\''s \"$HOME\" `x`' EMPTY= " + shell_quote(std::span(words));
  FILE* said = ::popen((command + " | grep APPTAINER | LC_ALL=C sort").c_str(), "r");
  std::string text(1000, ' ');
  text.resize(std::fread(text.data(), 1, text.size(), said));
  EXPECT_EQ(::pclose(said), 0);
  EXPECT_EQ(
      text,
      "APPTAINERENV_EMPTY=\nAPPTAINERENV_QUOTED=it's \"$HOME\" `x`\nAPPTAINERENV_name=mine\n");
}

TEST(Container, OfAClusterIsInTheOptionsOfSrun) {
  Settings settings = settings_of(Engine::cluster);
  settings.options.clear();
  Start start = start_of("srun");
  start.engine = {"srun", "--mpi=pmix"};
  EXPECT_EQ(
      words_of(settings, start),
      (Words{"srun", "--mpi=pmix", "--container-image=nvcr.io/nvidia/tritonserver@" + k_digest,
             "--container-mounts=/store/artifacts/build-1:/store/artifacts/build-1:ro,"
             "/store/attempts/o1/work:/store/attempts/o1/work",
             "--container-workdir=/store/attempts/o1/work", "--no-container-mount-home",
             "--container-env=HF_HOME", "--no-container-entrypoint", "/usr/bin/env",
             "HOME=/tmp/o1"}));
}

TEST(Container, ReadsSecretsFromAFileInside) {
  Start start = start_of("docker");
  start.secrets = "/tmp/o1/secrets";
  const Words words = words_of(settings_of(Engine::docker), start);
  EXPECT_EQ(Words(words.end() - 4, words.end()),
            (Words{"/bin/sh", "-c", "set -a; . \"$0\"; set +a; exec \"$@\"", "/tmp/o1/secrets"}));
}

TEST(Container, BeginsAtTheMarkerOrInFront) {
  const Words start = {"docker", "run", "image"};
  EXPECT_EQ(put_in({"trtllm-build", "--help"}, start),
            (Words{"docker", "run", "image", "trtllm-build", "--help"}));
  EXPECT_EQ(put_in({"orchestrate", "prompts", "{container}", "python3"}, start),
            (Words{"orchestrate", "prompts", "docker", "run", "image", "python3"}));
  EXPECT_EQ(put_in({"orchestrate", "prompts", "{container}", "python3"}, {}),
            (Words{"orchestrate", "prompts", "python3"}));
}

TEST(Container, IsRemovedByName) {
  const Words removal = removal_of(settings_of(Engine::docker), start_of("docker"));
  ASSERT_EQ(removal.size(), 6u);
  EXPECT_EQ(removal[4], "orchestrate-o1");
  EXPECT_EQ(removal[5], "docker");
}

TEST(Images, AreToldApartByDigestOrId) {
  EXPECT_EQ(digest_of("nvcr.io/nvidia/tritonserver@" + k_digest), k_digest);
  EXPECT_EQ(digest_of(k_digest), k_digest);
  EXPECT_EQ(digest_of("nvcr.io/nvidia/tritonserver:24.10-py3"), "");
  EXPECT_EQ(digest_of("image@sha256:302d"), "");
  EXPECT_EQ(digest_of("image@sha256:" + std::string(64, 'G')), "");
}

TEST(Variables, OfTheHostStayOutside) {
  for (const char* name : {"PATH", "LD_LIBRARY_PATH", "DOCKER_HOST", "CONTAINERS_CONF"})
    EXPECT_TRUE(stays_outside(name)) << name;
  for (const char* name : {"HF_TOKEN", "CUDA_DEVICE_ORDER", "ORCHESTRATE_ATTEMPT"})
    EXPECT_FALSE(stays_outside(name)) << name;
}

TEST(Mounts, WithoutThoseThatAnotherOneBrings) {
  EXPECT_EQ(without_inner({{"/a/b"}, {"/a", true}, {"/a/b/c"}, {"/ab"}, {"/a", false}}),
            (std::vector<Mount>{{"/a", true}, {"/a/b"}, {"/ab"}}));
  EXPECT_EQ(without_inner({{"/s"}, {"/s/out", true}, {"/s/out/x", true}}),
            (std::vector<Mount>{{"/s"}, {"/s/out", true}}));
  EXPECT_EQ(without_inner({{"/s"}, {"/s/x"}}), (std::vector<Mount>{{"/s"}}));
}

TEST(Mounts, RefuseWhatEnginesReadAsSeparators) {
  EXPECT_EQ(why_not_mounted("/data/a b"), "");
  EXPECT_EQ(why_not_mounted("/data/a:b"),
            "'/data/a:b' has ':' in its path, and no container engine can mount it; use another "
            "path");
  EXPECT_NE(why_not_mounted("/data/a,b"), "");
}

}  // namespace container_test
}  // namespace orch::container
