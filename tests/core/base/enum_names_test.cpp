#include "core/base/enum_names.hpp"

#include <gtest/gtest.h>

namespace orch {
namespace enum_names_test {

enum class Colour { red, green };
constexpr auto names_of(Tag<Colour>) { return value_names("red", "green"); }

TEST(EnumNames, AreReadAsTheyAreWritten) {
  EXPECT_EQ(to_string(Colour::green), "green");
  EXPECT_EQ(parse_name<Colour>("green"), Colour::green);
  EXPECT_EQ(parse_name<Colour>("blue"), std::nullopt);
  EXPECT_EQ(to_string(static_cast<Colour>(7)), "?");
}

}  // namespace enum_names_test
}  // namespace orch
