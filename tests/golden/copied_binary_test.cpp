// A binary that was copied out of its project still finds what lies there.
#include "fakes/temp_folder.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace orch {
namespace {

TEST(CopiedBinary, FindsTheHelperThatMakesPromptsWhereItWasBuilt) {
  const fakes::TempFolder folder;
  std::filesystem::copy_file(ORCH_BINARY, folder.file("orchestrate"));
  const std::string command =
      "cd '" + folder.path().string() +
      "' && ./orchestrate bench --url http://127.0.0.1:1 --model m --concurrency 1 --requests 1 "
      "--isl 4 --osl 4 --tokenizer none 2>said";
  EXPECT_NE(std::system(command.c_str()), 0);
  std::ostringstream said;
  said << std::ifstream(folder.file("said")).rdbuf();
  EXPECT_EQ(said.str(),
            "orchestrate bench: --tokenizer none is not there; name the model's folder, or its "
            "tokenizer.json\n");
}

}  // namespace
}  // namespace orch
