// Which image a name means: the lines that engines print, and whole runs with an engine that keeps
// a diary.
#include "app/session/identities/image_digests.hpp"

#include "app/session/run_of_project.hpp"
#include "os/system/host_parts.hpp"

#include <gmock/gmock.h>

namespace orch::session {
namespace image_digests_test {

using container::Engine;
using ::testing::Contains;
using ::testing::HasSubstr;

const std::string k_id = "sha256:" + std::string(64, 'a'), k_one = std::string(64, '1'),
                  k_two = std::string(64, '2');

TEST(PinnedReference, IsTheDigestOfItsRepositoryOrTheIdOfTheImage) {
  const std::string mirror = "mirror/engine@sha256:" + k_two, own = "repo/engine@sha256:" + k_one;
  EXPECT_EQ(pinned_reference(k_id + " " + mirror + " " + own + "\n", "repo/engine:24.10"), own);
  EXPECT_EQ(pinned_reference(k_id + " docker.io/repo/engine@sha256:" + k_one, "repo/engine"),
            "docker.io/repo/engine@sha256:" + k_one);
  EXPECT_EQ(pinned_reference(k_id + " " + mirror, "host:5000/engine:1"), mirror);
  EXPECT_EQ(pinned_reference(k_id, "engine:1"), k_id);
  EXPECT_EQ(pinned_reference(std::string(64, 'a'), "engine:1"), k_id) << "podman's ids";
  EXPECT_EQ(pinned_reference("<no value>", "engine:1"), "");
  EXPECT_EQ(pinned_reference("", "engine:1"), "");
}

constexpr const char* k_runner = R"(
runner: toy
parameters: {image: {type: text}}
container: {image: "{image}"}
stages:
  make:
    kind: task
    container: true
    argv: [/bin/touch, "{out}/made"]
    outputs: [made]
  serve:
    {kind: service, needs: [make], argv: [/bin/x], ready: {port: http, get: [/]}, ports: [http]}
  bench: {kind: measure, needs: [serve], argv: [/bin/x], outputs: [y]}
)";

class ImageDigestsTest : public RunOfProject {
 protected:
  ImageDigestsTest() {
    project.write("runners/toy/runner.yaml", k_runner);
    project.write("site.yaml", "container: {command: [/bin/sh, " + project.path("docker") + "]}\n");
    project.world.environment = {{"PATH", "/usr/bin:/bin"}};
  }
  // An engine that does SCRIPT and appends its words to a diary.
  void docker(const std::string& script) {
    project.write("docker", "echo \"$*\" >> '" + project.path("said") + "'\n" + script + "\n");
  }
  // Plans as `run` does; what it reports.
  std::vector<std::string> plan(const std::string& image) {
    options.experiment = project.options("name: x\nrunner: toy\naxes: {image: [" + image + "]}\n");
    options.experiment.site_file = project.path("site.yaml");
    load();
    EXPECT_TRUE(open_and_plan()) << text_of(errors);
    return reporter.diary;
  }
  std::string said() {
    const auto text = project.world.files.read(project.path("said"));
    return text ? *text : "";
  }
};

TEST_F(ImageDigestsTest, ATagIsAskedOnceAndStaysUntilAnUpdate) {
  docker("echo " + k_id + " repo/engine@sha256:" + k_one);
  EXPECT_THAT(plan("repo/engine:1"),
              Contains(HasSubstr("image repo/engine:1: repo/engine@sha256:" + k_one)));
  docker("echo " + k_id + " repo/engine@sha256:" + k_two);
  plan("repo/engine:1");
  EXPECT_EQ(planning->current().stages.front().spec.container->pinned,
            "repo/engine@sha256:" + k_one);
  options.update = true;
  EXPECT_THAT(plan("repo/engine:1"), Contains(HasSubstr(" -> repo/engine@sha256:" + k_two)));
}

TEST_F(ImageDigestsTest, AnImageThatIsNotHereIsPulled) {
  docker("if [ \"$1\" = pull ]; then touch '" + project.path("pulled") + "'; exit; fi\n[ -e '" +
         project.path("pulled") + "' ] || { echo 'Error: No such image: x' >&2; exit 1; }\necho " +
         k_id + " repo/engine@sha256:" + k_one);
  EXPECT_THAT(plan("repo/engine:1"), Contains(HasSubstr("is not here; pulling it")));
  EXPECT_NE(said().find("pull repo/engine:1\nimage inspect"), std::string::npos) << said();
}

TEST_F(ImageDigestsTest, AnImageThatIsNotHereStaysUnknownWhereNothingIsToBePulled) {
  docker("[ \"$1\" = pull ] || { echo 'Error: No such image: x' >&2; exit 1; }");
  options.pull = false;
  EXPECT_THAT(plan("repo/engine:1"), Contains(HasSubstr("image repo/engine:1 is unknown")));
  EXPECT_EQ(said().find("pull"), std::string::npos) << said();
}

TEST_F(ImageDigestsTest, AnEngineThatFailsIsNamedWithItsReason) {
  docker("echo 'Cannot connect to the Docker daemon' >&2; exit 1");
  EXPECT_THAT(plan("repo/engine:1"),
              Contains(::testing::AllOf(HasSubstr("image repo/engine:1 is unknown"),
                                        HasSubstr("Cannot connect to the Docker daemon"))));
  EXPECT_EQ(said().find("pull"), std::string::npos);
}

TEST_F(ImageDigestsTest, ATagThatHasMovedIsAnErrorWhereNodesImportIt) {
  const auto registry = [&](const std::string& script) {
    project.write("bin/skopeo", "#!/bin/sh\n" + script + "\n");
    std::filesystem::permissions(project.path("bin/skopeo"), std::filesystem::perms::owner_all);
  };
  project.world.environment["PATH"] = project.path("bin") + ":/usr/bin:/bin";
  project.write("site.yaml", "container: {engine: cluster}\n");
  registry("echo sha256:" + k_one);
  EXPECT_THAT(plan("repo/engine:1"),
              Contains(HasSubstr("image repo/engine:1: repo/engine@sha256:" + k_one)));
  plan("repo/engine:1");
  EXPECT_EQ(planning->current().stages.front().spec.container->pinned,
            "repo/engine@sha256:" + k_one);
  registry("echo no route >&2; exit 1");
  EXPECT_THAT(plan("repo/engine:1"), Contains(HasSubstr("it is unknown whether ")));
  EXPECT_EQ(planning->current().stages.front().spec.container->pinned,
            "repo/engine@sha256:" + k_one);
  registry("echo sha256:" + k_two);
  EXPECT_THAT(plan("repo/engine:1"), Contains(HasSubstr("which nodes would import; --update")));
  EXPECT_EQ(planning->current().stages.front().spec.container->pinned, "");
  options.update = true;
  EXPECT_THAT(plan("repo/engine:1"), Contains(HasSubstr(" -> repo/engine@sha256:" + k_two)));
}

}  // namespace image_digests_test
}  // namespace orch::session
