// Each line of a run record has a checksum that covers it and the lines before it.
#include "core/base/digest.hpp"
#include "results/store/records/record_log.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace orch {
namespace record_line_test {

using store::ends_with_sum;
using store::first_damaged_line;
using store::record_line;
using store::RecordLines;

std::string three_lines() {
  std::string sum, text;
  for (const char* fact : {R"({"moved":{"stage":"a"}})", R"({"moved":{"stage":"b"}})",
                           R"({"ended":{"message":"[\"x\"]"}})"})
    text += record_line({fact, R"({"n":1})"}, sum);
  return text;
}

TEST(RecordLine, holds_its_facts_and_a_checksum_of_them_and_of_the_line_before) {
  std::string sum;
  const std::string first = record_line({R"({"n":1})", R"({"n":2})"}, sum);
  EXPECT_EQ(sum, sha256("\n{\"n\":1},{\"n\":2}").hex().substr(0, 16));
  EXPECT_EQ(first, R"([{"n":1},{"n":2},")" + sum + "\"]\n");
  const std::string before = sum;
  record_line({R"({"n":1})"}, sum);
  EXPECT_EQ(sum, sha256(before + "\n{\"n\":1}").hex().substr(0, 16));
}

TEST(RecordLine, is_read_without_its_checksum) {
  RecordLines lines;
  std::string sum;
  std::string line = record_line({R"({"n":1})", R"({"n":2})"}, sum);
  line.pop_back();
  const auto facts = lines.facts(line);
  ASSERT_TRUE(facts.ok());
  EXPECT_EQ(*facts, R"([{"n":1},{"n":2}])");
  EXPECT_EQ(lines.sum(), sum);
}

TEST(RecordLine, of_an_older_version_has_no_checksum) {
  RecordLines lines;
  EXPECT_EQ(*lines.facts(R"([{"n":1}])"), R"([{"n":1}])");
  EXPECT_EQ(*lines.facts("[]"), "[]");
  EXPECT_EQ(lines.sum(), "");
}

TEST(RecordLine, is_damaged_by_every_change_of_a_byte) {
  const std::string text = three_lines();
  std::string why;
  EXPECT_EQ(first_damaged_line(text, why), 0);
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string changed = text;
    changed[i] = changed[i] == 'q' ? 'z' : 'q';
    EXPECT_NE(first_damaged_line(changed, why), 0) << changed;
  }
}

TEST(RecordLine, is_damaged_by_a_missing_line_before_it_and_by_a_missing_end) {
  const std::string text = three_lines();
  const std::size_t second = text.find('\n') + 1, third = text.find('\n', second) + 1;
  std::string why;
  EXPECT_EQ(first_damaged_line(text.substr(0, second) + text.substr(third), why), 2);
  EXPECT_THAT(why, testing::HasSubstr("a line before it is missing"));
  EXPECT_EQ(first_damaged_line(text.substr(0, text.size() - 1), why), 3);
  EXPECT_EQ(first_damaged_line(text + std::string(10, '\0'), why), 4);
}

TEST(RecordLine, that_is_damaged_is_the_only_one_reported) {
  std::string text = three_lines();
  text[text.find("\"a\"") + 1] = 'c';
  RecordLines lines;
  std::vector<bool> intact;
  for (std::size_t begin = 0; begin < text.size(); begin = text.find('\n', begin) + 1)
    intact.push_back(lines.facts(text.substr(begin, text.find('\n', begin) - begin)).ok());
  EXPECT_EQ(intact, (std::vector<bool>{false, true, true}));
}

TEST(RecordLine, at_the_end_of_a_file_is_known_by_its_checksum) {
  const std::string text = three_lines();
  const std::string sum = text.substr(text.size() - 19, 16);
  for (std::size_t from = 0; from < text.size() - 21; ++from) {
    const std::string end = text.substr(from);
    EXPECT_TRUE(ends_with_sum(end, sum)) << end;
    EXPECT_FALSE(ends_with_sum(end, "0000000000000000")) << end;
    EXPECT_FALSE(ends_with_sum(end.substr(0, end.size() - 1), sum)) << end;
    EXPECT_FALSE(ends_with_sum(end.substr(0, end.size() - 10) + std::string(10, '\0'), sum)) << end;
  }
  const std::size_t second = text.find('\n') + 1;
  std::string changed = text;
  changed[second + 5] = 'q';
  EXPECT_FALSE(ends_with_sum(changed, sum));
  EXPECT_TRUE(ends_with_sum("[{\"n\":1}]\n", "")) << "of an older version";
  EXPECT_FALSE(ends_with_sum("", sum));
}

}  // namespace record_line_test
}  // namespace orch
