// Containers and GPUs of the stages of a script, run by bash with a stand-in of docker that notes
// its words and runs the command itself.
#include "core/base/text.hpp"
#include "fakes/plans.hpp"
#include "run/script/bash.hpp"
#include "run/script/script.hpp"
#include "run/script/slurm_script.hpp"

#include <gmock/gmock.h>
#include <unistd.h>

namespace orch::script {
namespace contained_stages_test {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

const std::string k_image = "i@sha256:" + std::string(64, '1');

constexpr const char* k_runner = R"(
runner: toy
parameters:
  flavour: {type: text, default: plain}
container: {image: "@image@", engine: @engine@, caches: [A_CACHE, HF_CACHE]}
stages:
  convert:
    kind: task
    container: true
    reads: [flavour]
    argv: [/bin/sh, "{file:make.sh}", "{out}"]
    inherit: [HF_*]
    outputs: [seen]
  build:
    kind: task
    container: true
    needs: [convert]
    argv: [/bin/sh, "{file:make.sh}", "{out}"]
    outputs: [seen]
  check:
    kind: task
    needs: [build]
    argv: [/bin/sh, "{file:make.sh}", "{out}"]
    outputs: [seen]
  serve:
    {kind: service, needs: [check], argv: [/bin/serve], ports: [http], ready: {port: http, get: [/]}}
  bench: {kind: measure, needs: [serve], argv: ["{orchestrate}"], outputs: [x]}
)";

constexpr const char* k_docker = R"(#!/bin/sh
printf '%s\n' "$@" >>"${0%/*}/words"
while case $1 in i@sha256:*) false ;; esac; do shift; done
shift
exec "$@"
)";

class ContainedStages : public testing::Test {
 protected:
  ContainedStages() {
    fs::create_directories(folder.file("runner"));
    fs::create_directories(folder.file("lib"));
    std::ofstream(folder.file("runner/make.sh"))
        << "echo \"cuda=${CUDA_VISIBLE_DEVICES-unset}\" >\"$1/seen\"\n";
    std::ofstream(folder.file("docker")) << k_docker;
    for (const char* library : {"lib/libcuda.so.1", "lib/libnvidia-ml.so.1"})
      std::ofstream(folder.file(library)) << "x";
    fs::permissions(folder.file("docker"), fs::perms::owner_all);
    facts.runner_files["make.sh"] = "x";
    options.containers.commands[container::Engine::docker] = {folder.file("docker"), "--site"};
    options.containers.options[container::Engine::docker] = {"--more"};
  }
  plan::Plan plan(const std::string& engine) {
    std::string runner = k_runner;
    runner.replace(runner.find("@image@"), 7, k_image);
    runner.replace(runner.find("@engine@"), 8, engine);
    fakes::PlanBuilder builder(runner, {{{"flavour", "plain"}}});
    builder.facts = facts;
    builder.options.until = "check";
    plan::Plan made = builder.plan();
    for (plan::Stage& stage : made.stages) {
      stage.gpus = stage.spec.name == "build" ? 2 : 0;
      stage.driver = stage.spec.name == "convert";
    }
    return made;
  }
  attempt::Layout layout() const {
    return {.store = "/nowhere",
            .project = folder.path().string(),
            .runner = folder.file("runner"),
            .orchestrate = "/bin/true"};
  }
  std::string id(const plan::Plan& plan, const std::string& name) const {
    for (const plan::Stage& stage : plan.stages)
      if (stage.spec.name == name) return stage.id;
    return "";
  }
  // The words of each call of docker, with blanks between them.
  std::vector<std::string> calls() const {
    std::vector<std::string> calls;
    for (const std::string& word : split(read(folder.file("words")), '\n'))
      if (word == "--site") calls.emplace_back(word);
      else if (!calls.empty()) calls.back() += " " + word;
    return calls;
  }
  std::string seen(const plan::Plan& plan, const std::string& name) const {
    return read(folder.file("by-hand/artifacts/" + id(plan, name) + "/out/seen"));
  }

  fakes::TempFolder folder;
  fakes::FakeFacts facts;
  ScriptOptions options;
};

