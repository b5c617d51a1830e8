// YAML text in, a tree's outline or whole diagnostics out.
#include "base/yaml.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace orch {
namespace {

// A node on one line: {key@line:column=value, ...}.
std::string outline(const Yaml& node) {
  const std::string place = fmt::format("@{}:{}", node.where.line, node.where.column);
  std::string inner;
  switch (node.kind) {
    case Yaml::Kind::null: return "null" + place;
    case Yaml::Kind::scalar: return (node.quoted ? "'" + node.text + "'" : node.text) + place;
    case Yaml::Kind::list:
      for (const Yaml& item : node.items) inner += (inner.empty() ? "" : " ") + outline(item);
      return "[" + inner + "]" + place;
    case Yaml::Kind::map:
      for (const auto& [key, value] : node.entries) inner += (inner.empty() ? "" : " ") + outline(key) + "=" + outline(value);
      return "{" + inner + "}" + place;
  }
  return "";
}

std::string parse(std::string_view text, const YamlLimits& limits = {}) {
  const auto node = parse_yaml(text, "m.yaml", limits);
  return node ? outline(*node) : node.error().text();
}

TEST(Yaml, every_node_knows_where_it_stands) {
  EXPECT_EQ(parse("a: 1\nb: [x, {c: 'y'}]\n"), "{a@1:1=1@1:4 b@2:1=[x@2:5 {c@2:9='y'@2:12}@2:8]@2:4}@1:1");
}

TEST(Yaml, scalars_keep_their_text) {
  EXPECT_EQ(parse("[0.10, 08, yes, 1e3, \"~\", '']"), "[0.10@1:2 08@1:8 yes@1:12 1e3@1:17 '~'@1:22 ''@1:27]@1:1");
}

TEST(Yaml, an_empty_value_stands_where_its_key_does) { EXPECT_EQ(parse("a:\nb: ~\n"), "{a@1:1=null@1:1 b@2:1=null@2:1}@1:1"); }

TEST(Yaml, an_empty_text_is_nothing) {
  EXPECT_EQ(parse(""), "null@1:1");
  EXPECT_EQ(parse("# a comment\n"), "null@1:1");
}

TEST(Yaml, a_duplicate_key_is_refused_at_the_second_one) {
  EXPECT_EQ(parse("a: 1\nb:\n  c: 1\n  \"c\": 2\n"), "m.yaml:4:3: duplicate key 'c'; keep one of the two");
}

TEST(Yaml, a_key_is_a_plain_word) { EXPECT_EQ(parse("? [a]\n: 1\n"), "m.yaml:1:3: a key must be a plain word, not a list"); }

TEST(Yaml, one_document_only) { EXPECT_EQ(parse("a: 1\n---\nb: 2\n"), "m.yaml:3:1: more than one document ('---') in the file; keep one"); }

TEST(Yaml, a_nul_byte_is_refused_with_its_line) { EXPECT_EQ(parse(std::string_view("a: 1\nb: \0", 9)), "m.yaml:2: a NUL byte; this is not a YAML text"); }

TEST(Yaml, what_is_no_yaml_is_told_with_its_place) {
  EXPECT_EQ(parse("a: [1\nb: 2\n"), "m.yaml:2:2: not valid YAML: end of sequence flow not found");
  EXPECT_EQ(parse("a: *x\n"), "m.yaml:1:4: not valid YAML: the referenced anchor is not defined");
}

TEST(Yaml, long_texts_are_refused_unread) {
  EXPECT_EQ(parse(std::string((1 << 20) + 1, '[')), "m.yaml: the file has 1.0 MiB; at most 1.0 MiB are read");
  EXPECT_EQ(parse("[1, 2]", {.bytes = 5}), "m.yaml: the file has 6 B; at most 5 B are read");
}

TEST(Yaml, nesting_is_bounded) {
  const auto nested = [](std::size_t levels) { return fmt::format("{}x{}", std::string(levels, '['), std::string(levels, ']')); };
  EXPECT_EQ(parse(nested(64)).substr(0, 6), "[[[[[[");
  EXPECT_EQ(parse(nested(65)), "m.yaml:1:66: nested deeper than 64 levels; flatten the file");
}

TEST(Yaml, nesting_that_would_use_up_the_stack_is_refused) {
  const std::string too_deep = "not valid YAML: nested too deep, or not a text; flatten the file";
  EXPECT_EQ(parse(std::string(100'000, '[')), "m.yaml:1:1: " + too_deep);
  std::string dashes;
  for (int i = 0; i < 100'000; ++i) dashes += "- ";
  EXPECT_EQ(parse(dashes + "x"), "m.yaml:1:1000: " + too_deep);
}

TEST(Yaml, brackets_in_texts_are_no_nesting) {
  std::string list;
  for (int i = 0; i < 1000; ++i) list += "- \"[{\"\n";
  EXPECT_EQ(parse(list).substr(0, 9), "['[{'@1:3");
}

TEST(Yaml, aliases_are_counted_where_they_are_used) {
  std::string bomb = "a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1]\n";
  for (int i = 1; i < 30; ++i) {
    bomb += fmt::format("a{0}: &a{0} [", i);
    for (int j = 0; j < 9; ++j) bomb += fmt::format("{}*a{}", j ? ", " : "", i - 1);
    bomb += "]\n";
  }
  EXPECT_TRUE(parse(bomb).ends_with("more than 100000 nodes after aliases are expanded; shorten the file")) << parse(bomb).substr(0, 200);
  EXPECT_EQ(parse("[&a x, *a, *a]", {.nodes = 3}), "m.yaml:1:2: more than 3 nodes after aliases are expanded; shorten the file");
}

TEST(Yaml, an_alias_of_itself_ends) {
  EXPECT_EQ(parse("a: &a [*a]"), "m.yaml:1:4: nested deeper than 64 levels; flatten the file");
  EXPECT_EQ(parse("a: &a [*a, *a]"), "m.yaml:1:4: nested deeper than 64 levels; flatten the file");
}

// --- YamlMap

std::string read_errors(std::string_view text, const std::function<void(YamlMap&)>& read) {
  const auto node = parse_yaml(text, "m.yaml");
  Errors errors;
  YamlMap map(*node, "the thing", errors);
  read(map);
  map.finish();
  std::string out;
  for (const Error& error : errors) out += error.text() + "\n";
  return out;
}

TEST(YamlMap, gives_values_of_their_types) {
  EXPECT_EQ(read_errors("{t: x, n: 3, s: 1.5, b: true, l: [a, b], o: a}", [](YamlMap& map) {
              EXPECT_EQ(map.take_text("t"), "x");
              EXPECT_EQ(map.take_integer("n", 0), 3);
              EXPECT_EQ(map.take_seconds("s"), 1.5);
              EXPECT_EQ(map.take_bool("b"), true);
              EXPECT_EQ(map.take_texts("l"), (std::vector<std::string>{"a", "b"}));
              EXPECT_EQ(map.take_texts("o"), (std::vector<std::string>{"a"}));
              EXPECT_EQ(map.take("absent"), nullptr);
              EXPECT_EQ(map.take_text("absent"), std::nullopt);
            }),
            "");
}

TEST(YamlMap, a_value_of_another_type_is_told_at_its_place) {
  EXPECT_EQ(read_errors("{t: [x], n: -1, s: 0, b: yes, l: {}, m: [[a]]}", [](YamlMap& map) {
              map.take_text("t");
              map.take_integer("n", 0);
              map.take_seconds("s");
              map.take_bool("b");
              map.take_texts("l");
              map.take_texts("m");
            }),
            "m.yaml:1:5: 't' must be one value, not a list\n"
            "m.yaml:1:13: 'n' must be a whole number, at least 0, not the value '-1'\n"
            "m.yaml:1:20: 's' must be a number of seconds above 0, not the value '0'\n"
            "m.yaml:1:26: 'b' must be true or false, not the value 'yes'\n"
            "m.yaml:1:34: 'l' must be a list, not a map\n"
            "m.yaml:1:42: 'm' must be a list of plain values, not of a list\n");
}

TEST(YamlMap, a_required_key_and_an_unknown_one_are_told) {
  EXPECT_EQ(read_errors("sorce: x\n", [](YamlMap& map) { map.require("source"); }),
            "m.yaml:1:1: the thing has no 'source'; add it\n"
            "m.yaml:1:1: unknown key 'sorce' in the thing; did you mean 'source'?\n");
}

TEST(YamlMap, what_is_no_map_is_one_error) {
  EXPECT_EQ(read_errors("[1]", [](YamlMap& map) { map.require("a"); }), "m.yaml:1:1: the thing must be a map of keys and values, not a list\n");
}

TEST(Yaml, a_byte_that_is_not_utf8_is_told_with_its_place) {
  for (const char* bad : {"\xe9", "\xff", "\xc0\xaf", "\xed\xa0\x80", "\xf5\x80\x80\x80"}) {
    const auto parsed = parse_yaml("a: 1\nb: x" + std::string(bad) + "\n", "m.yaml");
    ASSERT_FALSE(parsed.ok());
    EXPECT_EQ(parsed.error().text(), "m.yaml:2:5: a byte that is not UTF-8; save the file as UTF-8");
  }
  EXPECT_TRUE(parse_yaml("a: \xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80\n", "m.yaml").ok());
}

}  // namespace
}  // namespace orch
