#include "app/init/new_runner.hpp"

#include "app/session/project_of_files.hpp"
#include "app/session/stage_files.hpp"

#include <sstream>

#include <gtest/gtest.h>

namespace orch::session {
namespace new_runner_test {

namespace fs = std::filesystem;

class NewRunnerTest : public ::testing::Test {
 protected:
  Result<NewRunnerPaths> write(const std::string& name) {
    return write_new_runner(files, {.name = name, .folder = folder.path().string()}, known);
  }
  std::string error_of(const std::string& name) {
    const auto written = write(name);
    return written ? "" : written.error().text();
  }
  std::vector<std::string> names(const std::string& of) {
    return files.names(folder.file(of)).value_or({});
  }

  system::RealFiles files;
  fakes::TempFolder folder;
  std::vector<RunnerFile> known{{.name = "taken",
                                 .file = "runners/taken/runner.yaml",
                                 .folder = "",
                                 .common = "",
                                 .project = ""}};
};

TEST_F(NewRunnerTest, IsARunnerWithAMatrixThatUsesIt) {
  const auto written = write("mine-1.x");
  ASSERT_TRUE(written) << written.error().text();
  EXPECT_EQ(written->runner, folder.file("runners/mine-1.x"));
  EXPECT_EQ(written->matrix, folder.file("mine-1.x.yaml"));
  EXPECT_EQ(names("runners"), std::vector<std::string>{"mine-1.x"});
  EXPECT_FALSE(fs::exists(folder.file("runners/mine-1.x/matrix.yaml")));
  const auto entries = files.list(folder.path().string());
  ASSERT_TRUE(entries);
  for (const auto& entry : *entries)
    EXPECT_EQ(files.read(folder.file(entry.path)).value().find("${name}"), std::string::npos)
        << entry.path;
  ProjectOfFiles project;
  ExperimentOptions options;
  options.matrix_file = written->matrix;
  options.site_file = project.path("site.yaml");
  Errors errors;
  const Experiment loaded = load_experiment(project.world, options, errors);
  EXPECT_EQ(text_of(errors), "");
  ASSERT_EQ(loaded.runners.size(), 1u);
  EXPECT_EQ(loaded.runners.front().file.folder, written->runner);
  EXPECT_NE(loaded.runners.front().file.common, "") << "the shared files are those of the project";
}

TEST_F(NewRunnerTest, NothingIsOverwritten) {
  ASSERT_TRUE(write("mine"));
  EXPECT_EQ(error_of("mine"),
            folder.file("runners/mine") + " exists; remove it, or choose another name");
  ASSERT_TRUE(files.write(folder.file("other.yaml"), "mine"));
  EXPECT_EQ(error_of("other"),
            folder.file("other.yaml") + " exists; remove it, or choose another name");
  EXPECT_EQ(names("runners"), std::vector<std::string>{"mine"});
}

TEST_F(NewRunnerTest, NamesAreChecked) {
  EXPECT_NE(error_of("../up").find("a runner cannot be called '../up': "), std::string::npos);
  EXPECT_NE(error_of("").find("a runner cannot be called '': "), std::string::npos);
  EXPECT_EQ(error_of("common"),
            "a runner cannot be called 'common': runners/common/ has what all runners share; "
            "choose another name");
  EXPECT_EQ(error_of("taken"),
            "there is a runner 'taken' already, runners/taken/runner.yaml; choose another name");
  EXPECT_TRUE(names("").empty());
}

}  // namespace new_runner_test
}  // namespace orch::session
