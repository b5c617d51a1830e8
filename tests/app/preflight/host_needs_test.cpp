#include "app/preflight/machine_needs.hpp"
#include "app/preflight/place_of_scripts.hpp"

#include <gmock/gmock.h>

namespace orch::preflight {
namespace host_needs_test {

using testing::Contains;
using testing::ElementsAre;
using testing::StartsWith;

using HostNeeds = PlaceOfScripts;

constexpr const char* k_model =
    "axes: {tp: [1]}\ndefaults: {model: m}\nmodels: {m: {source: 'hf:acme/tiny'}}\n";

TEST_F(HostNeeds, ProgramsThatAreNotHereAreNamedWithTheirPackage) {
  EXPECT_THAT(lines("programs", "axes: {tp: [1]}\n"),
              Contains("missing no own-build -> install it, or add its folder to PATH"));
  EXPECT_THAT(lines("programs", "axes: {tp: [1]}\ndefaults: {image: 'i:1'}\n"),
              Contains("missing no podman -> apt-get install podman"));
  machine.say("own-build", ":");
  machine.say("own-serve", ":");
  EXPECT_THAT(lines("programs", "axes: {tp: [1]}\n"),
              ElementsAre("ok /bin/sh, own-build, own-serve"));
}

TEST_F(HostNeeds, AVersionThatNobodyAnswersIsMissing) {
  std::string runner = k_own_runner;
  runner.insert(runner.find("    resources: {disk_gib"), "    version: [own-build, --version]\n");
  write("runners/own/runner.yaml", runner);
  machine.say("own-build", "echo 'no module torch' >&2; exit 3");
  EXPECT_THAT(
      lines("programs", "axes: {tp: [1]}\n"),
      Contains("missing `own-build --version` does not answer: no module torch -> correct the "
               "path of the program in the matrix"));
}

TEST_F(HostNeeds, SourcesAreReachedByTheRunnersOwnCommand) {
  EXPECT_THAT(lines("models and datasets", k_model), ElementsAre("ok hf:acme/tiny is there"));
}

TEST_F(HostNeeds, AGatedModelIsNamedWithWhatOpensIt) {
  machine.world.environment["HF_TOKEN"] = "hf_secretsecretsecret";
  write("runners/own/reach.sh",
        "echo \"reach: hf:acme/tiny is gated for $HF_TOKEN; request access\" >&2; exit 1");
  EXPECT_THAT(lines("models and datasets", k_model),
              ElementsAre(StartsWith("missing reach: hf:acme/tiny is gated for ")));
  EXPECT_THAT(lines("models and datasets", k_model),
              ElementsAre(testing::EndsWith(" -> request access")));
  EXPECT_THAT(lines("models and datasets", k_model),
              ElementsAre(testing::Not(testing::HasSubstr("hf_secret"))));
}

TEST_F(HostNeeds, WithoutSuchACommandASourceIsUnknown) {
  std::string runner = k_own_runner;
  const std::size_t at = runner.find("reach: [");
  runner.erase(at, runner.find("inherit:", at) - at);
  write("runners/own/runner.yaml", runner);
  EXPECT_THAT(lines("models and datasets", k_model),
              ElementsAre(StartsWith("unknown hf:acme/tiny: runner 'own' has no command that")));
}

}  // namespace host_needs_test
}  // namespace orch::preflight
