// Which warnings say that something else used the machine or the server.
#include "analysis/report/digits.hpp"

#include <gtest/gtest.h>

namespace orch::report {
namespace disturbance_test {

TEST(Disturbance, IsToldByAnotherProgramAndByAnotherClient) {
  EXPECT_TRUE(tells_disturbance("other programs used 1.2 of 2 cores of this host"));
  EXPECT_TRUE(tells_disturbance("3 requests failed; another client used the server"));
}

TEST(Disturbance, IsNotToldByOtherWarnings) {
  EXPECT_FALSE(tells_disturbance("no steady state; 3 of 100 requests failed"));
  EXPECT_FALSE(tells_disturbance(""));
}

}  // namespace disturbance_test
}  // namespace orch::report
