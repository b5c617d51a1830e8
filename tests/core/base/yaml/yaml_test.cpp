// YAML text in, a tree's outline or whole diagnostics out.
#include "core/base/yaml/yaml.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace orch {
namespace yaml_test {

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
      for (const auto& [key, value] : node.entries)
        inner += (inner.empty() ? "" : " ") + outline(key) + "=" + outline(value);
      return "{" + inner + "}" + place;
  }
  return "";
}

std::string parse(std::string_view text, const YamlLimits& limits = {}) {
  const auto node = parse_yaml(text, "m.yaml", limits);
  return node ? outline(*node) : node.error().text();
}

TEST(Yaml, every_node_has_its_line_and_column) {
  EXPECT_EQ(parse("a: 1\nb: [x, {c: 'y'}]\n"),
            "{a@1:1=1@1:4 b@2:1=[x@2:5 {c@2:9='y'@2:12}@2:8]@2:4}@1:1");
}

TEST(Yaml, scalars_keep_their_text) {
  EXPECT_EQ(parse("[0.10, 08, yes, 1e3, \"~\", '']"),
            "[0.10@1:2 08@1:8 yes@1:12 1e3@1:17 '~'@1:22 ''@1:27]@1:1");
}

TEST(Yaml, an_empty_value_has_the_place_of_its_key) {
  EXPECT_EQ(parse("a:\nb: ~\n"), "{a@1:1=null@1:1 b@2:1=null@2:1}@1:1");
}

TEST(Yaml, an_empty_text_is_null) {
  EXPECT_EQ(parse(""), "null@1:1");
  EXPECT_EQ(parse("# a comment\n"), "null@1:1");
}

TEST(Yaml, a_duplicate_key_is_refused_at_the_second_one) {
  EXPECT_EQ(parse("a: 1\nb:\n  c: 1\n  \"c\": 2\n"),
            "m.yaml:4:3: duplicate key 'c'; keep one of the two");
}

TEST(Yaml, a_key_must_be_a_plain_word) {
  EXPECT_EQ(parse("? [a]\n: 1\n"), "m.yaml:1:3: a key must be a plain word, not a list");
}

TEST(Yaml, a_second_document_is_refused) {
  EXPECT_EQ(parse("a: 1\n---\nb: 2\n"),
            "m.yaml:2:1: more than one document ('---') in the file; keep one");
}

TEST(Yaml, a_nul_byte_is_refused_with_its_place) {
  EXPECT_EQ(parse(std::string_view("a: 1\nb: \0", 9)),
            "m.yaml:2:4: a NUL byte; this file is not YAML text");
}

TEST(Yaml, a_text_over_the_size_limit_is_refused_before_parsing) {
  EXPECT_EQ(parse(std::string((1 << 20) + 1, '[')),
            "m.yaml: the file has 1.0 MiB; at most 1.0 MiB are read");
  EXPECT_EQ(parse("[1, 2]", {.bytes = 5}), "m.yaml: the file has 6 B; at most 5 B are read");
}

TEST(Yaml, nesting_is_bounded) {
  const auto nested = [](std::size_t levels) {
    return fmt::format("{}x{}", std::string(levels, '['), std::string(levels, ']'));
  };
  EXPECT_EQ(parse(nested(64)).substr(0, 6), "[[[[[[");
  EXPECT_EQ(parse(nested(65)), "m.yaml:1:66: nested deeper than 64 levels; flatten the file");
}

