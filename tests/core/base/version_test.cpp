#include "core/base/version.hpp"

#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

namespace orch {
namespace version_test {

TEST(Version, EqualsTheProjectVersionInCMake) {
  std::ifstream file(ORCH_SOURCE_DIR "/CMakeLists.txt");
  std::ostringstream text;
  text << file.rdbuf();
  EXPECT_NE(text.str().find(fmt::format("project(orchestrate VERSION {} ", k_version)),
            std::string::npos);
}

}  // namespace version_test
}  // namespace orch
