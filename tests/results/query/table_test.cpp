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
  for (const std::string_view name : k_format_names) EXPECT_TRUE(format_from(name)) << name;
  EXPECT_FALSE(format_from("html"));
}

TEST(List, contains_whole_names_only) {
  EXPECT_TRUE(lists("ttft_ms_p99 itl_ms_p99", "itl_ms_p99"));
  EXPECT_FALSE(lists("ttft_ms_p999", "ttft_ms_p99"));
  EXPECT_FALSE(lists("", "x"));
}

}  // namespace table_test
}  // namespace orch::report
