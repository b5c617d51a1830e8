// Where a library of the GPU driver is found.
#include "os/system/nvml/nvml.hpp"

#include "fakes/temp_folder.hpp"

#include <cstdlib>
#include <fstream>

#include <gtest/gtest.h>

namespace orch::system {
namespace driver_library_test {

TEST(DriverLibrary, IsFoundWhereTheUserHasTheLoaderSearchFirst) {
  const fakes::TempFolder folder;
  const std::string name = "liborchestrate-test.so.1";
  EXPECT_EQ(library_of_driver(name), "");
  std::ofstream(folder.file(name)) << "x";
  ::setenv("LD_LIBRARY_PATH", fmt::format("relative::{}", folder.path().string()).c_str(), 1);
  EXPECT_EQ(library_of_driver(name), folder.file(name));
  ::unsetenv("LD_LIBRARY_PATH");
  EXPECT_EQ(library_of_driver("libc.so.6").substr(0, 5), "/usr/");
}

}  // namespace driver_library_test
}  // namespace orch::system
