// Prompt files: what is read of them, and what is refused.
#include <gtest/gtest.h>

#include "load/prompts.hpp"

namespace orch::load {
namespace {

constexpr std::string_view k_prompts = R"({"text_input": "w0", "isl": 2, "warmup": true, "block": 0}
{"text_input": "w1", "isl": 2, "warmup": true, "block": 1}

{"text_input": "a", "isl": 3, "warmup": false, "block": 0}
{"text_input": "b", "isl": 4, "block": 1}
{"text_input": "c"})";

TEST(Prompts, KeepTheOrderOfTheFileAndTheirBlockApart) {
  const auto first = parse_prompts(k_prompts, "p.jsonl", 0);
  ASSERT_TRUE(first.ok());
  ASSERT_EQ(first->warmup.size(), 1u);
  EXPECT_EQ(first->warmup[0].text_input, "w0");
  ASSERT_EQ(first->measured.size(), 2u);
  EXPECT_EQ(first->measured[0].text_input, "a");
  EXPECT_EQ(first->measured[0].isl, 3);
  EXPECT_EQ(first->measured[1].text_input, "c");
  EXPECT_EQ(first->measured[1].isl, std::nullopt);
  const auto second = parse_prompts(k_prompts, "p.jsonl", 1);
  ASSERT_TRUE(second.ok());
  EXPECT_EQ(second->warmup[0].text_input, "w1");
  EXPECT_EQ(second->measured[0].text_input, "b");
}

TEST(Prompts, ALineThatWasCutShortIsNoPrompt) {
  const std::string_view line = R"({"text_input": "a", "isl": 3, "warmup": false, "block": 0})";
  for (std::size_t length = 1; length < line.size(); ++length) EXPECT_FALSE(parse_prompts(line.substr(0, length), "p", 0).ok()) << length;
}

TEST(Prompts, TextsAreReadAsJsonWritesThem) {
  const auto prompts = parse_prompts(R"({"text_input": "a\"\n\u00e9", "other": {"text_input": "no"}})", "p", 0);
  ASSERT_TRUE(prompts.ok());
  EXPECT_EQ(prompts->measured[0].text_input, "a\"\n\xC3\xA9");
}

TEST(Prompts, ALineThatIsNoPromptIsNamed) {
  const auto prompts = parse_prompts("{\"text_input\": \"a\"}\n{\"input_text\": \"b\"}\n", "p.jsonl", 0);
  ASSERT_FALSE(prompts.ok());
  EXPECT_EQ(prompts.error().text(),
            "p.jsonl:2: this is not a prompt, write {\"text_input\": \"...\", \"isl\": 32}: "
            "[json.exception.out_of_range.403] key 'text_input' not found");
}

}  // namespace
}  // namespace orch::load
