#include "app/init/starting_matrix.hpp"

#include <gtest/gtest.h>

namespace orch::session {
namespace first_values_test {

TEST(FirstValues, AreTheDefaultElseAllowedElseNearOne) {
  EXPECT_EQ(first_value({.type = matrix::Type::integer,
                         .declared = {.fallback = matrix::Value{matrix::Type::integer, "7"}}}),
            "7");
  EXPECT_EQ(first_value({.allowed = {"b", "a"}}), "b");
  EXPECT_EQ(first_value({.type = matrix::Type::integer, .least = 16}), "16");
  EXPECT_EQ(first_value({.type = matrix::Type::real, .most = 0.5}), "0.5");
  EXPECT_EQ(first_value({.type = matrix::Type::boolean}), "false");
}

TEST(FirstValues, ReadBackAsTheSameText) {
  EXPECT_EQ(yaml_value(matrix::Type::text, "fp16"), "fp16");
  EXPECT_EQ(yaml_value(matrix::Type::text, "off"), "'off'");
  EXPECT_EQ(yaml_value(matrix::Type::text, "8"), "'8'");
  EXPECT_EQ(yaml_value(matrix::Type::integer, "8"), "8");
  EXPECT_EQ(yaml_quote("it's"), "'it''s'");
}

TEST(FirstValues, AModelIsGeneratedWhereItsHelpSaysSo) {
  EXPECT_TRUE(takes_generated({.help = "source generate:nano or local:PATH"}));
  EXPECT_FALSE(takes_generated({.help = "hf:OWNER/NAME"}));
}

}  // namespace first_values_test
}  // namespace orch::session
