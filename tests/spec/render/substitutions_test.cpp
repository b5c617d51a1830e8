#include "spec/render/fill_script.hpp"

#include <random>

#include <gtest/gtest.h>

namespace orch::render {
namespace substitutions_test {

// "key=value|" for each, then every error.
std::string read(const std::vector<std::string>& arguments) {
  Errors errors;
  std::string out;
  for (const auto& [key, value] : read_substitutions(arguments, errors))
    out += key + "=" + value + "|";
  for (const Error& error : errors) out += error.text() + "\n";
  return out;
}

TEST(Substitutions, OnlyTheFirstColonEndsAKey) {
  EXPECT_EQ(read({"a:b:c,d:/x:y"}), "a=b:c|d=/x:y|");
}

TEST(Substitutions, ACommaEndsAValueOnlyBeforeANameAndAColon) {
  EXPECT_EQ(read({"gpu_device_ids:0,1;2,3,engine_dir:/a,b/c,1:2,e:"}),
            "e=|engine_dir=/a,b/c,1:2|gpu_device_ids=0,1;2,3|");
}

TEST(Substitutions, ABackslashEscapesTheNextCharacter) {
  EXPECT_EQ(read({"a:x\\,b:1,c:\\\\,d:\\q\\:"}), "a=x,b:1|c=\\|d=q:|");
}

TEST(Substitutions, SeveralArgumentsAreMerged) {
  EXPECT_EQ(read({"a:1,b:2", "c:3", "a:1"}), "a=1|b=2|c=3|");
}

TEST(Substitutions, EveryFaultIsReportedAtOnce) {
  EXPECT_EQ(
      read({"a:1,a:2", "", "b", "c d:1", ":1", "e:1,", "f:1,,g:2", "h:1, i:2", "j:x\\"}),
      "a=1|g=2|the substitution 'a:2' is a second value of a, which already has '1'; keep one of "
      "them\n"
      "the substitution '' is empty; write KEY:VALUE,KEY:VALUE\n"
      "the substitution 'b' has no colon; write KEY:VALUE\n"
      "the substitution 'c d:1' begins with 'c d', which is not the name of a placeholder; use "
      "letters, digits and '_'\n"
      "the substitution ':1' begins with '', which is not the name of a placeholder; use letters, "
      "digits and '_'\n"
      "the substitution 'e:1,' ends in a comma; remove it, or write \\, if it belongs to the "
      "value\n"
      "the substitution 'f:1,' ends in a comma; remove it, or write \\, if it belongs to the "
      "value\n"
      "the substitution 'h:1, i:2' has a space before 'i:'; remove it, or write '\\,' if the "
      "comma belongs to the value\n"
      "the substitution 'j:x\\' ends in a backslash, which escapes the next character; write "
      "\\\\ for a backslash\n");
}

TEST(Substitutions, AnEscapedValueMayEndInACommaBeforeASpace) {
  EXPECT_EQ(read({"a:1\\,", "b:1\\, c:2"}), "a=1,|b=1, c:2|");
}

TEST(Substitutions, AnyValueCanBeWrittenWithBackslashes) {
  std::mt19937 random(20261121);  // NOLINT: the same values every time
  constexpr std::string_view k_characters = ",:\\ ab_1;$";
  for (int i = 0; i < 2000; ++i) {
    std::string value, argument = "a:";
    for (std::size_t n = random() % 8; n > 0; --n) {
      value += k_characters[random() % k_characters.size()];
      argument += std::string("\\") + value.back();
    }
    EXPECT_EQ(read({argument + ",b:2"}), "a=" + value + "|b=2|") << argument;
  }
}

}  // namespace substitutions_test
}  // namespace orch::render
