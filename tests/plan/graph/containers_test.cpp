// Stages in containers: what their digests hold, which image they wait for, what they are given.
#include "plan/graph/containers.hpp"

#include "fakes/plans.hpp"

#include <gmock/gmock.h>

namespace orch::plan {
namespace containers_test {

using fakes::PlanBuilder;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;

const std::string k_one = "repo/engine@sha256:" + std::string(64, '1'),
                  k_two = "repo/engine@sha256:" + std::string(64, '2');

constexpr const char* k_runner = R"(
runner: toy
parameters:
  image: {type: text, optional: true}
  engine: {type: text, optional: true}
  more: {type: text, optional: true}
container:
  when: image IS NOT NULL
  image: "{image}"
  engine: "{engine}"
  shm_size: 16g
  options: [--privileged, {words: more}]
  folders: ["{more}"]
stages:
  download: {kind: task, argv: [/bin/get, "{out}"], outputs: [model]}
  convert:
    kind: task
    needs: [download]
    container: true
    executables: [/usr/bin/tool]
    version: [/usr/bin/tool, --version]
    argv: [/usr/bin/tool, "{stage:download}", "{out}"]
    outputs: [model]
  serve:
    kind: service
    needs: [convert]
    container: true
    argv: [/bin/serve, "{stage:convert}"]
    ports: [http]
    ready: {port: http, get: [/]}
  bench: {kind: measure, needs: [serve], argv: [/bin/bench], outputs: [x]}
)";

PlanBuilder with(const fakes::Parameters& parameters) {
  PlanBuilder builder(k_runner, {parameters});
  const bool contained =
      std::any_of(parameters.begin(), parameters.end(),
                  [](const auto& parameter) { return parameter.first == "image"; });
  // One answer for every question: the 'when' of the container.
  for (matrix::Point& point : builder.expansion.points)
    point.answers.assign(builder.manifest.questions.size(), contained ? 1 : 0);
  builder.facts.versions["/usr/bin/tool --version"] = "1.0";
  builder.facts.images["docker repo/engine:latest"] = k_one;
  return builder;
}

const Stage& stage_of(const Plan& plan, const std::string& name) {
  return *std::find_if(plan.stages.begin(), plan.stages.end(),
                       [&](const Stage& stage) { return stage.spec.name == name; });
}

TEST(ContainedStage, IsIdentifiedByTheImageAndNotByItsTag) {
  PlanBuilder tag = with({{"image", "repo/engine:latest"}}), pinned = with({{"image", k_one}});
  const Plan by_tag = tag.plan(), by_digest = pinned.plan();
  EXPECT_EQ(stage_of(by_tag, "convert").digest, stage_of(by_digest, "convert").digest);
  EXPECT_EQ(stage_of(by_tag, "convert").spec.container->pinned, k_one);
  tag.facts.images["docker repo/engine:latest"] = k_two;
  EXPECT_NE(stage_of(tag.plan(), "convert").digest, stage_of(by_tag, "convert").digest);
  EXPECT_THAT(pinned.facts.lookups, Not(Contains("docker " + k_one))) << "nobody has to be asked";
}

TEST(ContainedStage, IsTheSameByEveryEngineAndAnotherWithOtherOptions) {
  PlanBuilder docker = with({{"image", k_one}}),
              podman = with({{"image", k_one}, {"engine", "podman"}}),
              more = with({{"image", k_one}, {"more", "--cpus 4"}});
  const Plan plan = podman.plan();
  EXPECT_EQ(stage_of(plan, "convert").spec.container->engine, container::Engine::podman);
  EXPECT_EQ(stage_of(plan, "convert").digest, stage_of(docker.plan(), "convert").digest);
  const Plan other = more.plan();
  EXPECT_NE(stage_of(other, "convert").digest, stage_of(plan, "convert").digest);
  EXPECT_THAT(stage_of(other, "convert").spec.container->options,
              ElementsAre("--privileged", "--cpus", "4"));
}

TEST(ContainedStage, WaitsForAnImageThatNobodyHasAskedFor) {
  PlanBuilder builder = with({{"image", "repo/other:1"}});
  const Plan plan = builder.plan();
  const Stage& convert = stage_of(plan, "convert");
  EXPECT_THAT(convert.unknown, ElementsAre("image:docker repo/other:1"));
  EXPECT_EQ(convert.digest, Digest{});
  EXPECT_EQ(plan.points.front().why,
            "waits for the digest of image repo/other:1: `run` asks docker");
}

TEST(ContainedStage, HasTheProgramsOfItsImage) {
  PlanBuilder builder = with({{"image", k_one}});
  const Plan plan = builder.plan();
  EXPECT_EQ(stage_of(plan, "convert").spec.version, nullptr);
  EXPECT_THAT(builder.facts.lookups, Not(Contains("/usr/bin/tool")));
  EXPECT_THAT(stage_of(plan, "convert").inputs, Not(Contains("/usr/bin/tool")));
}

TEST(ContainedStage, WithoutAnImageRunsOnTheHost) {
  PlanBuilder builder = with({});
  const Plan plan = builder.plan();
  EXPECT_EQ(stage_of(plan, "convert").spec.container, nullptr);
  EXPECT_NE(stage_of(plan, "convert").spec.version, nullptr);
}

TEST(ContainedStage, RefusesAnUnknownEngine) {
  PlanBuilder builder = with({{"image", k_one}, {"engine", "rocket"}});
  EXPECT_THAT(builder.plan_errors(),
              Contains("runner.yaml:8:3: 'rocket' is not a container engine; write docker, podman, "
                       "apptainer or cluster"));
}

TEST(ContainerStart, MountsWhatTheStageNeedsAndWrites) {
  PlanBuilder builder = with({{"image", k_one}, {"more", "/data"}});
  const Plan plan = builder.plan();
  const Stage &download = stage_of(plan, "download"), &convert = stage_of(plan, "convert"),
              &serve = stage_of(plan, "serve");
  EXPECT_THAT(upstream_of(plan, download), IsEmpty());
  EXPECT_THAT(upstream_of(plan, serve), ElementsAre(download.id, convert.id));
  const container::Start start = container_start(plan, serve);
  EXPECT_EQ(start.image, k_one);
  EXPECT_EQ(start.work, "{work}");
  EXPECT_THAT(
      start.mounts,
      ElementsAre(container::Mount{"{work}", true}, container::Mount{"{tmp}", true},
                  container::Mount{"{container:shm}", true}, container::Mount{"{container:runner}"},
                  container::Mount{"{container:common}"},
                  container::Mount{"{stage:" + download.id + "}", false},
                  container::Mount{"{stage:" + convert.id + "}", false},
                  container::Mount{"/data", true}));
  EXPECT_THAT(container_start(plan, convert).mounts, Contains(container::Mount{"{out}", true}));
}

TEST(ContainerStart, NamesFoldersThatAUserWithoutAnEntryCanWrite) {
  PlanBuilder builder = with({{"image", k_one}});
  builder.manifest.container->caches = {"ONE_CACHE", "SET_CACHE", "HF_HOME"};
  for (const char* name : {"convert", "serve"}) {
    builder.kind(name).container = builder.manifest.container;
    builder.kind(name).inherit = {"HF_*"};
    builder.kind(name).env = {{"SET_CACHE", "/x"}};
  }
  const Plan plan = builder.plan();
  const container::Start start = container_start(plan, stage_of(plan, "convert"));
  EXPECT_EQ(start.set, (std::map<std::string, std::string>{{"HOME", "{tmp}"},
                                                           {"ONE_CACHE", "{tmp}/ONE_CACHE"},
                                                           {"USER", "orchestrate"},
                                                           {"XDG_CACHE_HOME", "{tmp}/.cache"}}));
  EXPECT_THAT(start.pass, Contains("SET_CACHE"));
  EXPECT_THAT(start.pass, Contains("{variables:HF_}"));
  EXPECT_THAT(start.pass, Not(Contains("USER")));
}

}  // namespace containers_test
}  // namespace orch::plan
