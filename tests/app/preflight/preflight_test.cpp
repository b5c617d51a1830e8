#include "app/preflight/preflight.hpp"

#include "app/preflight/place_of_scripts.hpp"
#include "run/slurm/slurm.hpp"

#include <gmock/gmock.h>

namespace orch::preflight {
namespace preflight_test {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

using Preflight = PlaceOfScripts;

TEST_F(Preflight, WhereEverythingIsThereNothingKeepsPointsFromRunning) {
  has_gpus(2);
  for (const char* name : {"own-serve", "own-build"}) machine.say(name, ":");
  const auto sections = look_at("axes: {tp: [1]}\n");
  EXPECT_THAT(lacks_of(sections), IsEmpty());
  EXPECT_FALSE(doctor::lacks_what_was_asked_for(sections));
  EXPECT_TRUE(needs_gpus(planning->current()));
  EXPECT_THAT(lines("points", "axes: {tp: [1]}\n"), ElementsAre("ok would run"));
}

TEST_F(Preflight, NamesEachLackOfABarePlace) {
  const auto lacks = lacks_of(look_at(
      "axes: {tp: [1, 2]}\ndefaults: {image: 'i:1'}\nmachine: {gpus: 8, gpu_model: H100}\n"));
  std::vector<std::string> what;
  for (const doctor::Finding& one : lacks) what.push_back(one.what);
  EXPECT_THAT(what, Contains("'gpus' is stated as '8', but no GPU was detected on this machine"));
  EXPECT_THAT(what, Contains("a stage needs 2 GPUs, but none was detected here"));
  EXPECT_THAT(what, Contains("no podman"));
  for (const doctor::Finding& one : lacks) {
    EXPECT_NE(one.remedy, "") << one.what;
    EXPECT_THAT(one.points, testing::Not(IsEmpty())) << one.what;
  }
}

TEST_F(Preflight, APointThatLacksSomethingIsNotSaidToRun) {
  has_gpus(2);
  machine.say("own-serve", ":");
  const std::string matrix = "axes: {tp: [1]}\n";
  EXPECT_THAT(lacks_of(look_at(matrix)), testing::Not(IsEmpty()));  // own-build
  EXPECT_THAT(lines("points", matrix), IsEmpty());
}

// As `doctor` plans: what only a run asks counts as run.
TEST_F(Preflight, AModelThatIsNotResolvedLeavesItsDiskKnown) {
  has_gpus(2);
  wanted.only_shown = true;
  const std::string matrix =
      "models: {m: {source: 'hf:O/N', revision: main}}\naxes: {model: [m], tp: [1]}\n";
  EXPECT_THAT(lines("points", matrix), ElementsAre("unknown hf:O/N@main is not resolved yet"));
  EXPECT_THAT(lines("disk", matrix), ElementsAre(HasSubstr("256.0 MiB to be written")));
}

TEST_F(Preflight, TheDiskOfAnotherMachineIsUnknown) {
  EXPECT_THAT(lines("disk", "axes: {tp: [1]}\nmachine: {gpus: 8, gpu_model: H100}\n"),
              ElementsAre(HasSubstr("256.0 MiB to be written; the disk of the stated machine")));
}

TEST_F(Preflight, PointsThatRulesRejectAreNoLack) {
  has_gpus(1);
  for (const char* name : {"own-serve", "own-build"}) machine.say(name, ":");
  const auto sections = look_at("axes: {tp: [1, 2]}\n");
  EXPECT_THAT(lacks_of(sections), IsEmpty());
  EXPECT_THAT(doctor::lines_of(sections.front()), Contains(HasSubstr("note reject: ")));
}

TEST_F(Preflight, WhereRulesRejectEveryPointNoneCanRun) {
  has_gpus(1);
  const auto lacks = lacks_of(look_at("axes: {tp: [2]}\n"));
  ASSERT_EQ(lacks.size(), 1u);
  EXPECT_THAT(lacks.front().what, StartsWith("reject: "));
  EXPECT_THAT(lacks.front().remedy, HasSubstr("no point is left to run"));
}

TEST_F(Preflight, AsksNoGpuOfThisHostForNodesOfACluster) {
  options.placement = slurm::k_jobs;
  EXPECT_THAT(lines("GPUs", "axes: {tp: [1]}\nmachine: {gpus: 8, gpu_model: H100}\n"), IsEmpty());
}

}  // namespace preflight_test
}  // namespace orch::preflight
