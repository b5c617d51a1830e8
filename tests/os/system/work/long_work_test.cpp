#include "os/system/work/long_work.hpp"

#include <gtest/gtest.h>

namespace orch::system {
namespace long_work_test {

TEST(LongWork, SaysHowFarItIsAndEndsOnRequest) {
  LongWork work;
  work.expect(10);
  work.expect(5);
  work.add(7);
  EXPECT_EQ(work.done_bytes(), 7u);
  EXPECT_EQ(work.expected_bytes(), 15u);
  EXPECT_TRUE(work.go_on());
  EXPECT_FALSE(work.is_stopped());
  work.stop();
  EXPECT_TRUE(work.is_stopped());
  EXPECT_EQ(work.go_on().error().kind, ErrorKind::interrupted);
}

}  // namespace long_work_test
}  // namespace orch::system
