#include "spec/render/template.hpp"

#include <gtest/gtest.h>

namespace orch::render {
namespace symbols_test {

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

}  // namespace symbols_test
}  // namespace orch::render
