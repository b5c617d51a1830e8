#include "core/secret/escapes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace orch::secret {
namespace escapes_test {

using testing::ElementsAre;

std::vector<std::string> read(std::string_view text) {
  std::vector<std::string> out;
  for (const Unit& unit : units_at(text, 0))
    out.push_back(fmt::format("{}:{}", unit.text(), unit.size));
  return out;
}

TEST(Escapes, AreReadAsTheCharactersThatTheyStandFor) {
  EXPECT_THAT(read("abc"), ElementsAre("a:1"));
  for (const char* text :
       {"\\u0061", "\\U00000061", "\\x61", "\\141", "%61", "%u0061", "&#97;", "&#x61;", "&#X61;"})
    EXPECT_EQ(read(text).back(), fmt::format("a:{}", std::string_view(text).size())) << text;
  for (const char* text : {"\\u00e9", "%u00E9", "&#233;"})
    EXPECT_EQ(read(text).back(), fmt::format("é:{}", std::string_view(text).size())) << text;
  EXPECT_THAT(read("\\xe9"), ElementsAre("\\:1", "\xe9:4"));
  EXPECT_THAT(read("\\ud83d\\udd11"), ElementsAre("\\:1", "\U0001F511:12"));
  EXPECT_THAT(read("&amp;"), ElementsAre("&:1", "&:5"));
  EXPECT_THAT(read("\\\""), ElementsAre("\\:1", "\":2"));
  EXPECT_THAT(read("+"), ElementsAre("+:1", " :1"));
  EXPECT_THAT(read("'\\''"), ElementsAre("':1", "':4"));
}

TEST(Escapes, AreReadAlsoWhenTheyAreEscapedThemselves) {
  EXPECT_THAT(read("%2561"), ElementsAre("%:1", "%:3", "a:5"));
  EXPECT_THAT(read("\\\\u0061"), ElementsAre("\\:1", "\\:2", "a:7"));
  EXPECT_THAT(read("\\\\\\\""), ElementsAre("\\:1", "\\:2", "\":4"));
  EXPECT_THAT(read("&amp;#97;"), ElementsAre("&:1", "&:5", "a:9"));
  EXPECT_THAT(read("%5Cu0061"), ElementsAre("%:1", "\\:3", "a:8"));
}

TEST(Escapes, ThatAreNoneStandForThemselves) {
  for (const char* text : {"\\q", "\\u00g1", "%zz", "&unknown;", "& ", "&#;", "&#x;", "\\x6"})
    EXPECT_EQ(read(text).size(), 1u) << text;
}

TEST(Escapes, ThatTheTextCutsOffAreUndecided) {
  for (const char* text : {"\\", "\\u00", "%6", "&am", "&#9", "\\ud83d\\u", "'\\"})
    EXPECT_TRUE(units_at(text, 0).undecided) << text;
  for (const char* text : {"a", "\\q", "%6g"}) EXPECT_FALSE(units_at(text, 0).undecided) << text;
}

TEST(Escapes, MayBeginOnlyWithTheirBytes) {
  for (const char* text : {"\\u0061", "%61", "&#97;", "'\\''", "+"}) {
    EXPECT_TRUE(begins_escape(text[0])) << text;
    EXPECT_TRUE(may_be_escape(text, 0)) << text;
  }
  EXPECT_FALSE(begins_escape('a'));
  EXPECT_FALSE(may_be_escape("% ", 0));
  EXPECT_FALSE(may_be_escape("'a", 0));
}

TEST(Gaps, AreLineEndsAndControlSequencesAndAdjacentStrings) {
  for (const char* text : {"\n", "\r", "\n    ", "\x1b[31m", "\x1b[0;1;38;5;200m", "\x1b(B", "\\n",
                           "\\\\n", "\\u001b[0m", "\\x1b[K", "\\\n", "%0A", "\", \"", "\"\"",
                           "\" + \"", "'\n '", "\\\",\\\""}) {
    EXPECT_TRUE(begins_gap(text[0])) << text;
    EXPECT_EQ(gap_at(text + std::string("x"), 0).size, std::string_view(text).size()) << text;
  }
  for (const char* text : {"\": \"", "\"a\"", "\\q", "\x1b\x01", "x"})
    EXPECT_EQ(gap_at(text, 0).size, 0u) << text;
  EXPECT_FALSE(begins_gap('x'));
  for (const char* text : {"\x1b", "\x1b[3", "\", ", "\\"})
    EXPECT_TRUE(gap_at(text, 0).undecided) << text;
}

}  // namespace escapes_test
}  // namespace orch::secret
