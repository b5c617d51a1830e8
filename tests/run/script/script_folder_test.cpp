#include "fakes/temp_folder.hpp"
#include "os/system/files.hpp"
#include "run/script/bash.hpp"
#include "run/script/script.hpp"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace orch::script {
namespace script_folder_test {

namespace fs = std::filesystem;
using testing::HasSubstr;

class ScriptFolder : public ::testing::Test {
 protected:
  std::string text(const std::string& name) const { return read(scripts + "/" + name); }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(scripts + "/" + name) << text;
  }

  const fakes::TempFolder folder;
  const std::string scripts = folder.file("a/scripts");
  system::RealFiles files;
};

TEST_F(ScriptFolder, IsMadeWithAListThatSha256sumChecks) {
  ASSERT_TRUE(write_scripts(files, scripts, {{"submit.sh", "one\n"}, {"a.sub", "two\n"}}));
  EXPECT_EQ(text("submit.sh"), "one\n");
  EXPECT_EQ(bash(folder, "cd a/scripts && sha256sum --check SHA256SUMS").out,
            "submit.sh: OK\na.sub: OK\n");
}

TEST_F(ScriptFolder, IsReplacedWithoutWhatIsNoMore) {
  ASSERT_TRUE(write_scripts(files, scripts, {{"submit.sh", "one\n"}, {"old.sub", "two\n"}}));
  write("notes", "mine\n");
  ASSERT_TRUE(write_scripts(files, scripts, {{"submit.sh", "other\n"}}));
  EXPECT_EQ(text("submit.sh"), "other\n");
  EXPECT_EQ(text("notes"), "mine\n");
  EXPECT_FALSE(fs::exists(scripts + "/old.sub"));
}

TEST_F(ScriptFolder, KeepsWhatSomebodyElseWroteAndWritesNothing) {
  fs::create_directories(scripts);
  write("b.sub", "mine\n");
  const Status refused = write_scripts(files, scripts, {{"a.sub", "x\n"}, {"b.sub", "x\n"}});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("/a/scripts/b.sub' is not as `plan --script` "
                                                 "wrote it, so it stays; move it away, or name"));
  EXPECT_EQ(text("b.sub"), "mine\n");
  EXPECT_FALSE(fs::exists(scripts + "/a.sub"));
}

TEST_F(ScriptFolder, KeepsWhatWasChangedSince) {
  const std::vector<ScriptFile> both = {{"a.sub", "one\n"}, {"b.sub", "two\n"}};
  ASSERT_TRUE(write_scripts(files, scripts, both));
  write("b.sub", "two, and mine\n");
  EXPECT_FALSE(write_scripts(files, scripts, both));
  ASSERT_TRUE(write_scripts(files, scripts, {{"a.sub", "one\n"}})) << "it is not in the way";
  EXPECT_EQ(text("b.sub"), "two, and mine\n");
}

// A name in the list leads out of the folder.
TEST_F(ScriptFolder, RemovesNothingOutside) {
  ASSERT_TRUE(write_scripts(files, scripts, {{"a.sub", "one\n"}}));
  std::ofstream(folder.file("a/outside")) << "one\n";
  const std::string line = text("SHA256SUMS");
  write("SHA256SUMS", line + line.substr(0, line.find(' ')) + "  ../outside\n");
  ASSERT_TRUE(write_scripts(files, scripts, {{"a.sub", "one\n"}}));
  EXPECT_TRUE(fs::exists(folder.file("a/outside")));
}

}  // namespace script_folder_test
}  // namespace orch::script
