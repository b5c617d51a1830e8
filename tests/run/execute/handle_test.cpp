#include "core/base/fields_json.hpp"
#include "run/execute/executor.hpp"

#include <gtest/gtest.h>

namespace orch::execute {
namespace handle_test {

TEST(HandleJson, ComesBackUnchanged) {
  const Handle handle{.tree = {.token = "o1",
                               .leader = {12, 34},
                               .boot_id = "b",
                               .containment = system::Containment::cgroup,
                               .cgroup = "/sys/fs/cgroup/x"},
                      .guardian = "g1",
                      .guardian_process = {56, 78}};
  const std::string text = to_json_text(handle);
  EXPECT_EQ(
      text,
      R"({"boot_id":"b","cgroup":"/sys/fs/cgroup/x","containment":"cgroup","guardian":"g1","guardian_process":{"pid":56,"start_ticks":78},)"
      R"("leader":{"pid":12,"start_ticks":34},"token":"o1"})");
  ASSERT_TRUE(from_json_text<Handle>(text));
  EXPECT_EQ(to_json_text(*from_json_text<Handle>(text)), text);
  for (const char* other : {"", "{}", "[]", "null", R"({"token":1})"})
    EXPECT_FALSE(from_json_text<Handle>(other)) << other;
}

}  // namespace handle_test
}  // namespace orch::execute
