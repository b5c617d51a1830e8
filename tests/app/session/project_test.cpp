#include "app/session/project.hpp"

#include "app/session/project_of_files.hpp"

namespace orch::session {
namespace project_test {

std::vector<RunnerFile> near(ProjectOfFiles& project, const std::string& file) {
  return runners_near(project.world.files, {.chosen = "", .near = project.path(file), .site = ""});
}

const RunnerFile* find(const std::vector<RunnerFile>& runners, std::string_view name) {
  for (const RunnerFile& runner : runners)
    if (runner.name == name) return &runner;
  return nullptr;
}

TEST(Project, FindsTheRunnersAboveTheMatrixFirst) {
  ProjectOfFiles project;
  const auto runners = near(project, "deep/er/m.yaml");
  ASSERT_FALSE(runners.empty());
  EXPECT_EQ(runners.front().name, "toy");
  EXPECT_EQ(runners.front().folder, project.path("runners/toy"));
}

TEST(Project, AnInnerProjectHidesARunnerOfTheSameName) {
  ProjectOfFiles project;
  project.write("inner/runners/toy/runner.yaml", k_toy_runner);
  std::size_t named = 0;
  for (const RunnerFile& one : near(project, "inner/m.yaml")) {
    if (one.name != "toy") continue;
    EXPECT_EQ(one.folder, project.path("inner/runners/toy"));
    ++named;
  }
  EXPECT_EQ(named, 1u);
}

TEST(Project, TheChosenFolderComesBeforeTheMatrixAndTheFolderOfTheSiteAfterIt) {
  ProjectOfFiles project;
  for (const char* runner : {"mine/toy", "mine/own", "site/toy", "site/own", "site/usual"})
    project.write(std::string(runner) + "/runner.yaml", k_toy_runner);
  RunnerSearch search{.chosen = "", .near = project.path("m.yaml"), .site = project.path("site")};
  const auto usual = runners_near(project.world.files, search);
  EXPECT_EQ(find(usual, "toy")->folder, project.path("runners/toy"));
  EXPECT_EQ(find(usual, "own")->folder, project.path("site/own"));
  search.chosen = project.path("mine");
  const auto chosen = runners_near(project.world.files, search);
  EXPECT_EQ(find(chosen, "toy")->folder, project.path("mine/toy"));
  EXPECT_EQ(find(chosen, "own")->folder, project.path("mine/own"));
  EXPECT_EQ(find(chosen, "usual")->folder, project.path("site/usual"));
}

// The working directory, which is searched too, is FOLDER during its lifetime.
class InFolder {
 public:
  explicit InFolder(const std::string& folder) : before_(std::filesystem::current_path()) {
    std::filesystem::current_path(folder);
  }
  ~InFolder() { std::filesystem::current_path(before_); }
  InFolder(const InFolder&) = delete;
  InFolder& operator=(const InFolder&) = delete;

 private:
  std::filesystem::path before_;
};

TEST(Project, ARunnerWithoutCommonFilesAndTemplatesUsesTheFirstThatAreFound) {
  ProjectOfFiles project;
  const InFolder here(project.path(""));
  project.write("site/runners/common/a.py", "").write("site/templates/a", "");
  RunnerSearch search{
      .chosen = "", .near = project.path("m.yaml"), .site = project.path("site/runners")};
  const auto borrows = runners_near(project.world.files, search);
  EXPECT_EQ(find(borrows, "toy")->common, project.path("site/runners/common"));
  EXPECT_EQ(find(borrows, "toy")->project, project.path("site"));
  project.write("runners/common/a.py", "").write("templates/a", "");
  const auto owns = runners_near(project.world.files, search);
  EXPECT_EQ(find(owns, "toy")->common, "");
  EXPECT_EQ(find(owns, "toy")->project + "/", project.path(""));
}

TEST(Project, AFolderWithoutAManifestIsNoRunner) {
  ProjectOfFiles project;
  project.write("runners/notes/README.md", "");
  for (const RunnerFile& one : near(project, "m.yaml")) EXPECT_NE(one.name, "notes");
}

TEST(Project, AFaultyManifestIsEmptyAndReported) {
  ProjectOfFiles project;
  project.write("runners/toy/runner.yaml", "runner: toy\nstages: 3\n");
  Errors errors;
  RunnerFile toy;
  toy.file = project.path("runners/toy/runner.yaml");
  EXPECT_FALSE(read_manifest(project.world.files, toy, errors));
  EXPECT_FALSE(errors.empty());
}

TEST(Project, ASharedPartIsThatOfTheRunnersPlaceOrTheOneItBorrows) {
  ProjectOfFiles project;
  const auto write_toy = [&](const std::string& place) {
    project.write(place + "/toy/runner.yaml",
                  "runner: toy\nparts: [common/size.yaml]\nstages:\n  make: {kind: task, reads: "
                  "[size], argv: [/x], outputs: [o]}\n");
  };
  const auto default_of = [&](const RunnerFile& toy) -> std::string {
    Errors errors;
    const auto manifest = read_manifest(project.world.files, toy, errors);
    EXPECT_EQ(text_of(errors), "");
    return manifest ? manifest->parameters.at(0).fallback->text : "";
  };
  write_toy("a/runners");
  write_toy("b/runners");
  project.write("a/runners/common/size.yaml", "parameters: {size: {type: text, default: own}}\n");
  RunnerFile toy;
  toy.file = project.path("a/runners/toy/runner.yaml");
  EXPECT_EQ(default_of(toy), "own");
  toy.file = project.path("b/runners/toy/runner.yaml");
  toy.common = project.path("a/runners/common");
  EXPECT_EQ(default_of(toy), "own");
}

TEST(Project, TheBuildIsTheLastPlaceToLookForAFile) {
  EXPECT_EQ(project_file("runners/README.md"), build_project() + "/runners/README.md");
  EXPECT_EQ(project_file("runners/no-such-file"), "");
}

}  // namespace project_test
}  // namespace orch::session
