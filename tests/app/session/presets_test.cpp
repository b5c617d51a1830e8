#include "app/session/project.hpp"
#include "app/session/project_of_files.hpp"

#include <gtest/gtest.h>

namespace orch::session {
namespace presets_test {

class PresetsTest : public ::testing::Test {
 protected:
  PresetsTest() {
    project.write(
        "runners/toy/presets/fast.yaml",
        "# As fast as it can. A second\n# sentence.\nname: fast\nrunner: toy\naxes: {size: "
        "[s, l]}\nprovide: {make: made}\n");
    project.write("runners/toy/presets/slow.yaml", "base: fast.yaml\nname: slow\n");
    project.write("runners/toy/presets/made/made", "x");
  }
  Experiment load(const std::string& yaml) {
    errors.clear();
    return load_experiment(project.world, project.options(yaml), errors);
  }
  std::string errors_of(const std::string& base) {
    load("base: " + base + "\nname: mine\n");
    return text_of(errors).substr(project.path("m.yaml").size());
  }

  ProjectOfFiles project;
  Errors errors;
};

TEST_F(PresetsTest, AreBasesWhosePathsAreRelativeToThem) {
  for (const char* name : {"fast", "slow"}) {
    const Experiment loaded = load(fmt::format("base: preset:toy/{}\nname: mine\n", name));
    EXPECT_EQ(text_of(errors), "");
    EXPECT_EQ(loaded.matrix.name, "mine");
    EXPECT_EQ(loaded.matrix.runner, "toy");
    ASSERT_EQ(loaded.matrix.axes.size(), 1u);
    ASSERT_EQ(loaded.matrix.provide.size(), 1u);
    EXPECT_EQ(loaded.matrix.provide[0].path, project.path("runners/toy/presets/made"));
  }
}

TEST_F(PresetsTest, UnknownOnesAreErrorsWithWhatThereIs) {
  EXPECT_EQ(
      errors_of("preset:toy/fats"),
      ":1:7: base 'preset:toy/fats': runner 'toy' has no preset 'fats'; did you mean 'fast'?\n");
  EXPECT_EQ(
      errors_of("preset:toy/x"),
      ":1:7: base 'preset:toy/x': runner 'toy' has no preset 'x'; its presets are: fast, slow\n");
  EXPECT_NE(errors_of("preset:tyo/fast").find("no runner 'tyo'; did you mean 'toy'?"),
            std::string::npos);
  EXPECT_NE(errors_of("preset:toy").find("write preset:RUNNER/NAME"), std::string::npos);
  EXPECT_NE(errors_of("preset:toy/../toy").find("has no preset '../toy'"), std::string::npos);
}

TEST_F(PresetsTest, AreListedWithTheirFirstSentence) {
  RunnerFile toy{.name = "toy",
                 .file = project.path("runners/toy/runner.yaml"),
                 .folder = {},
                 .common = {},
                 .project = {}};
  const auto presets = presets_of(project.world.files, toy);
  ASSERT_EQ(presets.size(), 2u);
  EXPECT_EQ(presets[0].name, "fast");
  EXPECT_EQ(presets[0].help, "As fast as it can");
  EXPECT_EQ(presets[1].help, "");
}

}  // namespace presets_test
}  // namespace orch::session
