// Symbols in texts, and the table of those that are no parameters.
#include "spec/render/symbols.hpp"

#include "spec/render/template.hpp"

#include <fstream>
#include <iterator>
#include <set>

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

TEST(KnownSymbols, AreNamedOnceAndHaveAMeaning) {
  std::set<std::string_view> names;
  for (const KnownSymbol& symbol : k_known_symbols) {
    EXPECT_TRUE(names.insert(symbol.name).second) << symbol.name;
    EXPECT_FALSE(symbol.meaning.empty()) << symbol.name;
  }
}

TEST(KnownSymbols, OfManifestsAreInTheGuide) {
  std::ifstream file(ORCH_SOURCE_DIR "/docs/writing-a-runner.md");
  const std::string guide(std::istreambuf_iterator<char>(file), {});
  for (const KnownSymbol& symbol : k_known_symbols) {
    if (symbol.used_by == UsedBy::program || symbol.used_by == UsedBy::counted_parts) continue;
    EXPECT_NE(guide.find("{" + std::string(symbol.name)), std::string::npos) << symbol.name;
  }
}

TEST(KnownSymbols, AreFoundByNameOrByFamily) {
  EXPECT_EQ(find_known("out")->known, Known::launched);
  EXPECT_EQ(find_known("port:http.1")->known, Known::placed);
  EXPECT_EQ(find_known("container")->known, Known::started);
  EXPECT_EQ(find_known("container:user")->used_by, UsedBy::program);
  EXPECT_EQ(find_known("tp"), nullptr);
  EXPECT_EQ(find_known("output"), nullptr);
  EXPECT_EQ(find_known("ports"), nullptr);
}

TEST(KnownSymbols, OfManifestsBeginLikeThis) {
  EXPECT_EQ(begins_of_symbols(), (std::vector<std::string>{"{file:", "{stage:", "{id:", "{port:",
                                                           "{model.", "{dataset.", "{measure."}));
}

TEST(KnownSymbols, ThatAreFilledInLaterAreFoundInValues) {
  EXPECT_EQ(find_runner_symbol("a {x} b {stage:build}/c"), "{stage:build}");
  EXPECT_EQ(find_runner_symbol("{out}"), "{out}");
  EXPECT_EQ(find_runner_symbol("{model.anything}"), "{model.anything}");
  EXPECT_EQ(find_runner_symbol("{gpu:0}"), "{gpu:0}");
  for (const char* text : {"{output}", "{bind}", "{container}", "{index}", "{\"out\": 1}", "{out"})
    EXPECT_EQ(find_runner_symbol(text), std::nullopt) << text;
}

TEST(KnownSymbols, HaveTheValueOfTheirProvider) {
  using One = Provider<std::string, int>;
  static constexpr One k_table[] = {
      {"out", [](const int& n, std::string_view) { return std::optional(std::to_string(n)); }},
      {"port:",
       [](const int&, std::string_view name) { return std::optional(std::string(name)); }}};
  EXPECT_EQ(value_of(k_table, 7, "out"), "7");
  EXPECT_EQ(value_of(k_table, 7, "port:http"), "http");
  EXPECT_EQ(value_of(k_table, 7, "work"), std::nullopt);
  EXPECT_FALSE(provides(k_table, {Known::launched}));
}

TEST(KnownSymbols, NameFilesByPath) {
  EXPECT_EQ(file_of("file:scripts/serve.py"), "scripts/serve.py");
  EXPECT_EQ(file_of("stage:build"), std::nullopt);
}

}  // namespace symbols_test
}  // namespace orch::render
