// The scheduler knows folders of attempts only by this interface; Workspace makes them.
#include "run/attempt/attempt_folders.hpp"

#include "fakes/memory_files.hpp"
#include "run/attempt/workspace.hpp"

#include <gtest/gtest.h>

namespace orch::attempt {
namespace attempt_folders_test {

TEST(AttemptFolders, AreDescribedWithGpusCpusAndNodesOfTheAttempt) {
  fakes::MemoryFiles files;
  Workspace workspace(files,
                      {.layout = {.store = "/store", .project = "/p", .runner = "/p/runners/toy"}});
  AttemptFolders& folders = workspace;
  plan::Stage stage;
  stage.id = "serve-1";
  stage.spec.name = "serve";
  stage.spec.argv = {"/bin/serve"};
  Attempt attempt{.stage = &stage, .token = "t1", .gpus = {2, 3}};
  attempt.cpus = {4, 5};
  attempt.nodes = {1};
  const Prepared prepared = folders.describe({attempt}).front();
  EXPECT_EQ(prepared.launch.argv, std::vector<std::string>{"/bin/serve"});
  EXPECT_EQ(prepared.launch.env.at("CUDA_VISIBLE_DEVICES"), "2,3");
  EXPECT_EQ(prepared.launch.cpus, (std::vector<int>{4, 5}));
  EXPECT_EQ(prepared.launch.nodes, std::vector<int>{1});
  EXPECT_FALSE(folders.is_taken(prepared));
  EXPECT_EQ(folders.layout().store, "/store");
}

}  // namespace attempt_folders_test
}  // namespace orch::attempt
