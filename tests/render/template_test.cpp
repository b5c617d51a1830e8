#include "render/symbols.hpp"
#include "render/template.hpp"

#include <gtest/gtest.h>

namespace orch::render {
namespace {

std::string fill_text(const std::string& text, const std::map<std::string, std::string>& values) {
  Errors errors;
  const std::string out = fill(text, "config.pbtxt", values, errors);
  if (errors.empty()) return out;
  std::string all;
  for (const Error& error : errors) all += error.text() + "\n";
  return all;
}

TEST(Template, FillsEveryPlaceholder) {
  EXPECT_EQ(fill_text("a: ${x}, b: \"${y}\" ${x}", {{"x", "1"}, {"y", "z"}}), "a: 1, b: \"z\" 1");
}

TEST(Template, TwoDollarsBecomeOne) {
  EXPECT_EQ(fill_text("$$${x} $5 $", {{"x", "1"}}), "$1 $5 $");
}

TEST(Template, FilledTextIsNotScannedAgain) {
  EXPECT_EQ(fill_text("${x}", {{"x", "${y}"}}), "${y}");
}

TEST(Template, APlaceholderWithoutAValueIsAnErrorWithItsPlace) {
  EXPECT_EQ(fill_text("name: \"m\"\nmax: ${max_batch_siz}\n", {{"max_batch_size", "8"}}),
            "config.pbtxt:2:6: no value for the placeholder ${max_batch_siz}; did you mean "
            "'max_batch_size'?\n"
            "config.pbtxt: the template has no placeholder ${max_batch_size} for the value '8'; "
            "remove the value or correct its name\n");
}

TEST(Template, AnUnfinishedPlaceholderIsAnErrorWithItsPlace) {
  EXPECT_EQ(fill_text("x ${oops", {}),
            "config.pbtxt:1:3: '${' does not start a placeholder ${name}; write $${ for the "
            "characters themselves\n");
}

std::string replace(const std::string& text) {
  return replace_symbols(text, [](std::string_view symbol) -> std::optional<std::string> {
    if (symbol == "unknown") return std::nullopt;
    return "<" + std::string(symbol) + ">";
  });
}

TEST(Symbols, WordsDotsAndColonsAreSymbols) {
  EXPECT_EQ(replace("{isl} {model.source} {stage:build-0a} {port:serve.http}"),
            "<isl> <model.source> <stage:build-0a> <port:serve.http>");
}

TEST(Symbols, JsonAndProtobufBracesAreUnchanged) {
  EXPECT_EQ(
      replace(R"({"text_input": "a", "max_tokens": 4} [ { name: "x" } ] {} {a b} {"a":{"b":1}})"),
      R"({"text_input": "a", "max_tokens": 4} [ { name: "x" } ] {} {a b} {"a":{"b":1}})");
}

TEST(Symbols, UnknownSymbolsAreUnchanged) {
  EXPECT_EQ(replace("{unknown}{isl}"), "{unknown}<isl>");
}

TEST(Symbols, AreListedInOrder) {
  EXPECT_EQ(symbols_of("{b} x {a:1}"), (std::vector<std::string>{"b", "a:1"}));
}

TEST(Symbols, HaveTheirOffsets) {
  const auto symbols = find_symbols("{b} {x y} {\"q\"} {a:1}");
  ASSERT_EQ(symbols.size(), 2u);
  EXPECT_EQ(symbols[0].name, "b");
  EXPECT_EQ(symbols[0].offset, 0u);
  EXPECT_EQ(symbols[1].name, "a:1");
  EXPECT_EQ(symbols[1].offset, 16u);
}

}  // namespace
}  // namespace orch::render
