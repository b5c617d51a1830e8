#include "fakes/temp_folder.hpp"
#include "spec/render/fill_script.hpp"

#include <fstream>
#include <map>
#include <random>
#include <sstream>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace orch::render {
namespace string_template_test {

using Values = std::map<std::string, std::string>;

std::string filled(const std::string& text, const Values& values) {
  return substitute(text, [&](const Placeholder& placeholder) -> std::optional<std::string> {
    const auto value = values.find(placeholder.name);
    return value == values.end() ? std::nullopt : std::optional(value->second);
  });
}

TEST(StringTemplate, FillsNamesWithAndWithoutBraces) {
  EXPECT_EQ(filled("${a}$a-$a1", {{"a", "1"}, {"a1", "2"}}), "11-2");
}

TEST(StringTemplate, LeavesOtherTextAndPlaceholdersWithoutValues) {
  EXPECT_EQ(filled("${b} $b $1 ${1} ${a b} ${a $ ${} ${not closed", {{"a", "1"}}),
            "${b} $b $1 ${1} ${a b} ${a $ ${} ${not closed");
}

TEST(StringTemplate, TwoDollarsBecomeOne) {
  EXPECT_EQ(filled("$$ $$a $${a} $$$a", {{"a", "1"}}), "$ $a ${a} $1");
}

TEST(StringTemplate, ValuesAreNotScannedAgain) {
  EXPECT_EQ(filled("$a", {{"a", "$a $$"}}), "$a $$");
}

TEST(StringTemplate, NamesAreAsciiAndCaseMatters) {
  EXPECT_EQ(filled("$A ${\xc4\xb1} $a\xc5\xbf $\xe2\x84\xaa", {{"a", "1"}, {"k", "2"}}),
            "$A ${\xc4\xb1} 1\xc5\xbf $\xe2\x84\xaa");
}

TEST(StringTemplate, PlaceholdersAreListedWithTheirPlace) {
  const auto found = find_placeholders("x $$no ${yes} $also");
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(fmt::format("{} {} {}", found[0].name, found[0].offset, found[0].size), "yes 7 6");
  EXPECT_EQ(fmt::format("{} {} {}", found[1].name, found[1].offset, found[1].size), "also 14 5");
}

std::string hex(const std::string& text) {
  std::string out;
  for (const char c : text) out += fmt::format("{:02x}", static_cast<unsigned char>(c));
  return out;
}

// Pieces that are special to a template, or resemble such pieces.
const std::vector<std::string> k_pieces = {
    "$",  "$",  "$",    "{",   "}",    "${", "$$",       "a",        "ab",           "_",
    "A",  "Z9", "7",    " ",   "\n",   "-",  "\xc4\xb1", "\xc5\xbf", "\xe2\x84\xaa", "\xc3\xa9",
    "\\", "\"", "${a}", "$ab", "${_A}"};
const std::vector<std::string> k_names = {"a", "ab", "_", "A", "_A", "aa", "Z9", "b"};

std::string pieces(std::mt19937& random, std::size_t most) {
  std::string text;
  for (std::size_t n = random() % (most + 1); n > 0; --n)
    text += k_pieces[random() % k_pieces.size()];
  return text;
}

TEST(StringTemplate, AgreesWithPythonOnThousandsOfRandomTexts) {
  if (std::system("python3 -c '' >/dev/null 2>&1") != 0) GTEST_SKIP() << "there is no python3";
  constexpr int k_texts = 5000;
  const fakes::TempFolder folder;
  std::mt19937 random(20261121);  // NOLINT: the same texts every time
  std::vector<std::string> results;
  std::vector<std::string> requests;
  for (int i = 0; i < k_texts; ++i) {
    const std::string text = pieces(random, 14);
    Values values;
    for (std::size_t n = random() % 4; n > 0; --n)
      values[k_names[random() % k_names.size()]] = pieces(random, 3);
    std::string line = hex(text);
    for (const auto& [key, value] : values) line += fmt::format(" {}={}", hex(key), hex(value));
    requests.push_back(line);
    results.push_back(hex(filled(text, values)));
  }
  {
    std::ofstream in(folder.file("in"));
    for (const std::string& line : requests) in << line << "\n";
  }
  ASSERT_EQ(std::system(
                fmt::format("python3 '{}/tests/spec/render/string_template_oracle.py' <'{}' >'{}'",
                            ORCH_SOURCE_DIR, folder.file("in"), folder.file("out"))
                    .c_str()),
            0);
  std::ifstream out(folder.file("out"));
  std::string python_result;
  for (int i = 0; i < k_texts; ++i) {
    ASSERT_TRUE(std::getline(out, python_result)) << "line " << i;
    ASSERT_EQ(results[static_cast<std::size_t>(i)], python_result)
        << requests[static_cast<std::size_t>(i)];
  }
}

}  // namespace string_template_test
}  // namespace orch::render