TEST_F(ContainedStages, OfAScriptRun) {
  const plan::Plan toy = plan("docker");
  options.hides_gpus = true;
  const ScriptResult result =
      bash(folder, to_script(toy, layout(), options),
           fmt::format("OUT=by-hand GPUS=4,5,6 HF_ONE=1 CUDA_VISIBLE_DEVICES=7 LD_LIBRARY_PATH={}",
                       folder.file("lib")));
  ASSERT_EQ(result.code, 0) << result.err;
  ASSERT_EQ(calls().size(), 2u);
  const std::string convert = calls()[0] + " ", build = calls()[1] + " ";
  const std::string runner = folder.file("runner"), out = folder.path().string() + "/by-hand";
  for (const std::string& part : std::vector<std::string>{
           " run ", " --name orchestrate-o", " --more ", " --env HF_ONE ",
           fmt::format(" --volume {0}:{0}:ro ", runner),
           fmt::format(" --volume {0}/../common:{0}/../common:ro ", runner),
           fmt::format(" --volume {0}/artifacts/{1}/out:{0}/artifacts/{1}/out ", out,
                       id(toy, "convert")),
           fmt::format(" --volume {}/libcuda.so.1:/usr/lib/libcuda.so.1:ro ", folder.file("lib")),
           " --env NVIDIA_VISIBLE_DEVICES=void ",
           " --env CUDA_VISIBLE_DEVICES= ", " --env USER=orchestrate ", "/A_CACHE ",
           fmt::format(" --user {}:{} ", ::getuid(), ::getgid())})
    EXPECT_THAT(convert, HasSubstr(part));
  EXPECT_THAT(convert, Not(HasSubstr("HF_CACHE"))) << "the stage inherits it";
  EXPECT_THAT(convert, Not(HasSubstr("--gpus")));
  EXPECT_THAT(build, HasSubstr(" --gpus \"device=4,5\" "));
  EXPECT_THAT(build, HasSubstr(" --env CUDA_VISIBLE_DEVICES=0,1 "));
  EXPECT_THAT(build, Not(HasSubstr("libcuda")));
  EXPECT_EQ(seen(toy, "check"), "cuda=\n") << "it holds no GPU";
}

// The script may run on another machine, where RUNNER is the folder.
TEST_F(ContainedStages, OfAScriptHaveFilesOfTheirRunnerInItsFolder) {
  attempt::Layout elsewhere = layout();
  elsewhere.runner = "/project/runners/toy";
  const std::string script = to_script(plan("docker"), elsewhere, options);
  EXPECT_THAT(script, HasSubstr("--volume \"$RUNNER:$RUNNER:ro\""));
  EXPECT_THAT(script, Not(HasSubstr("make.sh:")));
}

TEST_F(ContainedStages, OfAScriptUseTheFirstGpusOrThoseOfTheUser) {
  const plan::Plan toy = plan("docker");
  EXPECT_THAT(to_script(toy, layout(), options), HasSubstr("\nGPUS=${GPUS:-0,1}  # "));
  options.gpus = {"3", "5", "7"};
  const std::string script = to_script(toy, layout(), options);
  EXPECT_THAT(script, HasSubstr("\nGPUS=${GPUS:-3,5,7}  # "));
  const ScriptResult result = bash(folder, script, "OUT=by-hand GPUS=1");
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.err, HasSubstr("GPUS=1 names fewer than the 2 GPUs that a stage needs\n"));
  options.gpus = {"MIG-a", "MIG-b"};
  EXPECT_THAT(to_script(toy, layout(), options), HasSubstr("CUDA_VISIBLE_DEVICES=MIG-a,MIG-b"));
}

TEST_F(ContainedStages, OfJobsHaveTheGpusOfTheirJob) {
  const plan::Plan toy = plan("docker");
  std::map<std::string, std::string> texts;
  for (const ScriptFile& file : to_slurm_files(toy, layout(), options, {}))
    texts[file.name] = file.text;
  const std::string build = texts.at(id(toy, "build") + ".sub");
  EXPECT_THAT(build, HasSubstr("\nIFS=, read -r gpu_0 gpu_1 _ <<<\"${SLURM_JOB_GPUS:-0,1}\"\n"));
  EXPECT_THAT(build, HasSubstr("gpu_1=\"$gpu_1\""));
  EXPECT_THAT(texts.at(id(toy, "build") + ".sh"), HasSubstr("\"\\\"device=$gpu_0,$gpu_1\\\"\""));
  EXPECT_THAT(texts.at(id(toy, "check") + ".sub"), HasSubstr(" CUDA_VISIBLE_DEVICES= "));
  EXPECT_THAT(texts.at("functions.sh"), Not(HasSubstr("GPUS=")));
}

TEST_F(ContainedStages, OfAClusterAreToldToItsPluginAroundTheContainer) {
  const plan::Plan toy = plan("cluster");
  std::map<std::string, std::string> texts;
  for (const ScriptFile& file : to_slurm_files(toy, layout(), options, {}))
    texts[file.name] = file.text;
  const std::string convert = texts.at(id(toy, "convert") + ".sub");
  EXPECT_THAT(convert, HasSubstr(" NVIDIA_VISIBLE_DEVICES=none "));
  EXPECT_THAT(convert, HasSubstr("NVIDIA_DRIVER_CAPABILITIES,NVIDIA_VISIBLE_DEVICES"
                                 "$(compgen -e HF_ | sed 's/^/,/' | tr -d '\\n')"));
  EXPECT_THAT(texts.at(id(toy, "build") + ".sub"), HasSubstr(" NVIDIA_VISIBLE_DEVICES=all "));
}

}  // namespace contained_stages_test
}  // namespace orch::script
