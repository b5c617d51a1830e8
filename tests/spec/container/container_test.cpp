// The command line of each engine, word by word, and what is mounted how.
#include "spec/container/container.hpp"

#include "core/base/text.hpp"

#include <algorithm>
#include <cstdio>

#include <gtest/gtest.h>

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

std::string text_of(Engine engine, const Words& gpus) {
  Start start = start_of(std::string(to_string(engine)));
  start.gpus = gpus;
  return join(words_of(settings_of(engine), start), " ") + " ";
}
bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

// Images ask for all of them, and NVIDIA's runtime may be docker's default.
TEST(Container, WithoutGpusSeesNone) {
  for (const Engine engine : {Engine::docker, Engine::podman}) {
    const std::string text = text_of(engine, {});
    EXPECT_TRUE(has(text, " --env NVIDIA_VISIBLE_DEVICES=void ")) << text;
    EXPECT_TRUE(has(text, " --env CUDA_VISIBLE_DEVICES= ")) << text;
    EXPECT_FALSE(has(text, "--gpus")) << text;
    EXPECT_FALSE(has(text, "--device")) << text;
  }
  EXPECT_FALSE(has(text_of(Engine::apptainer, {}), "--nv"));
  Start start = start_of("srun");
  start.gpus.clear();
  EXPECT_EQ(variables_around(settings_of(Engine::cluster), start),
            (std::map<std::string, std::string>{{"NVIDIA_VISIBLE_DEVICES", "void"}}));
}

// Programs that cannot read UUIDs see numbers; CUDA takes a device of a split GPU by UUID only.
TEST(Container, NumbersItsGpusFromZeroUnlessTheyAreDevicesOfSplitOnes) {
  for (const Words& gpus :
       {Words{"2", "3"}, Words{"GPU-8f", "GPU-9f"}, Words{"{gpu:0}", "{gpu:1}"}})
    EXPECT_TRUE(has(text_of(Engine::docker, gpus), " --env CUDA_VISIBLE_DEVICES=0,1 "));
  EXPECT_TRUE(has(text_of(Engine::docker, {"MIG-8f", "MIG-9f"}),
                  " --env CUDA_VISIBLE_DEVICES=MIG-8f,MIG-9f "));
}

TEST(Container, ListsNamesThatAreNotKnownYetBehindTheOthers) {
  Start start = start_of("x");
  start.pass = {matching("HF_*"), "TZ"};
  const Words docker = words_of(settings_of(Engine::docker), start);
  const auto several = std::find(docker.begin(), docker.end(), "{variables:HF_}");
  ASSERT_NE(several, docker.end());
  EXPECT_EQ(Words(several + 1, several + 3), (Words{"--env", "TZ"}));
  EXPECT_EQ(words_of(settings_of(Engine::apptainer), start)[4],
            "CUDA_VISIBLE_DEVICES,TZ{variables:HF_}");
  EXPECT_TRUE(has(join(words_of(settings_of(Engine::cluster), start), " ") + " ",
                  " --container-env=TZ,CUDA_VISIBLE_DEVICES,NVIDIA_DRIVER_CAPABILITIES,"
                  "NVIDIA_VISIBLE_DEVICES{variables:HF_} "));
}

TEST(Container, OfApptainerIsAProcessOfTheTree) {
  Start start = start_of("apptainer");
  const Words words = words_of(settings_of(Engine::apptainer), start);
  EXPECT_EQ(words[4], "CUDA_VISIBLE_DEVICES,HF_HOME");
  EXPECT_EQ(
      Words(words.begin() + 5, words.end()),
      (Words{"apptainer", "exec", "--cleanenv", "--no-home", "--pwd", "/store/attempts/o1/work",
             "--nv", "--bind", "/store/artifacts/build-1:/store/artifacts/build-1:ro", "--bind",
             "/store/attempts/o1/work:/store/attempts/o1/work:rw", "--env", "HOME=/tmp/o1",
             "--cap-add", "SYS_NICE", "docker://nvcr.io/nvidia/tritonserver@" + k_digest}));
  for (const char* complete : {"/images/triton.sif", "oras://ghcr.io/a/b:1", "oci-archive:a.tar"}) {
    start.image = complete;
    EXPECT_EQ(words_of(settings_of(Engine::apptainer), start).back(), complete);
  }
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
      (Words{"srun", "--mpi=pmix", "--container-image=nvcr.io#nvidia/tritonserver@" + k_digest,
             "--container-mounts=/store/artifacts/build-1:/store/artifacts/build-1:ro,"
             "/store/attempts/o1/work:/store/attempts/o1/work",
             "--container-workdir=/store/attempts/o1/work", "--no-container-mount-home",
             "--container-env=HF_HOME,CUDA_VISIBLE_DEVICES,NVIDIA_DRIVER_CAPABILITIES,"
             "NVIDIA_VISIBLE_DEVICES",
             "--no-container-entrypoint", "/usr/bin/env", "HOME=/tmp/o1"}));
}

TEST(Container, OfAClusterIsNamedAsEveryEnrootReadsIt) {
  const auto named = [](const std::string& image) {
    Start start = start_of("srun");
    start.image = image;
    return words_of(settings_of(Engine::cluster), start)[1].substr(
        std::string_view("--container-image=").size());
  };
  EXPECT_EQ(named("nvcr.io/nvidia/tritonserver:24.10"), "nvcr.io#nvidia/tritonserver:24.10");
  EXPECT_EQ(named("nvcr.io/nvidia/tritonserver:24.10@" + k_digest),
            "nvcr.io#nvidia/tritonserver:24.10");
  EXPECT_EQ(named("host:5000/a/b:1"), "host:5000#a/b:1");
  EXPECT_EQ(named("nvcr.io#a/b:1"), "nvcr.io#a/b:1");
  EXPECT_EQ(named("vllm/vllm-openai:v0.9"), "vllm/vllm-openai:v0.9");
  EXPECT_EQ(named("/images/nvcr.io/a.sqsh"), "/images/nvcr.io/a.sqsh");
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
  for (const char* name :
       {"PATH", "LD_LIBRARY_PATH", "DOCKER_HOST", "CONTAINERS_CONF", "CUDA_VISIBLE_DEVICES"})
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
  EXPECT_EQ(
      why_not_mounted("/data/a:b"),
      "'/data/a:b' has ':' in its path, which no container engine can mount; use another path");
  EXPECT_NE(why_not_mounted("/data/a,b"), "");
}

}  // namespace container_test
}  // namespace orch::container
