#include "bench/measure/request_record.hpp"

#include <gtest/gtest.h>

namespace orch::measure {
namespace request_record_test {

TEST(RequestRecord, SucceededWithoutAnError) {
  RequestRecord record;
  EXPECT_TRUE(record.ok());
  record.error = "connection reset";
  EXPECT_FALSE(record.ok());
}

TEST(RequestRecord, HasTheStampsOfItsFirstAndLastEvent) {
  RequestRecord record;
  EXPECT_FALSE(record.has_events());
  record.event_ns = {5, 7, 9};
  EXPECT_TRUE(record.has_events());
  EXPECT_EQ(record.first_ns(), 5);
  EXPECT_EQ(record.last_ns(), 9);
}

}  // namespace request_record_test
}  // namespace orch::measure
