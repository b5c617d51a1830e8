// The functions at the head of every script, each called by itself.
#include "run/script/bash.hpp"
#include "run/script/shell_text.hpp"

#include <gtest/gtest.h>

namespace orch::script {
namespace script_functions_test {

class ScriptFunctions : public ::testing::Test {
 protected:
  ScriptResult run(const std::string& commands) const {
    return bash(folder, std::string(k_script_usage) +
                            "OUT=${OUT:-by-hand}\nRUNNER=/runner\nORCHESTRATE=/bin/"
                            "true\nleast_port=20000 last_port=29999 address=127.0.0.1\n" +
                            std::string(k_script_functions) +
                            "make_out\nbegin\nown=(TMPDIR=\"$tmp\")\n" + commands);
  }

  const fakes::TempFolder folder;
};

TEST_F(ScriptFunctions, WriteKeepsOrDropsTheLastLineEnd) {
  const ScriptResult result =
      run("write a/b <<'END'\ntext\nEND\nwrite -n a/c <<'END'\ntext\nEND\n");
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(read(folder.file("a/b")), "text\n");
  EXPECT_EQ(read(folder.file("a/c")), "text");
}

TEST_F(ScriptFunctions, PlaceFillsInPaths) {
  const ScriptResult result =
      run("write from/f <<'END'\n{stage:make} {stage:make-1a}\nEND\nplace from to make /made\n");
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(read(folder.file("to/f")),
            "/made " + folder.path().string() + "/by-hand/artifacts/make-1a/out\n");
}

TEST_F(ScriptFunctions, MadeFailsOnAMissingOrEmptyOutput) {
  EXPECT_EQ(run("write made/f <<<x\nmade made f\n").code, 0);
  const ScriptResult result = run("rm -rf by-hand\nmkdir -p made/empty\nmade made empty\n");
  EXPECT_EQ(result.code, 1);
}

TEST_F(ScriptFunctions, ATaskRunsInItsFolderWithItsLimitedEnvironment) {
  const ScriptResult result =
      run("export HIDDEN=1\ntask name 60 A=b -- sh -c 'pwd; echo $A $HIDDEN; exit 3'\n");
  EXPECT_EQ(result.code, 1);
  EXPECT_NE(result.err.find("name ended with status 3: " + folder.path().string() +
                            "/by-hand/work/name\nb\n"),
            std::string::npos)
      << result.err;
}

}  // namespace script_functions_test
}  // namespace orch::script
