// The four formats of a table, apart from any query.
#include "results/query/table.hpp"

#include <gtest/gtest.h>

namespace orch::report {
namespace table_test {

Table two_rows() {
  return {.columns = {"point", "ttft_ms"},
          .rows = {{std::string("a|b"), 12.345678}, {std::string("c"), std::monostate{}}},
          .is_cut = false};
}

TEST(Table, for_people_has_five_digits_and_for_programs_all) {
  EXPECT_NE(to_text(two_rows(), Format::table).find("12.346"), std::string::npos);
  EXPECT_NE(to_text(two_rows(), Format::csv).find("12.345678"), std::string::npos);
  EXPECT_NE(to_text(two_rows(), Format::json).find("12.345678"), std::string::npos);
}

TEST(Table, in_markdown_escapes_its_own_separator) {
  EXPECT_NE(to_text(two_rows(), Format::markdown).find("a\\|b"), std::string::npos)
      << to_text(two_rows(), Format::markdown);
}

TEST(Table, in_markdown_is_text_that_renders_as_it_is) {
  const Table table{.columns = {"<b>x</b>"},
                    .rows = {{std::string("a\\|b")},
                             {std::string("<img src=x onerror=alert(1)>")},
                             {std::string("![i](http://h/p) &lt; `c`\nd")}},
                    .is_cut = false};
  EXPECT_EQ(
      to_text(table, Format::markdown),
      "| \\<b\\>x\\</b\\> |\n| --- |\n| a\\\\\\|b |\n| \\<img src=x onerror=alert\\(1\\)\\> |\n"
      "| \\!\\[i\\]\\(http\\://h/p\\) \\&lt; \\`c\\`\\\\nd |\n");
}

TEST(Table, has_null_as_null_or_an_empty_field) {
  EXPECT_NE(to_text(two_rows(), Format::json).find("null"), std::string::npos);
  EXPECT_NE(to_text(two_rows(), Format::csv).find("c,\n"), std::string::npos)
      << to_text(two_rows(), Format::csv);
}

TEST(Table, names_its_formats) {
  EXPECT_EQ(parse_name<Format>("markdown"), Format::markdown);
  EXPECT_FALSE(parse_name<Format>("html"));
}

TEST(MarkdownTable, aligns_numbers_to_the_right) {
  const MarkdownTable table{.columns = {{"point"}, {"TTFT", true}}, .rows = {{"a", "2 ±0.1"}}};
  EXPECT_EQ(table.text(), "| point | TTFT |\n| --- | ---: |\n| a | 2 ±0.1 |\n");
}

TEST(ExactText, has_every_digit) {
  EXPECT_EQ(exact_text(1.23456789), "1.23456789");
  EXPECT_EQ(exact_text(std::int64_t{7}), "7");
  EXPECT_EQ(exact_text(std::string("a\nb")), "a\nb");
  EXPECT_EQ(exact_text({}), "");
}

TEST(RealOf, is_of_numbers_alone) {
  EXPECT_EQ(real_of(std::int64_t{7}), 7);
  EXPECT_EQ(real_of(0.5), 0.5);
  EXPECT_EQ(real_of(std::string("7")), std::nullopt);
}

}  // namespace table_test
}  // namespace orch::report
