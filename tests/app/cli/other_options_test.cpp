// Words of other load generators.
#include "app/cli/help.hpp"

#include <gtest/gtest.h>

namespace orch::cli {
namespace other_options_test {

TEST(OtherOptions, HaveNamesHere) {
  EXPECT_EQ(option_here("--input-file"), "--prompts FILE");
  EXPECT_EQ(option_here("-u"), "--url URL");
  EXPECT_EQ(option_here("--no-such-thing"), "");
}

}  // namespace other_options_test
}  // namespace orch::cli
