// Text helpers: text in, text out.
#include "core/base/text.hpp"

#include "core/base/result.hpp"

#include <gtest/gtest.h>

namespace orch {
namespace text_test {

using Words = std::vector<std::string>;

TEST(Text, split_keeps_empty_parts) {
  EXPECT_EQ(split("a,,b,", ','), (Words{"a", "", "b", ""}));
  EXPECT_EQ(split("", ','), (Words{""}));
}

TEST(Text, join_adds_separators_trim_strips_spaces_and_lower_changes_ascii_only) {
  EXPECT_EQ(join(Words{"a", "b"}, ", "), "a, b");
  EXPECT_EQ(trim(" \t a b\n"), "a b");
  EXPECT_EQ(trim(" \n"), "");
  EXPECT_EQ(lower("AbZ-9Ü"), "abz-9Ü");
}

TEST(Text, a_number_must_be_the_whole_text) {
  EXPECT_EQ(to_integer("-12"), -12);
  for (const char* wrong : {"", "1 ", " 1", "+1", "1.0", "1e3", "0x1", "9223372036854775808"})
    EXPECT_EQ(to_integer(wrong), std::nullopt) << wrong;
  EXPECT_EQ(to_real("1e3"), 1000.0);
  EXPECT_EQ(to_real("-0.5"), -0.5);
  for (const char* wrong : {"", "1 ", "inf", "nan", "1e999", "1,5", "x"})
    EXPECT_EQ(to_real(wrong), std::nullopt) << wrong;
}

TEST(Text, a_near_word_is_suggested_and_a_distant_one_is_not) {
  const Words known = {"concurrency", "batch_size", "isl", "osl"};
  EXPECT_EQ(nearest("concurency", known), "concurrency");
  EXPECT_EQ(nearest("batchsize", known), "batch_size");
  EXPECT_EQ(nearest("BATCH_SIZE", known), "batch_size");
  EXPECT_EQ(nearest("sil", known), "isl");
  EXPECT_EQ(nearest("temperature", known), std::nullopt);
  EXPECT_EQ(nearest("xyz", known), std::nullopt);
  EXPECT_EQ(nearest(std::string(100'000, 'a'), known), std::nullopt);
  EXPECT_EQ(did_you_mean("ils", known), "; did you mean 'isl'?");
  EXPECT_EQ(did_you_mean("zebra", known), "");
}

TEST(Text, versions_are_ordered_part_by_part) {
  const Words ascending = {"0.9",
                           "0.9.0",
                           "0.10",
                           "0.14.0",
                           "0.14.0.dev1",
                           "0.14.1",
                           "1.0",
                           "1.0rc1",
                           "1.0rc2",
                           "1.0rc10",
                           "2.0",
                           "99999999999999999999999.0",
                           "100000000000000000000000.0"};
  for (std::size_t i = 0; i < ascending.size(); ++i) {
    for (std::size_t j = 0; j < ascending.size(); ++j) {
      const int order = compare_versions(ascending[i], ascending[j]);
      EXPECT_EQ(order < 0, i < j) << ascending[i] << " " << ascending[j];
      EXPECT_EQ(order > 0, i > j) << ascending[i] << " " << ascending[j];
    }
  }
  EXPECT_EQ(compare_versions("0.14.00", "0.14.0"), 0);
  EXPECT_EQ(compare_versions("", ""), 0);
  EXPECT_LT(compare_versions("", "0"), 0);
}

TEST(Text, shell_quote_makes_one_word_for_a_shell) {
  EXPECT_EQ(shell_quote("plain-1.2/x:y=z"), "plain-1.2/x:y=z");
  EXPECT_EQ(shell_quote(""), "''");
  EXPECT_EQ(shell_quote("a b"), "'a b'");
  EXPECT_EQ(shell_quote("it's $HOME"), "'it'\\''s $HOME'");
  EXPECT_EQ(shell_quote(Words{"echo", "a b", "*"}), "echo 'a b' '*'");
}

TEST(Text, lists_finds_whole_words_only) {
  EXPECT_TRUE(lists("ttft_ms_p99 itl_ms_p99", "itl_ms_p99"));
  EXPECT_FALSE(lists("ttft_ms_p999", "ttft_ms_p99"));
  EXPECT_FALSE(lists("", "x"));
}

TEST(Text, plural_has_an_s_unless_there_is_one) {
  EXPECT_EQ(plural(0, "token"), "0 tokens");
  EXPECT_EQ(plural(1, "token"), "1 token");
  EXPECT_EQ(plural(2, "token"), "2 tokens");
}

TEST(Text, human_duration_chooses_readable_units) {
  EXPECT_EQ(human_duration(0.85), "850 ms");
  EXPECT_EQ(human_duration(12.34), "12.3 s");
  EXPECT_EQ(human_duration(245), "4 min 05 s");
  EXPECT_EQ(human_duration(12000), "3 h 20 min");
  EXPECT_EQ(human_duration(0.9999), "1.0 s");
  EXPECT_EQ(human_duration(59.97), "1 min 00 s");
}

TEST(Text, human_bytes_uses_binary_units) {
  EXPECT_EQ(human_bytes(512), "512 B");
  EXPECT_EQ(human_bytes(1024), "1.0 KiB");
  EXPECT_EQ(human_bytes(17091789), "16.3 MiB");
  EXPECT_EQ(human_bytes(std::uint64_t{1} << 50), "1024.0 TiB");
}

TEST(TextTable, numeric_columns_are_aligned_to_the_right) {
  TextTable table({"name", "tps", "größe"});
  table.add({"a", "1.5", "x"});
  table.add({"bcd", "-", "ü"});
  table.add({"e", "100"});
  EXPECT_EQ(table.text(),
            "name  tps  größe\n"
            "a     1.5  x\n"
            "bcd     -  ü\n"
            "e     100\n");
}

// A terminal of COLUMNS while it lives.
struct Terminal {
  explicit Terminal(std::size_t columns) { TextTable::fit(columns); }
  ~Terminal() { TextTable::fit(0); }
};

TEST(TextTable, that_is_wider_than_the_terminal_continues_below_behind_its_first_column) {
  TextTable table({"point", "tps", "ttft", "why"});
  table.add({"a_tp1", "100.25", "12.5", "the first of many words that say why it is so"});
  table.add({"b_tp2", "9.5", "1234.5", "short"});
  const Terminal terminal(34);
  EXPECT_EQ(table.text(),
            "point     tps    ttft\n"
            "a_tp1  100.25    12.5\n"
            "b_tp2     9.5  1234.5\n"
            "\n"
            "point  why\n"
            "a_tp1  the first of many words\n"
            "       that say why it is so\n"
            "b_tp2  short\n");
}

TEST(TextTable, with_names_that_leave_no_room_numbers_its_rows) {
  TextTable table({"point", "tps"});
  table.add({std::string(28, 'a'), "1.5"});
  table.add({std::string(40, 'b'), "2.5"});
  const Terminal terminal(32);
  EXPECT_EQ(table.text(), "#  point\n1  " + std::string(28, 'a') + "\n2  " + std::string(29, 'b') +
                              "\n   " + std::string(11, 'b') + "\n\n#  tps\n1  1.5\n2  2.5\n");
}

TEST(TextTable, that_is_long_has_its_header_at_the_end_as_well_on_a_terminal) {
  TextTable table({"n"});
  for (int i = 0; i < 21; ++i) table.add({"1"});
  EXPECT_FALSE(table.text().ends_with("n\n"));
  const Terminal terminal(80);
  EXPECT_TRUE(table.text().ends_with("1\nn\n"));
}

TEST(Text, wrapped_breaks_lines_at_spaces_and_leaves_long_words_whole) {
  EXPECT_EQ(wrapped("a bb ccc dddd\nx\n", 8), "a bb ccc\n  dddd\nx\n");
  EXPECT_EQ(wrapped("  a bb ccc", 8, 1), "  a bb\n   ccc");
  EXPECT_EQ(wrapped("see 0123456789 now", 8), "see\n  0123456789\n  now");
}

TEST(Errors, print_the_known_part_of_their_place) {
  EXPECT_EQ(invalid("wrong").text(), "wrong");
  EXPECT_EQ(invalid("wrong", {"m.yaml", 0, 0}).text(), "m.yaml: wrong");
  EXPECT_EQ(invalid("wrong", {"m.yaml", 3, 0}).text(), "m.yaml:3: wrong");
  EXPECT_EQ(invalid("wrong", {"m.yaml", 3, 7}).within("axis 'tp'").text(),
            "m.yaml:3:7: axis 'tp': wrong");
}

TEST(Errors, are_ordered_by_place_within_a_file) {
  Errors errors = {invalid("kept first", {"m.yaml", 9, 9}), invalid("4", {"m.yaml", 2, 1}),
                   invalid("r", {"r.yaml", 1, 1}),          invalid("2", {"m.yaml", 1, 5}),
                   invalid("3", {"m.yaml", 1, 5}),          invalid("1", {"m.yaml", 0, 0})};
  sort_by_place(errors, 1);
  std::string order;
  for (const Error& error : errors) order += error.message + " ";
  EXPECT_EQ(order, "kept first 1 2 3 4 r ");
}

TEST(Errors, beyond_two_hundred_of_a_file_are_counted_at_the_place_of_the_first_one_left_out) {
  Errors errors = {invalid("reported before", {"m.yaml", 1, 1})};
  for (int line = 1; line <= 201; ++line) errors.push_back(invalid("a", {"m.yaml", line, 2}));
  errors.push_back(invalid("b", {"r.yaml", 1, 1}));
  errors.push_back(invalid("c", {"m.yaml", 202, 1}));
  Errors few(errors.begin(), errors.begin() + 201);
  EXPECT_FALSE(keep_readable(few, 1));
  EXPECT_EQ(few.size(), 201u);
  EXPECT_TRUE(keep_readable(errors, 1));
  ASSERT_EQ(errors.size(), 203u);
  EXPECT_EQ(errors[200].text(), "m.yaml:200:2: a");
  EXPECT_EQ(errors[201].text(), "m.yaml:201:2: ... and 2 more");
  EXPECT_EQ(errors[202].text(), "r.yaml:1:1: b");
}

TEST(Errors, of_the_system_name_the_operation_and_the_path) {
  EXPECT_EQ(io_error("read", "a.txt", 2).text(), "cannot read a.txt: No such file or directory");
  EXPECT_EQ(io_error("read", "a.txt", 2).kind, ErrorKind::not_found);
  EXPECT_EQ(io_error("write", "a.txt", 28).kind, ErrorKind::io);
}

Result<int> half(int value) {
  if (value % 2) return invalid("odd");
  return value / 2;
}

Result<int> quarter(int value) {
  ORCH_ASSIGN(const int once, half(value));
  ORCH_ASSIGN(const int twice, half(once));
  return twice;
}

TEST(Result, macros_pass_values_on_and_return_the_first_error) {
  EXPECT_EQ(*quarter(12), 3);
  EXPECT_EQ(quarter(6).error().message, "odd");
  EXPECT_EQ(quarter(7).value_or(-1), -1);
}

TEST(Text, a_quoted_text_is_short_and_has_no_control_characters) {
  EXPECT_EQ(quoted("fp8"), "'fp8'");
  EXPECT_EQ(quoted("a\nb\x1b[31m\x7f"), "'a\\x0ab\\x1b[31m\\x7f'");
  EXPECT_EQ(quoted(std::string(60, 'x')), "'" + std::string(60, 'x') + "'");
  std::string long_one;
  for (int i = 0; i < 61; ++i) long_one += "\xc3\xa9";
  EXPECT_EQ(quoted(long_one), "'" + long_one.substr(0, 120) + "...'");
  EXPECT_EQ(quoted(std::string(300, '\xa3')).size(), 60 * 4 + 5) << "bytes that are not UTF-8";
}

TEST(Text, no_control_character_reaches_a_terminal) {
  EXPECT_EQ(printable("a\tb\n\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80"),
            "a\tb\n\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80");
  EXPECT_EQ(printable("\x1b[2J\r\x7f\b"), "\\x1b[2J\\x0d\\x7f\\x08");
  EXPECT_EQ(printable("\xc2\x9b"
                      "31m \xc2\x80 \xc2\x9f \xc2\xa0"),
            "\\x9b31m \\x80 \\x9f \xc2\xa0")
      << "U+0080 to U+009F";
  EXPECT_EQ(printable("\x9b"
                      "31m \xff \xc2"),
            "\\x9b31m \\xff \\xc2")
      << "not UTF-8";
  EXPECT_EQ(printable("\xe2\x82"), "\\xe2\\x82") << "cut";
  EXPECT_EQ(printable("a\u202eb\u2066c\u202a \u2029 \u202f \u2065 \u206a"),
            "a\\u202eb\\u2066c\\u202a \u2029 \u202f \u2065 \u206a")
      << "marks of direction";
  EXPECT_EQ(printable(std::string("\0", 1)), "\\x00");
  EXPECT_EQ(printable_line("a\nb\tc\r\xc2\x9b"), "a\\nb\\tc\\r\\x9b");
  EXPECT_EQ(quoted("\xc2\x9b\n\xff"), "'\\x9b\\x0a\\xff'");
  TextTable table({"a"});
  table.add({"\xc2\x9b\n"});
  EXPECT_EQ(table.text(), "a\n\\x9b\\n\n");
}

TEST(Contains, FindsAValueInAnyList) {
  EXPECT_TRUE(contains(std::vector<std::string>{"a", "b"}, "b"));
  constexpr std::string_view k_words[] = {"a", "b"};
  EXPECT_FALSE(contains(k_words, "c"));
}

}  // namespace text_test
}  // namespace orch
