#include "os/system/host_parts.hpp"

#include "fakes/temp_folder.hpp"
#include "os/system/run_to_end.hpp"

#include <gtest/gtest.h>

namespace orch::system {
namespace host_parts_test {

TEST(RealHost, RunsProcessesThatShareItsFiles) {
  const fakes::TempFolder folder;
  RealHost real;
  const Host host = real.host();
  ASSERT_TRUE(host.files.write(folder.file("in"), "text"));
  const double before_s = host.clock.now_s();
  const auto result = run_to_end(host.processes, host.clock,
                                 {.argv = {"cp", "in", "out"},
                                  .env = {{"PATH", "/usr/bin:/bin"}},
                                  .work = folder.path().string()});
  ASSERT_TRUE(result) << result.error().text();
  EXPECT_EQ(result->code, 0) << result->errors;
  EXPECT_EQ(host.files.read(folder.file("out")).value_or(""), "text");
  EXPECT_GE(host.clock.now_s(), before_s);
}

}  // namespace host_parts_test
}  // namespace orch::system
