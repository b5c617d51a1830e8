#include "run/attempt/layout.hpp"

#include <gtest/gtest.h>

namespace orch::attempt {
namespace layout_test {

const Layout k_layout{
    .store = "/store", .project = "/p", .runner = "/p/runners/r", .orchestrate = "/bin/o"};

TEST(Layout, HasAFolderPerAttemptAndPerArtifact) {
  EXPECT_EQ(k_layout.attempt("o1"), "/store/attempts/o1");
  EXPECT_EQ(k_layout.artifact_out("build-1a2b"), "/store/artifacts/build-1a2b/out");
  EXPECT_EQ(Layout::artifact("build-1a2b"), "artifacts/build-1a2b");
  EXPECT_EQ(Layout::log("build-1a2b.1"), "logs/build-1a2b.1.log");
}

TEST(Layout, FilesOfARunnerAreInItsFolderOrTheCommonOne) {
  EXPECT_EQ(k_layout.runner_file("serve.py"), "/p/runners/r/serve.py");
  EXPECT_EQ(k_layout.runner_file("common/make.py"), "/p/runners/common/make.py");
  EXPECT_EQ(k_layout.runner_file("commons/make.py"), "/p/runners/r/commons/make.py");
  Layout elsewhere = k_layout;
  elsewhere.common = "/usr/share/orchestrate/runners/common";
  EXPECT_EQ(elsewhere.runner_file("serve.py"), "/p/runners/r/serve.py");
  EXPECT_EQ(elsewhere.runner_file("common/make.py"),
            "/usr/share/orchestrate/runners/common/make.py");
}

TEST(Layout, FilesOfARunnerAreFilledIntoItsCommands) {
  EXPECT_EQ(
      with_files(k_layout, "", "{file:get.py} {model.source} {out}", {{"model.source", "hf:A/B"}}),
      "/p/runners/r/get.py hf:A/B {out}");
}

}  // namespace layout_test
}  // namespace orch::attempt
