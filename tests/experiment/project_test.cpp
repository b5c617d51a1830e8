#include "experiment/project.hpp"

#include "experiment/project_of_files.hpp"

namespace orch::experiment {
namespace {

TEST(Project, FindsTheRunnersAboveTheMatrixFirst) {
  ProjectOfFiles project;
  const auto runners = runners_near(project.world.files, project.path("deep/er/m.yaml"));
  ASSERT_FALSE(runners.empty());
  EXPECT_EQ(runners.front().name, "toy");
  EXPECT_EQ(runners.front().project + "/", project.path(""));
}

TEST(Project, AnInnerProjectHidesARunnerOfTheSameName) {
  ProjectOfFiles project;
  project.write("inner/runners/toy/runner.yaml", k_toy_runner);
  std::size_t named = 0;
  for (const RunnerFile& one : runners_near(project.world.files, project.path("inner/m.yaml"))) {
    if (one.name != "toy") continue;
    EXPECT_EQ(one.project, project.path("inner"));
    ++named;
  }
  EXPECT_EQ(named, 1u);
}

TEST(Project, AFolderWithoutAManifestIsNoRunner) {
  ProjectOfFiles project;
  project.write("runners/notes/README.md", "");
  for (const RunnerFile& one : runners_near(project.world.files, project.path("m.yaml")))
    EXPECT_NE(one.name, "notes");
}

TEST(Project, AFaultyManifestIsEmptyAndReported) {
  ProjectOfFiles project;
  project.write("runners/toy/runner.yaml", "runner: toy\nstages: 3\n");
  Errors errors;
  EXPECT_FALSE(read_manifest(project.world.files, project.path("runners/toy/runner.yaml"), errors));
  EXPECT_FALSE(errors.empty());
}

TEST(Project, TheBuildIsTheLastPlaceToLookForAFile) {
  EXPECT_EQ(project_file("runners/README.md"), build_project() + "/runners/README.md");
  EXPECT_EQ(project_file("runners/no-such-file"), "");
}

}  // namespace
}  // namespace orch::experiment
