// Compares `orchestrate fill-template --compat TAG` with the original scripts if ORCH_UPSTREAM
// names a git folder of tensorrtllm_backend (or of TensorRT-LLM, for 0.20 and later).
#include "fakes/temp_folder.hpp"

#include <cstdlib>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

namespace orch {
namespace fill_template_test {

TEST(FillTemplate, MatchesTheScriptsOfAllReleases) {
  const char* upstream = std::getenv("ORCH_UPSTREAM");
  if (!upstream) GTEST_SKIP() << "ORCH_UPSTREAM names no git folder of tensorrtllm_backend";
  const fakes::TempFolder folder;
  const std::string output = folder.path() / "output";
  const std::string command =
      "python3 '" ORCH_SOURCE_DIR "/tests/golden/fill_template_oracle.py' '" ORCH_BINARY "' '" +
      std::string(upstream) + "' '" + folder.path().string() + "' >'" + output + "' 2>&1";
  const int status = std::system(command.c_str());
  std::ostringstream text;
  text << std::ifstream(output).rdbuf();
  EXPECT_EQ(status, 0) << text.str();
  RecordProperty("cases", text.str());
}

}  // namespace fill_template_test
}  // namespace orch
