#include "spec/matrix/name_rules.hpp"

#include "core/base/text.hpp"

#include <gtest/gtest.h>

namespace orch::matrix {
namespace name_rules_test {

TEST(NameRules, AColumnNameIsAShortLowerCaseWord) {
  EXPECT_TRUE(is_column_name("batch_size2"));
  EXPECT_FALSE(is_column_name(""));
  EXPECT_FALSE(is_column_name("2x"));
  EXPECT_FALSE(is_column_name("_x"));
  EXPECT_FALSE(is_column_name("isL"));
  EXPECT_TRUE(is_column_name(std::string(64, 'a')));
  EXPECT_FALSE(is_column_name(std::string(65, 'a')));
}

TEST(NameRules, AReservedColumnNameIsRefusedWithTheReason) {
  EXPECT_FALSE(refuse_column_name("isl"));
  EXPECT_EQ(refuse_column_name("select"), "this is a keyword of SQL; choose another name");
  EXPECT_EQ(refuse_column_name("ttft_ms_p99"), "this is the name of a metric; choose another name");
  EXPECT_EQ(refuse_column_name("run"),
            "the view of results has a column of this name; choose another name");
}

TEST(NameRules, AMisspelledColumnNameIsRefusedWithASuggestion) {
  EXPECT_TRUE(refuse_column_name("Max-Len")->ends_with("; write 'max_len'"));
}

TEST(NameRules, AFreeNameIsSafeInAFileName) {
  EXPECT_FALSE(refuse_free_name("Qwen2.5-7B_v1"));
  EXPECT_TRUE(refuse_free_name(""));
  EXPECT_TRUE(refuse_free_name("../x"));
  EXPECT_TRUE(refuse_free_name(".hidden"));
}

}  // namespace name_rules_test
}  // namespace orch::matrix
