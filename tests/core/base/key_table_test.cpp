// A map reads its keys from a table, and what their values may be.
#include "core/base/key_table.hpp"

#include "core/base/yaml/yaml.hpp"

#include <functional>

#include <gtest/gtest.h>

namespace orch {
namespace key_table_test {

using Kind = Form::Kind;

enum class Way { direct, around };
constexpr auto names_of(Tag<Way>) { return value_names("direct", "around"); }

constexpr auto k_ways = joined(value_names("auto"), names_of(Tag<Way>()));
constexpr Form k_word{}, k_filled{.least = 1}, k_flag{.kind = Kind::boolean},
    k_way{.choices = k_ways}, k_count{.kind = Kind::integer, .least = 1, .most = 1000},
    k_whole{.kind = Kind::integer, .least = 0}, k_limit{.kind = Kind::number, .least = 0},
    k_seconds{.kind = Kind::number,
              .least = 0,
              .most = 1e7,
              .above = true,
              .noun = "a number of seconds"};
constexpr Form k_words{.kind = Kind::list, .of = &k_word},
    k_some{.kind = Kind::list, .of = &k_word, .least = 1},
    k_pair{.kind = Kind::list, .of = &k_word, .least = 2, .most = 2, .remedy = "write [A, B]"},
    k_one_or_more{.otherwise = &k_words}, k_counts{.kind = Kind::names, .of = &k_count},
    k_texts{.kind = Kind::names, .of = &k_word};
constexpr Key k_inner_keys[] = {{"n", &k_count, "a count"}};
constexpr KeyTable k_inner{"inner", "", k_inner_keys};
constexpr Form k_section{.kind = Kind::keys, .keys = &k_inner};
constexpr Key k_rows[] = {
    {"word", &k_word, ""},     {"filled", &k_filled, ""},
    {"flag", &k_flag, ""},     {"way", &k_way, ""},
    {"count", &k_count, ""},   {"whole", &k_whole, ""},
    {"limit", &k_limit, ""},   {"s", &k_seconds, ""},
    {"words", &k_words, ""},   {"some", &k_some, "the names: each once"},
    {"pair", &k_pair, ""},     {"more", &k_one_or_more, ""},
    {"counts", &k_counts, ""}, {"texts", &k_texts, ""},
    {"inner", &k_section, ""},
};
constexpr Key k_lengths[] = {{"isl", &k_word, "tokens of a prompt", true}, {"osl", &k_word, ""}};

std::string text_of(const Errors& errors) {
  std::string text;
  for (const Error& error : errors) text += error.text() + "\n";
  return text;
}

std::string errors_of(std::string_view text, const std::function<void(YamlMap&)>& read) {
  const auto node = parse_yaml(text, "m.yaml");
  Errors errors;
  YamlMap map(*node, KeyTable{"table", "", k_rows}, "the thing", errors);
  read(map);
  return text_of(errors);
}

// Of the key and value in TEXT.
std::string fault_of(const std::string& text) {
  return errors_of(text, [&](YamlMap& map) { map.take_fitting(text.substr(0, text.find(':'))); });
}

TEST(KeyTable, a_map_knows_and_requires_the_keys_of_its_table) {
  const auto node = parse_yaml("{ols: 2}", "m.yaml");
  Errors errors;
  const YamlMap map(*node, KeyTable{"lengths", "", k_lengths}, "the thing", errors);
  EXPECT_EQ(text_of(errors),
            "m.yaml:1:1: the thing has no 'isl'; add it\n"
            "m.yaml:1:2: unknown key 'ols' in the thing; did you mean 'osl'?\n");
  errors.clear();
  const YamlMap part(*node, KeyTable{"lengths", "", k_lengths}, "the thing", errors, true);
  EXPECT_EQ(errors.size(), 1u);
}

TEST(KeyTable, values_are_read_as_their_targets) {
  std::string word = "kept", absent = "kept";
  bool flag = false;
  std::optional<Way> way;
  int count = 0;
  std::optional<double> s;
  std::vector<std::string> words, more;
  std::map<std::string, int> counts;
  EXPECT_EQ(errors_of("{word: x, flag: true, way: around, count: 3, s: 1.5, words: [a, b], more: "
                      "a, counts: {a: 1, b: 2}}",
                      [&](YamlMap& map) {
                        EXPECT_NE(map.take("word", word), nullptr);
                        map.take("flag", flag);
                        map.take("way", way);
                        map.take("count", count);
                        map.take("s", s);
                        map.take("words", words);
                        map.take("more", more);
                        map.take("counts", counts);
                        EXPECT_EQ(map.take("filled", absent), nullptr);
                        EXPECT_FALSE(map.section("inner"));
                      }),
            "");
  EXPECT_EQ(word, "x");
  EXPECT_EQ(absent, "kept");
  EXPECT_TRUE(flag);
  EXPECT_EQ(way, Way::around);
  EXPECT_EQ(count, 3);
  EXPECT_EQ(s, 1.5);
  EXPECT_EQ(words, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(more, std::vector<std::string>{"a"});
  EXPECT_EQ(counts, (std::map<std::string, int>{{"a", 1}, {"b", 2}}));
}

TEST(KeyTable, a_value_of_another_form_says_what_its_row_allows) {
  for (const auto& [text, message] : std::map<std::string, std::string>{
           {"word: [x]", "7: 'word' must be one value, not a list"},
           {"word:", "1: 'word' must be one value, not nothing; write '' for the empty text"},
           {"filled: ''", "9: 'filled' is empty; give it a value"},
           {"flag: yes", "7: 'flag' must be true or false, not the value 'yes'"},
           {"way: arund",
            "6: 'way' must be auto, direct or around, not the value 'arund'; did you "
            "mean 'around'?"},
           {"count: 1001",
            "8: 'count' must be a whole number from 1 to 1000, not the value "
            "'1001'"},
           {"count: 1.5", "8: 'count' must be a whole number from 1 to 1000, not the value '1.5'"},
           {"whole: -1", "8: 'whole' must be a whole number, at least 0, not the value '-1'"},
           {"limit: x", "8: 'limit' must be a number, at least 0, not the value 'x'"},
           {"s: 0",
            "4: 's' must be a number of seconds above 0, at most 10000000, not the value "
            "'0'"},
           {"s: nan",
            "4: 's' must be a number of seconds above 0, at most 10000000, not the value "
            "'nan'"},
           {"words: a b,c", "8: 'words' must be a list, not the value 'a b,c'; write [a, \"b,c\"]"},
           {"words: {a: b}", "8: 'words' must be a list, not a map; write [VALUE, ...]"},
           {"words: [[a]]", "9: 'words' must be a list of plain values, not of a list"},
           {"some: []", "7: 'some' is empty; write the names"},
           {"pair: [a]", "7: 'pair' has 1 entry; give it at least 2; write [A, B]"},
           {"more: {a: b}", "7: 'more' must be one value, or a list, not a map"},
           {"counts: {a: 0}",
            "13: 'counts.a' must be a whole number from 1 to 1000, not the value '0'"},
           {"texts: 3",
            "8: 'texts' must be a map of names and values, not the value '3'; write "
            "{NAME: VALUE}"},
       })
    EXPECT_EQ(fault_of(text), "m.yaml:1:" + message + "\n");
}

TEST(KeyTable, a_section_has_the_keys_of_its_row_and_their_whole_names) {
  int n = 0;
  EXPECT_EQ(
      errors_of("{inner: {n: 0, m: 1}}", [&](YamlMap& map) { map.section("inner")->take("n", n); }),
      "m.yaml:1:16: unknown key 'm' in 'inner'; did you mean 'n'?\n"
      "m.yaml:1:13: 'inner.n' must be a whole number from 1 to 1000, not the value '0'\n");
}

TEST(KeyTable, items_and_entries_of_another_form_are_left_out) {
  EXPECT_EQ(errors_of("{words: [a, [b]], counts: {x: 1, y: 0}}",
                      [](YamlMap& map) {
                        EXPECT_EQ(map.take_items("words").size(), 1u);
                        ASSERT_EQ(map.take_entries("counts").size(), 1u);
                      }),
            "m.yaml:1:13: 'words' must be a list of plain values, not of a list\n"
            "m.yaml:1:37: 'counts.y' must be a whole number from 1 to 1000, not the value '0'\n");
}

}  // namespace key_table_test
}  // namespace orch
