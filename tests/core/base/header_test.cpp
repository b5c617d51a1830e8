#include "core/base/text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace orch {
namespace header_test {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Header, ItsValueHasTheVariablesThatItNames) {
  const std::map<std::string, std::string> environment = {{"KEY", "s3cret"}, {"A_1", "x"}};
  EXPECT_EQ(*header_line("x-api-key", "$KEY", environment), "x-api-key: s3cret");
  EXPECT_EQ(*header_line("X-B", "a $A_1-$KEY.", environment), "X-B: a x-s3cret.");
  EXPECT_EQ(*header_line("x", "$$KEY", environment), "x: $KEY") << "the sign itself";
  EXPECT_THAT(*header_variables("x", "$KEY and $A_1"), ElementsAre("KEY", "A_1"));
  EXPECT_THAT(*header_variables("x", "plain"), ElementsAre());
}

TEST(Header, WhatWouldNotBeOneHeaderIsRefusedWithoutItsValue) {
  const auto why = [](const char* name, const char* value) {
    const auto line = header_line(name, value, {{"TWO", "a\r\nb: c"}});
    return line ? "accepted: " + *line : line.error().message;
  };
  EXPECT_THAT(why("a b", "v"), HasSubstr("is not a header name"));
  EXPECT_THAT(why("", "v"), HasSubstr("is not a header name"));
  EXPECT_THAT(why("Host", "v"), HasSubstr("is set by the request itself"));
  EXPECT_THAT(why("Authorization", "Bearer s3cret"), HasSubstr("carries a token"));
  EXPECT_THAT(why("Authorization", "Bearer s3cret"), testing::Not(HasSubstr("s3cret")));
  EXPECT_THAT(why("x", ""), HasSubstr("has no value"));
  EXPECT_THAT(why("x", "a\nb"), HasSubstr("control character"));
  EXPECT_THAT(why("x", "$TWO"), HasSubstr("a variable has a control character"));
  EXPECT_THAT(why("x", "a $ b"), HasSubstr("without a variable name"));
  EXPECT_EQ(why("x", "$GONE"), "header 'x' names the variable GONE, which is not set; export it");
}

}  // namespace header_test
}  // namespace orch
