#include "fakes/temp_folder.hpp"
#include "run/slurm/node_remains.hpp"

#include <gtest/gtest.h>

namespace orch::slurm {
namespace node_folders_test {

class NodeFoldersTest : public testing::Test {
 protected:
  NodeFoldersTest() {
    launch.token = token;
    launch.tmp = gone + "/" + token;
    launch.argv = {"/bin/x", "--work=" + launch.tmp + "/w", gone};
    launch.env = {{"DIR", launch.tmp}, {"XDG_RUNTIME_DIR", gone}};
    launch.hidden_file = launch.tmp + "/secrets";
    launch.after = {{"/bin/rm", launch.tmp + "/socket"}};
    launch.place.container = {"srun", "--container-mounts=" + launch.tmp + ":" + launch.tmp};
    launch.place.inherited = {"XDG_RUNTIME_DIR"};
  }

  fakes::TempFolder folder;
  system::RealFiles files;
  const std::string token = system::new_token(), gone = folder.file("not-here");
  execute::Launch launch;
};

TEST_F(NodeFoldersTest, ATemporaryFolderThatCannotBeHereMovesWithAllThatNamesIt) {
  use_folders_of_node(files, launch);
  const std::string here = "/tmp/" + token;
  EXPECT_EQ(launch.tmp, here);
  EXPECT_EQ(launch.argv, (std::vector<std::string>{"/bin/x", "--work=" + here + "/w", gone}));
  EXPECT_EQ(launch.env.at("DIR"), here);
  EXPECT_EQ(launch.hidden_file, here + "/secrets");
  EXPECT_EQ(launch.after.front().back(), here + "/socket");
  EXPECT_EQ(launch.place.container.back(), "--container-mounts=" + here + ":" + here);
}

TEST_F(NodeFoldersTest, OneThatCanBeHereStays) {
  ASSERT_TRUE(files.make_folder(gone));
  const std::vector<std::string> before = launch.argv;
  use_folders_of_node(files, launch);
  EXPECT_EQ(launch.tmp, gone + "/" + token);
  EXPECT_EQ(launch.argv, before);
  EXPECT_TRUE(launch.env.contains("XDG_RUNTIME_DIR"));
}

TEST_F(NodeFoldersTest, ARuntimeFolderOfAnotherHostIsLeftOutUnlessTheStageSetsIt) {
  execute::Launch own = launch;
  own.place.inherited.clear();
  use_folders_of_node(files, launch);
  use_folders_of_node(files, own);
  EXPECT_FALSE(launch.env.contains("XDG_RUNTIME_DIR"));
  EXPECT_TRUE(own.env.contains("XDG_RUNTIME_DIR"));
}

}  // namespace node_folders_test
}  // namespace orch::slurm
