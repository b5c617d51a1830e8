#include "base/packed.hpp"

#include <gtest/gtest.h>

namespace orch {
namespace {

TEST(Packed, comes_back_as_it_was_and_is_small) {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += fmt::format("line {}\n", i % 97);
  const std::string packed = pack(text);
  EXPECT_LT(packed.size(), text.size() / 50);
  EXPECT_EQ(unpack(packed, text.size()).value(), text);
  EXPECT_EQ(unpack(pack(""), 0).value(), "");
  EXPECT_EQ(unpack(pack(std::string("a\0b", 3)), 3).value(), std::string("a\0b", 3));
}

TEST(Packed, of_two_files_one_after_the_other_is_both) { EXPECT_EQ(unpack(pack("one ") + pack("two"), 100).value(), "one two"); }

TEST(Packed, is_not_unpacked_beyond_what_was_allowed) {
  EXPECT_EQ(unpack(pack(std::string(1'000'000, 'x')), 999'999).error().message, "unpacks to more than 999999 bytes");
  EXPECT_EQ(unpack(pack("ab"), 1).error().message, "unpacks to more than 1 bytes");
}

TEST(Packed, that_is_something_else_or_cut_short_is_an_error) {
  std::string text(1000, 'x');
  text += "end";
  const std::string packed = pack(text);
  EXPECT_EQ(unpack("text", 100).error().message, "cannot be unpacked: Unknown frame descriptor");
  EXPECT_EQ(unpack("", 100).error().message, "cannot be unpacked: it is cut short");
  for (std::size_t size = 1; size < packed.size(); ++size) EXPECT_FALSE(unpack(packed.substr(0, size), 10'000).ok()) << size;
}

}  // namespace
}  // namespace orch