TEST(Yaml, extreme_nesting_is_refused_without_exhausting_the_stack) {
  EXPECT_EQ(parse(std::string(100'000, '[')),
            "m.yaml:1:66: nested deeper than 64 levels; flatten the file");
  EXPECT_EQ(parse(std::string(100'000, '{')), "m.yaml:1:2: a key must be a plain word, not a map");
  std::string dashes;
  for (int i = 0; i < 100'000; ++i) dashes += "- ";
  EXPECT_EQ(parse(dashes + "x"), "m.yaml:1:131: nested deeper than 64 levels; flatten the file");
  std::string maps;
  for (int i = 0; i < 100'000; ++i) maps += "{a: ";
  EXPECT_EQ(parse(maps), "m.yaml:1:258: nested deeper than 64 levels; flatten the file");
}

TEST(Yaml, brackets_in_quoted_texts_do_not_count_as_nesting) {
  std::string list;
  for (int i = 0; i < 1000; ++i) list += "- \"[{\"\n";
  EXPECT_EQ(parse(list).substr(0, 9), "['[{'@1:3");
}

TEST(Yaml, expanded_aliases_count_as_nodes) {
  std::string bomb = "a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1]\n";
  for (int i = 1; i < 30; ++i) {
    bomb += fmt::format("a{0}: &a{0} [", i);
    for (int j = 0; j < 9; ++j) bomb += fmt::format("{}*a{}", j ? ", " : "", i - 1);
    bomb += "]\n";
  }
  EXPECT_TRUE(
      parse(bomb).ends_with("more than 100000 nodes after aliases are expanded; shorten the file"))
      << parse(bomb).substr(0, 200);
  EXPECT_EQ(parse("[&a x, *a, *a]", {.nodes = 3}),
            "m.yaml:1:12: more than 3 nodes after aliases are expanded; shorten the file");
}

TEST(Yaml, expanded_aliases_count_as_text) {
  std::string bomb = "a: &a " + std::string(1000, 'x') + "\nb: [";
  for (int i = 0; i < 2000; ++i) bomb += "*a, ";
  EXPECT_EQ(
      parse(bomb + "]"),
      "m.yaml:2:4193: more than 1.0 MiB of text after aliases are expanded; shorten the file");
}

TEST(Yaml, expanded_aliases_count_as_nesting) {
  std::string text = "a: &a " + std::string(40, '[') + "x" + std::string(40, ']') +
                     "\nb: " + std::string(40, '[') + "*a" + std::string(40, ']');
  EXPECT_EQ(parse(text), "m.yaml:2:44: nested deeper than 64 levels; flatten the file");
}

TEST(Yaml, an_alias_inside_its_own_anchor_is_refused) {
  const std::string words =
      "the alias '*a' is inside the value that it stands for; a value cannot contain itself";
  EXPECT_EQ(parse("a: &a [*a]"), "m.yaml:1:8: " + words);
  EXPECT_EQ(parse("a: &a\n  b: {c: *a}"), "m.yaml:2:10: " + words);
}

TEST(Yaml, an_alias_has_the_value_and_the_place_of_its_anchor) {
  EXPECT_EQ(parse("a: &x {b: [1, &y 2]}\nc: [*x, *y]"),
            "{a@1:1={b@1:8=[1@1:12 2@1:18]@1:11}@1:7 c@2:1=[{b@1:8=[1@1:12 2@1:18]@1:11}@1:7 "
            "2@1:18]@2:4}@1:1");
  EXPECT_EQ(parse("- &x 1\n- *x\n- &x 2\n- *x\n"), "[1@1:6 1@1:6 2@3:6 2@3:6]@1:1");
  EXPECT_EQ(parse("&k key: *k\n"), "{key@1:4=key@1:4}@1:1");
  EXPECT_EQ(parse("a: &n ~\nb: *n\n"), "{a@1:1=null@1:1 b@2:1=null@2:1}@1:1");
}

TEST(Yaml, merge_keys_are_refused_with_a_remedy) {
  EXPECT_EQ(parse("a: &a {x: 1}\nb:\n  <<: *a\n"),
            "m.yaml:3:3: '<<' merge keys are not supported; reuse a value by its alias ('key: "
            "*name'), or put the shared part in a file under 'base:'");
  EXPECT_EQ(parse("{'<<': 1, a: <<}"), "{'<<'@1:2=1@1:8 a@1:11=<<@1:14}@1:1");
}

TEST(Yaml, only_tags_of_the_core_schema_are_supported) {
  EXPECT_EQ(parse("[!!str 5, ! 6, !!int 7, !!float 1.50, !!seq [], !!map {}, !!null ~, !!str ]"),
            "['5'@1:8 '6'@1:13 7@1:22 1.50@1:33 []@1:45 {}@1:55 null@1:66 ''@1:75]@1:1");
  EXPECT_EQ(parse("a: !!set {x}"),
            "m.yaml:1:4: the tag '!!set' has no meaning here; remove it, or put a text that "
            "begins with '!' in quotes");
  EXPECT_EQ(parse("a: !mine 5"),
            "m.yaml:1:4: the tag '!mine' has no meaning here; remove it, or put a text that "
            "begins with '!' in quotes");
  EXPECT_EQ(parse("a: !!null 5"),
            "m.yaml:1:4: the tag '!!null' has no meaning here; remove it, or put a text that "
            "begins with '!' in quotes");
}

TEST(Yaml, only_unquoted_words_are_null) {
  EXPECT_EQ(parse("[~, null, Null, NULL, nULL, '', 'null', \"~\"]"),
            "[null@1:2 null@1:5 null@1:11 null@1:17 nULL@1:23 ''@1:29 'null'@1:33 '~'@1:41]@1:1");
}

TEST(Yaml, control_characters_are_refused) {
  EXPECT_EQ(parse("a: \xc3\xa9\x07"),
            "m.yaml:1:5: a control character; remove it, or write it as an escape ('\\x1b') in "
            "double quotes");
  EXPECT_EQ(parse("a: \xc2\x9b"),
            "m.yaml:1:4: a control character; remove it, or write it as an escape ('\\x1b') in "
            "double quotes");
  EXPECT_EQ(parse("a: \"\\0\""), "m.yaml:1:4: the text contains a NUL character; remove it");
  EXPECT_EQ(parse("\xef\xbb\xbf"
                  "a: 1"),
            "{a@1:1=1@1:4}@1:1");
}

TEST(Yaml, long_names_are_truncated_in_messages) {
  const std::string name(100, 'n');
  EXPECT_EQ(parse(name + ": 1\n" + name + ": 2\n"),
            "m.yaml:2:1: duplicate key '" + std::string(60, 'n') + "...'; keep one of the two");
}

TEST(Yaml, texts_keep_the_line_ends_at_their_end) {
  EXPECT_EQ(parse("a: 'x\n\n\n '"), "{a@1:1='x\n\n'@1:4}@1:1");
  EXPECT_EQ(parse("a: \"x\n\n\""), "{a@1:1='x\n'@1:4}@1:1");
  EXPECT_EQ(parse("a: >+\n  x\n\n"), "{a@1:1='x\n\n'@1:4}@1:1");
  EXPECT_EQ(parse("a: >-\n  x\n\n"), "{a@1:1='x'@1:4}@1:1");
}

TEST(Yaml, escapes_name_whole_characters) {
  EXPECT_EQ(parse("\"\\N\\_\\L\\P\\x41\\u20ac\\U0001f600\\/\\ \""),
            "'\xc2\x85\xc2\xa0\xe2\x80\xa8\xe2\x80\xa9"
            "A\xe2\x82\xac\xf0\x9f\x98\x80/ '@1:1");
}

TEST(Yaml, a_question_mark_or_a_colon_inside_a_plain_scalar_is_text) {
  EXPECT_EQ(parse("[http://x/y?a=b, c?]"), "[http://x/y?a=b@1:2 c?@1:18]@1:1");
  EXPECT_EQ(parse("a: ?x\nb: :y\nc: -z"), "{a@1:1=?x@1:4 b@2:1=:y@2:4 c@3:1=-z@3:4}@1:1");
}

TEST(Yaml, an_anchor_or_a_tag_does_not_change_the_indentation_of_the_text_after_it) {
  EXPECT_EQ(parse("- &a one\n  two\n- !!str |\n  three\n- *a"),
            "[one two@1:6 'three\n'@3:9 one two@1:6]@1:1");
}

TEST(Yaml, an_empty_node_after_an_anchor_or_a_tag_takes_nothing_from_the_next_line) {
  EXPECT_EQ(parse("a: !!str\nb: c"), "{a@1:1=''@2:1 b@2:1=c@2:4}@1:1");
  EXPECT_EQ(parse("- &x\n- *x\n"), "[null@2:1 null@2:1]@1:1");
}

TEST(Yaml, an_empty_item_has_the_place_after_its_dash) {
  EXPECT_EQ(parse("- []\n-\n- - a\n  -\n- b:\n-  # x\n"),
            "[[]@1:3 null@2:2 [a@3:5 null@4:4]@3:3 {b@5:3=null@5:3}@5:3 null@6:2]@1:1");
}

TEST(Yaml, keys_without_values_may_be_on_lines_of_their_own) {
  EXPECT_EQ(parse("{\n a, # x\n 'b'\n}"), "{a@2:2=null@2:2 'b'@3:2=null@3:2}@1:1");
}

TEST(Yaml, every_kind_of_line_end_is_read) {
  EXPECT_EQ(parse("a: b\r\nc: d\re: |\r  f\r\n  g"),
            "{a@1:1=b@1:4 c@2:1=d@2:4 e@3:1='f\ng'@3:4}@1:1");
  EXPECT_EQ(parse("a: \xe2\x80\xa8").substr(0, 31), "m.yaml:1:4: a control character");
}

TEST(Yaml, a_version_may_precede_the_document) {
  EXPECT_EQ(parse("%YAML 1.2 # x\n---\na: b\n...\n"), "{a@3:1=b@3:4}@3:1");
}

TEST(Yaml, the_first_mistake_is_reported) {
  EXPECT_EQ(parse("a: {b: 1, b: 2}\nc: @"), "m.yaml:1:11: duplicate key 'b'; keep one of the two");
  EXPECT_EQ(parse("- a\nb: 1\nc: 'x"),
            "m.yaml:2:1: this line is between the items of a list and is not an item; begin it "
            "with '- ', or indent it like the item above");
  EXPECT_EQ(parse("[[[a, b], @"),
            "m.yaml:1:11: a plain value cannot begin with '@'; put it in quotes");
}

// --- invalid YAML

struct Fault {
  std::string text;
  std::string message;
};

class Faults : public testing::TestWithParam<Fault> {};

TEST_P(Faults, are_reported_in_one_sentence_with_the_remedy) {
  EXPECT_EQ(parse(GetParam().text), "m.yaml:" + GetParam().message);
}

const std::string k_tab = "a tab in the indentation; indent with spaces";
const std::string k_colon = "a ':' inside a plain value; put the value in quotes";
const std::string k_continues =
    "a key is not allowed here, because the line above continues; indent it like the other keys, "
    "or add the ':' to the line above";
const std::string k_after_quote =
    "text after a closing quote; put the whole value in quotes of the other kind";
const std::string k_indent =
    "the indentation of this line matches none of the keys above; indent it like the keys that it "
    "belongs to";
const std::string k_no_item =
    "this line is between the items of a list and is not an item; begin it with '- ', or indent it "
    "like the "
    "item above";
const std::string k_no_colon =
    "this line is not 'key: value'; add the ':', or indent it as a part of the value above";
const std::string k_item =
    "a '-' item cannot begin here; write the list on the lines below or as [a, b], or put a text "
    "that begins with '-' in quotes";
const std::string k_directive =
    "a line that begins with '%' is a YAML directive, which is not supported; remove it, or put "
    "the text in quotes";
const std::string k_after =
    "text after the end of the value above; remove it, or put the whole value in quotes";
const std::string k_documents = "more than one document ('---') in the file; keep one";
const std::string k_header = "; write the text on the lines below";

INSTANTIATE_TEST_SUITE_P(
    Yaml, Faults,
    testing::Values(
        Fault{"a:\n\tb: 1", "2:1: " + k_tab}, Fault{"a: 1\n\tb: 1", "2:1: " + k_tab},
        Fault{"a: |\n\tx", "2:1: " + k_tab},
        Fault{"a: @x", "1:4: a plain value cannot begin with '@'; put it in quotes"},
        Fault{"\xc3\xa9: `x`", "1:4: a plain value cannot begin with '`'; put it in quotes"},
        Fault{"a: %x", "1:4: a plain value cannot begin with '%'; put it in quotes"},
        Fault{"%x", "1:1: " + k_directive}, Fault{"%YAML 3.0\n---\na", "1:1: " + k_directive},
        Fault{"a: b: c", "1:5: " + k_colon}, Fault{"a: it's: 3", "1:8: " + k_colon},
        Fault{"a: 1\n b: 2", "2:3: " + k_continues}, Fault{"abc\ndef: 1", "2:4: " + k_continues},
        Fault{"a: [1, 2", "1:4: a '[' is never closed; add the ']'"},
        Fault{"a: [1, 2,\n\n", "1:4: a '[' is never closed; add the ']'"},
        Fault{"a:\n  - {b: [1], c: {d: 2}\n", "2:5: a '{' is never closed; add the '}'"},
        Fault{"a: [", "1:4: a '[' is never closed; add the ']'"},
        Fault{"a: [1\nb: 2\n",
              "2:2: a ':' is not allowed here: the '[' of line 1 is still open; add ']' or ',', or "
              "put a text with ':' in quotes"},
        Fault{"x: {a: b: c}",
              "1:9: a ':' is not allowed here: the '{' of line 1 is still open; add '}' or ',', or "
              "put a text with ':' in quotes"},
        Fault{"x: ['a' 'b']", "1:9: ',' or ']' is missing here: the '[' of line 1 is still open"},
        Fault{
            "a: [1,, 2]",
            "1:7: a value is missing before ','; write it, or quote a text that begins like this"},
        Fault{
            "a: ]",
            "1:4: a value is missing before ']'; write it, or quote a text that begins like this"},
        Fault{"[a, b]]", "1:7: this ']' closes nothing; remove it"},
        Fault{"a: 'x\nb: 2",
              "1:4: a quote (') opens here and is never closed; add the closing one"},
        Fault{"a: \"x\n---\n",
              "1:4: a quote (\") opens here and is never closed; add the closing one"},
        Fault{"- 'fp8' = x", "1:9: " + k_after_quote},
        Fault{"a: \"x\" + 1", "1:8: " + k_after_quote}, Fault{"'x' y", "1:5: " + k_after_quote},
        Fault{"a:\n  b: 1\n c: 2", "3:2: " + k_indent}, Fault{"- a\nb: 1", "2:1: " + k_no_item},
        Fault{"- a: 1\n-b: 2", "2:1: an item begins with '- '; add a space after the '-'"},
        Fault{
            "a: 1\n- b",
            "2:1: a '-' among the keys of a map; indent it below the key whose list it belongs to"},
        Fault{"a: x\nb", "2:1: " + k_no_colon}, Fault{"a: - b", "1:4: " + k_item},
        Fault{"a: ? b",
              "1:4: a '?' key cannot begin here; put a text that begins with '?' in quotes"},
        Fault{"a: *x\n",
              "1:4: the alias '*x' is undefined: no anchor '&' before it has that name; put a text "
              "that begins with '*' in quotes"},
        Fault{"a: *",
              "1:4: a name of letters, digits, '-' and '_' must follow '*'; quote a text that "
              "begins like this"},
        Fault{"a: &[x]",
              "1:4: a name of letters, digits, '-' and '_' must follow '&'; quote a text that "
              "begins like this"},
        Fault{"a: !<x", "1:4: '!' begins a YAML tag; quote a text that begins with '!'"},
        Fault{"a: !e!x y", "1:4: '!' begins a YAML tag; quote a text that begins with '!'"},
        Fault{"a: \"x\\qy\"",
              "1:6: '\\q' is not a YAML escape; write a backslash as '\\\\', or use single quotes"},
        Fault{"a: \"\\xZZ\"",
              "1:7: an escape that names no character; write \\xNN, \\uNNNN or \\UNNNNNNNN with "
              "hexadecimal digits"},
        Fault{"a: |0\n x", "1:5: only '+', '-' or a digit from 1 to 9 may follow '|'" + k_header},
        Fault{"a: > x\n x", "1:6: only '+', '-' or a digit from 1 to 9 may follow '>'" + k_header},
        Fault{"{a\n b}",
              "1:2: a key must be on one line; join its lines, or put ',' between two keys"},
        Fault{"a: &x 1\n*x: 2",
              "2:1: write a space between an alias and ':', or put a text that begins with '*' in "
              "quotes"},
        Fault{"[?x]", "1:2: a plain value cannot begin with '?'; put it in quotes"},
        Fault{"a:\n\tb", "2:1: " + k_tab}, Fault{"a: |\n  \tx", "2:3: " + k_tab},
        Fault{"a: x\n\ty", "2:1: " + k_tab}, Fault{"%FOO x\n---\na", "1:1: " + k_directive},
        Fault{"%YAML 1.2\n%YAML 1.2\n---\na", "2:1: " + k_directive},
        Fault{"%TAG ! x\n---\na", "1:1: " + k_directive},
        Fault{"%YAML 1.2\na: 1", "2:1: " + k_after}, Fault{"a\n...\nb", "3:1: " + k_after},
        Fault{"a: 1\n%YAML 1.2\n---\nb: 2", "2:1: " + k_documents},
        Fault{"a: 1\n...\n---\nb: 2", "3:1: " + k_documents},
        Fault{std::string(1025, 'k') + ": 1\nb: 2\n",
              "1:1026: a key is not allowed here, because the line above continues; indent it like "
              "the other keys, or add the ':' to the line above"},
        Fault{"a: 1\n" + std::string(1025, 'k') + ": 1\n", "2:1: " + k_no_colon},
        Fault{"a: 1\nb\n c: 2", "2:1: " + k_no_colon},
        Fault{"[{a: [1, {", "1:10: a '{' is never closed; add the '}'"},
        Fault{"- [a, b", "1:3: a '[' is never closed; add the ']'"},
        Fault{"[a\n---\nb]", "2:1: ',' or ']' is missing here: the '[' of line 1 is still open"},
        Fault{"{a: b]", "1:6: ',' or '}' is missing here: the '{' of line 1 is still open"},
        Fault{"[a:, b]",
              "1:3: not valid YAML (found unexpected ':'); put a text with special characters in "
              "quotes"},
        Fault{"!!str ", "1:1: '!' begins a YAML tag; quote a text that begins with '!'"},
        Fault{"&a\n!!str ", "1:1: '!' begins a YAML tag; quote a text that begins with '!'"},
        Fault{"a: !!str !!int b", "1:10: '!' is not allowed here; put the whole value in quotes"},
        Fault{"- 'a'\n - b", "2:2: " + k_no_item}, Fault{": b", "1:1: " + k_indent},
        Fault{"--- a\n... b",
              "2:5: text after the end of the value above; remove it, or put the whole value in "
              "quotes"}));

// --- positions

// The text of the scalar under 'a' in pieces, each with the line and column where it begins; '|'
// marks the position of the end.
std::string places(std::string_view text) {
  const auto node = parse_yaml(text, "m.yaml");
  if (!node) return node.error().text();
  const Yaml& scalar = *node->find("a");
  std::string out;
  Location expected;
  for (std::size_t i = 0; i <= scalar.text.size(); ++i) {
    if (i < scalar.text.size() && (static_cast<unsigned char>(scalar.text[i]) & 0xc0) == 0x80) {
      out += scalar.text[i];
      continue;
    }
    const Location here = scalar.places.at(i);
    if (here != expected) out += fmt::format("{}{}:{}=", i ? " " : "", here.line, here.column);
    if (i == scalar.text.size()) break;
    out += scalar.text[i] == '\n' ? "\\n" : std::string(1, scalar.text[i]);
    expected = here;
    ++expected.column;
  }
  return out;
}

TEST(YamlPlaces, of_a_scalar_on_one_line_begin_at_its_text) {
  EXPECT_EQ(places("a: isl + 1\n"), "1:4=isl + 1");
  EXPECT_EQ(places("{b: 1, a: isl + 1 }"), "1:11=isl + 1");
  EXPECT_EQ(places("a: 'isl > 1'"), "1:5=isl > 1");
  EXPECT_EQ(places("a: \"isl > 1\""), "1:5=isl > 1");
  EXPECT_EQ(places("a: !!str   &x 'b'"), "1:16=b");
  EXPECT_EQ(places("a: !!str &x\n  b"), "2:3=b");
  EXPECT_EQ(places("a: ''"), "1:5=");
}

TEST(YamlPlaces, columns_count_characters) {
  EXPECT_EQ(places("{\xc3\xa9: 1, a: x\xe2\x82\xacy\xf0\x9f\x98\x80z}"),
            "1:11=x\xe2\x82\xacy\xf0\x9f\x98\x80z");
  EXPECT_EQ(places("a: '\xc3\xa9'"), "1:5=\xc3\xa9");
}

TEST(YamlPlaces, follow_doubled_quotes_and_escapes) {
  EXPECT_EQ(places("a: 'm = ''x'' y'"), "1:5=m = ' 1:11=x' 1:14= y");
  EXPECT_EQ(places("a: \"m\\tb\\u20acc\\\\d\\\"\""),
            "1:5=m\t 1:8=b\xe2\x82\xac 1:15=c\\ 1:18=d\" 1:21=");
}

TEST(YamlPlaces, follow_plain_and_quoted_scalars_over_several_lines) {
  EXPECT_EQ(places("a: one  \n    two\n\n\n  three # no\n"),
            "1:4=one 1:9=  2:5=two 3:1=\\n 4:1=\\n 5:3=three");
  EXPECT_EQ(places("a: 'one\n  two\n\n  three '"), "1:5=one  2:3=two 3:1=\\n 4:3=three ");
  EXPECT_EQ(places("a: \"one\\\n   two\\\n\n   \\ three\\n\n  four\""),
            "1:5=one 2:4=two 3:1=\\n 4:4=  4:6=three\\n 4:13=  5:3=four");
  EXPECT_EQ(places("a: one\r\n  two\r\n"), "1:4=one  2:3=two");
}

TEST(YamlPlaces, follow_literal_and_folded_blocks) {
  EXPECT_EQ(places("a: |\n  one\n    two\n\n  three\nb: 1\n"),
            "2:3=one\\n 3:3=  two\\n 4:1=\\n 5:3=three\\n");
  EXPECT_EQ(places("a: |-\n  one\n"), "2:3=one");
  EXPECT_EQ(places("a: |+\n  one\n\n\n"), "2:3=one\\n 3:1=\\n 4:1=\\n");
  EXPECT_EQ(places("a: |2 # why\n    one\n  two\n"), "2:3=  one\\n 3:3=two\\n");
  EXPECT_EQ(places("a: >-\n  one\n  two\n\n\n  three\n    four\n  five\n"),
            "2:3=one  3:3=two 4:1=\\n 5:1=\\n 6:3=three\\n 7:3=  four\\n 8:3=five");
  EXPECT_EQ(places("a: >\n\n  one\n\n"), "2:1=\\n 3:3=one\\n");
  EXPECT_EQ(places("a: |\n  x\xc3\xa9y\n  z"), "2:3=x\xc3\xa9y\\n 3:3=z");
  EXPECT_EQ(places("a: |\n\nb: 1\n"), "2:1=");
}

// --- size

TEST(Yaml, hostile_texts_of_a_mebibyte_are_read_or_refused_quickly) {
  const auto filled = [](std::string_view piece) {
    std::string text;
    while (text.size() + piece.size() < (1 << 20) - 10) text += piece;
    return text;
  };
  const std::string nodes = "more than 100000 nodes after aliases are expanded; shorten the file";
  EXPECT_EQ(parse("[" + filled("[],") + "]"), "m.yaml:1:299999: " + nodes);
  EXPECT_TRUE(parse(filled("- a\n")).ends_with(nodes));
  EXPECT_TRUE(parse("{" + filled("\xc3\xa9,") + "}")
                  .ends_with("duplicate key '\xc3\xa9'; keep one of the two") ||
              parse("{" + filled("\xc3\xa9,") + "}").ends_with(nodes));
  EXPECT_EQ(parse("a: \"" + filled("\\n\xc3\xa9") + "\"").substr(0, 7), "{a@1:1=");
  EXPECT_EQ(parse("a: " + filled("x\n ")).substr(0, 7), "{a@1:1=");
  EXPECT_EQ(parse("a: |\n" + filled("  x\n")).substr(0, 7), "{a@1:1=");
  EXPECT_EQ(parse(filled("#\n")), "null@1:1");
  EXPECT_EQ(parse(filled("? ")).substr(0, 7), "m.yaml:");
  EXPECT_EQ(parse(filled("&a ")).substr(0, 7), "m.yaml:");
  EXPECT_EQ(parse(filled("*a ")).substr(0, 7), "m.yaml:");
  EXPECT_EQ(parse(filled("!a ")).substr(0, 7), "m.yaml:");
  EXPECT_EQ(parse(filled("\"a\" ")).substr(0, 7), "m.yaml:");
  EXPECT_EQ(parse(filled("a: ")).substr(0, 7), "m.yaml:");
}

// --- YamlMap

std::string errors_of_map(std::string_view text, const std::vector<std::string>& keys) {
  const auto node = parse_yaml(text, "m.yaml");
  Errors errors;
  const YamlMap map(*node, keys, "the thing", errors);
  std::string out;
  for (const Error& error : errors) out += error.text() + "\n";
  return out;
}

TEST(YamlMap, unknown_keys_are_reported) {
  EXPECT_EQ(errors_of_map("sorce: x\n", {"source"}),
            "m.yaml:1:1: unknown key 'sorce' in the thing; did you mean 'source'?\n");
}

TEST(YamlMap, a_value_that_is_not_a_map_is_one_error) {
  EXPECT_EQ(errors_of_map("[1]", {"a"}),
            "m.yaml:1:1: the thing must be a map of keys and values, not a list\n");
}

TEST(Yaml, an_invalid_utf8_byte_is_reported_at_its_place) {
  for (const char* bad : {"\xe9", "\xff", "\xc0\xaf", "\xed\xa0\x80", "\xf5\x80\x80\x80"}) {
    const auto parsed = parse_yaml("a: 1\nb: x" + std::string(bad) + "\n", "m.yaml");
    ASSERT_FALSE(parsed.ok());
    EXPECT_EQ(parsed.error().text(),
              "m.yaml:2:5: a byte that is not UTF-8; save the file as UTF-8");
  }
  EXPECT_TRUE(parse_yaml("a: \xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80\n", "m.yaml").ok());
}

}  // namespace yaml_test
}  // namespace orch
