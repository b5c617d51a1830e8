// A binary that was copied out of its project still finds the files of the project.
#include "fakes/temp_folder.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

namespace orch {
namespace copied_binary_test {

TEST(CopiedBinary, FindsThePromptHelperOfItsProject) {
  const fakes::TempFolder folder;
  std::filesystem::copy_file(ORCH_BINARY, folder.file("orchestrate"));
  const std::string command =
      "cd '" + folder.path().string() +
      "' && ./orchestrate bench --url http://127.0.0.1:1 --model m --concurrency 1 --requests 1 "
      "--isl 4 --osl 4 --tokenizer none 2>errors";
  EXPECT_NE(std::system(command.c_str()), 0);
  std::ostringstream errors;
  errors << std::ifstream(folder.file("errors")).rdbuf();
  EXPECT_EQ(errors.str(),
            "orchestrate bench: --tokenizer none does not exist; name the model's folder, or its "
            "tokenizer.json\n");
}

}  // namespace copied_binary_test
}  // namespace orch
