#include "base/version.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

namespace orch {
namespace {

TEST(Version, EqualsTheProjectVersionInCMake) {
  std::ifstream file(std::string(ORCH_SOURCE_DIR) + "/CMakeLists.txt");
  std::ostringstream text;
  text << file.rdbuf();
  EXPECT_NE(text.str().find(std::string("project(orchestrate VERSION ") + k_version + " "),
            std::string::npos);
}

}  // namespace
}  // namespace orch
