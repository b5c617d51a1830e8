// JSON from outside: invalid UTF-8 and deep nesting.
#include "core/base/json_scan.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace orch {
namespace json_text_test {

using Json = nlohmann::json;

TEST(JsonText, WritesInvalidUtf8AsReplacementCharacters) {
  EXPECT_EQ(dump(Json{{"a", "x\xff"}}), "{\"a\":\"x\xef\xbf\xbd\"}");
  EXPECT_EQ(dump(Json::array({1, 2}), 1), "[\n 1,\n 2\n]");
}

TEST(JsonText, ReadsTextUpToADepth) {
  EXPECT_EQ(parse_shallow<Json>("[[1]]", 2).value, Json::parse("[[1]]"));
  const auto deep = parse_shallow<Json>("[[[1]]]", 2);
  EXPECT_TRUE(deep.too_deep);
  EXPECT_TRUE(deep.value.is_discarded());
}

TEST(JsonText, DistinguishesInvalidFromTooDeep) {
  const auto invalid = parse_shallow<Json>("[1", 2);
  EXPECT_FALSE(invalid.too_deep);
  EXPECT_TRUE(invalid.value.is_discarded());
}

}  // namespace json_text_test
}  // namespace orch
