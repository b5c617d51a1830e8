// The table of a request's fields: its keys and columns. Reading and writing them is tested with
// the reader of records.
#include "bench/record/request_fields.hpp"

#include <set>

#include <gtest/gtest.h>

namespace orch::record {
namespace request_fields_test {

TEST(RequestFields, HaveAKeyOfTheirOwnAndAGetter) {
  std::set<std::string> keys;
  for (const auto& field : k_request_fields) {
    EXPECT_TRUE(keys.insert(fmt::format("{}.{}", field.group.key, field.key)).second) << field.key;
    EXPECT_NE(field.get, nullptr) << field.key;
  }
}

TEST(RequestFields, TakeTheGapsOfEventsFromTheirStamps) {
  measure::RequestRecord record;
  record.event_ns = {10, 13, 20};
  const Value gaps = request_field::gaps(record);
  EXPECT_EQ(std::get<Gaps>(gaps), (Gaps{3, 7}));
  measure::RequestRecord read;
  request_field::set_first_ns(read, std::int64_t{10});
  request_field::set_last_ns(read, std::int64_t{20});
  request_field::set_gaps(read, gaps);
  EXPECT_EQ(read.event_ns, record.event_ns);
}

}  // namespace request_fields_test
}  // namespace orch::record
