#include "app/preflight/place_of_scripts.hpp"
#include "app/preflight/preflight.hpp"

#include <gmock/gmock.h>

namespace orch::preflight {
namespace images_test {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// A podman that has the image, and whose containers are this machine; it prints a banner as entry
// points do.
constexpr const char* k_podman = R"(
case "$1 $2" in
  "image inspect") echo NVIDIA_REQUIRE_CUDA=cuda\>=12.6; exit 0;;
  "manifest inspect") exit 0;;
esac
echo == Triton ==
while [ "$1" != /bin/sh ]; do shift; done
exec "$@")";
constexpr const char* k_absent =
    "case \"$1\" in image) echo 'Error: i:1: image not known' >&2; exit 125;; esac\n";

class Images : public PlaceOfScripts {
 protected:
  Images() { has_gpus(2); }
  std::vector<std::string> with(const std::string& podman, const std::string& more = "") {
    machine.say("podman", podman);
    return lines("images", "axes: {tp: [1, 2]}\ndefaults: {image: 'i:1'" + more + "}\n");
  }
};

TEST_F(Images, AreSearchedForTheProgramsAndFilesThatStagesName) {
  machine.say("own-serve", ":");
  const auto found = with(k_podman);
  EXPECT_THAT(found, Contains("missing image i:1 has no own-build -> an image that has it, or the "
                              "parameter that names its path in the image"));
  EXPECT_THAT(found, Contains(StartsWith("missing image i:1 has no /app/tools/build.py -> ")));
  EXPECT_THAT(found, Contains("ok image i:1 has 2 of the 4 programs and files that stages name"));
  EXPECT_THAT(found, Not(Contains(HasSubstr("own-serve"))));
}

TEST_F(Images, ThatHaveEverythingLackNothing) {
  for (const char* name : {"own-serve", "own-build"}) machine.say(name, ":");
  write("build.py", "");
  const auto found = with(k_podman, ", tools: '" + machine.folder.path().string() + "'");
  EXPECT_THAT(found, Contains("ok image i:1 has 4 of the 4 programs and files that stages name"));
  EXPECT_THAT(found, Not(Contains(HasSubstr("image i:1 has no"))));
}

TEST_F(Images, ThatAreNotHereHideWhatTheyHave) {
  EXPECT_THAT(with(std::string(k_absent) + "[ \"$1\" = manifest ]"),
              Contains("unknown image i:1 is not here; it can be inspected after it is pulled -> "
                       "orchestrate doctor MATRIX --pull"));
}

TEST_F(Images, ThatNoRegistryGivesKeepPointsFromRunning) {
  EXPECT_THAT(
      with(std::string(k_absent) + "echo 'unauthorized' >&2; exit 125"),
      Contains(StartsWith("missing image i:1 is not here, and its registry does not provide it: "
                          "unauthorized -> check the name")));
}

TEST_F(Images, WithoutAnEngineAreUnknown) {
  EXPECT_THAT(lines("images", "axes: {tp: [1]}\ndefaults: {image: 'i:1'}\n"),
              Contains("unknown image i:1 cannot be inspected without podman -> apt-get install "
                       "podman"));
}

TEST_F(Images, OfAnEngineThatDoesNotWorkAreMissing) {
  EXPECT_THAT(
      with("echo 'cannot reach the daemon: permission denied' >&2; exit 1"),
      Contains(StartsWith("missing image i:1 cannot be inspected: podman does not work: cannot "
                          "reach the daemon: permission denied -> start the daemon")));
}

TEST_F(Images, WhoseContainersGetNoGpuNameTheSpecification) {
  EXPECT_THAT(
      with("[ \"$1\" = image ] && exit; echo 'Error: setting up CDI devices: unresolvable CDI "
           "devices nvidia.com/gpu=all' >&2; exit 126"),
      Contains(StartsWith("missing image i:1 cannot be inspected: Error: setting up CDI "
                          "devices: unresolvable CDI devices nvidia.com/gpu=all -> nvidia-ctk "
                          "cdi generate")));
}

TEST_F(Images, AreAskedByTheSearchOfTheRunnerWhereItHasOne) {
  std::string runner = k_own_runner;
  runner.insert(runner.find("stages:"),
                "  probe: [/bin/sh, \"{file:probe.sh}\", \"--tools={tools}\", \"{model}\"]\n");
  write("runners/own/runner.yaml", runner);
  write("runners/own/probe.sh",
        "tab=$(printf '\\t')\n"
        "echo \"orchestrate: version${tab}own${tab}1.2 by $*\"\n"
        "echo \"orchestrate: lacks${tab}own-serve${tab}it was left out${tab}set image\"\n"
        "echo \"orchestrate: later${tab}/app/tools/build.py${tab}stage 'source' brings it\"\n"
        "echo \"orchestrate: has${tab}/usr/bin/env\"\n");
  EXPECT_THAT(with(k_podman),
              ElementsAre(testing::_,  // about the specification of GPUs
                          "ok image i:1 has own 1.2 by --tools=/app/tools -- /app/tools/build.py "
                          "/usr/bin/env own-build own-serve",
                          "missing image i:1 has no own-serve: it was left out -> set image",
                          "unknown image i:1 has no /app/tools/build.py; stage 'source' brings it",
                          "unknown image i:1: the search in it did not report own-build",
                          "ok image i:1 has 1 of the 4 programs and files that stages name"));
}

TEST_F(Images, AreAskedForTheVersionsOfTheirPrograms) {
  std::string runner = k_own_runner;
  runner.insert(runner.find("    resources: {disk_gib"),
                "    version: [/bin/sh, -c, 'echo own 7']\n");
  write("runners/own/runner.yaml", runner);
  EXPECT_THAT(with(k_podman), Contains("ok image i:1 has own 7"));
}

TEST_F(Images, AreComparedWithTheDriver) {
  machine.say("podman", k_podman);
  EXPECT_THAT(lines("driver and images", "axes: {tp: [1]}\ndefaults: {image: 'i:1'}\n"),
              ElementsAre(StartsWith("missing image i:1 requires cuda>=12.6, but driver 535.54.03 "
                                     "supports CUDA 12.2")));
}

TEST(Sights, AreLinesWithTheMarkAndNoOthers) {
  const auto sights = sights_in(
      "has\tx\norchestrate: has\tx\norchestrate: lacks\ty\twhy\tfix\norchestrate: odd\tz\n");
  ASSERT_EQ(sights.size(), 2U);
  EXPECT_EQ(sights[0].kind, Sight::Kind::has);
  EXPECT_EQ(sights[1].word + sights[1].what + sights[1].remedy, "ywhyfix");
}

}  // namespace images_test
}  // namespace orch::preflight
