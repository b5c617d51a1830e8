// Fields of protobuf messages, complete and damaged.
#include "bench/protocol/triton_protocol.hpp"

#include <string>

#include <gtest/gtest.h>

namespace orch::protocol {
namespace proto_scan_test {

TEST(ProtoFields, ReadsNumbersAndBytesInOrder) {
  const std::string message = std::string("\x08\x96\x01", 3) + std::string("\x12\x02hi", 4);
  ProtoFields fields(message);
  ASSERT_TRUE(fields.next());
  EXPECT_EQ(fields.number(), 1u);
  EXPECT_EQ(fields.integer(), 150u);
  ASSERT_TRUE(fields.next());
  EXPECT_EQ(fields.number(), 2u);
  EXPECT_EQ(fields.bytes(), "hi");
  EXPECT_FALSE(fields.next());
  EXPECT_TRUE(fields.whole());
}

TEST(ProtoFields, ATruncatedMessageIsNotWhole) {
  for (const std::string& message : {std::string("\x08"), std::string("\x12\x05hi"),
                                     std::string("\x08\x96"), std::string("\x0b")}) {
    ProtoFields fields(message);
    EXPECT_FALSE(fields.next());
    EXPECT_FALSE(fields.whole());
  }
}

}  // namespace proto_scan_test
}  // namespace orch::protocol
