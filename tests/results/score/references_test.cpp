// Right answers are found by the prompt, never by the order of rows.
#include "results/score/scoring.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace orch::score {
namespace references_test {

using Texts = std::vector<std::string>;

References read(const std::string& text) {
  auto read = References::read(text, "qa.jsonl");
  EXPECT_TRUE(read.ok()) << read.error().text();
  return std::move(read).value();
}
std::string error(const std::string& text) {
  const auto read = References::read(text, "qa.jsonl");
  return read ? "" : read.error().text();
}
Texts of(const References& references, const std::string& prompt, std::int64_t idx = 0) {
  const auto* found = references.find(prompt_key({.text_input = prompt, .isl = {}}), idx);
  return found ? *found : Texts();
}

TEST(References, are_found_by_the_text_of_the_prompt) {
  const References both = read(
      "{\"input\": \"one?\", \"output\": \"1\"}\n"
      "{\"input\": \"two?\", \"output\": \"2\"}\n");
  EXPECT_EQ(of(both, "two?", 0), Texts{"2"});
  EXPECT_EQ(of(both, "one?", 1), Texts{"1"});
  EXPECT_EQ(of(both, "three?"), Texts());
}

TEST(References, may_be_several_a_number_or_the_answer_of_a_conversation) {
  EXPECT_EQ(of(read(R"({"text_input": "q", "output": ["a", "b", 3, {}]})"), "q"),
            (Texts{"a", "b", "3"}));
  EXPECT_EQ(of(read(R"({"prompt": "q", "output": 42})"), "q"), Texts{"42"});
  EXPECT_EQ(of(read("{\"conversations\": [{\"from\": \"human\", \"value\": \"q\"}, "
                    "{\"from\": \"gpt\", \"value\": \"a\"}]}"),
               "q"),
            Texts{"a"});
}

TEST(References, of_a_prompt_in_several_rows_are_all_right) {
  EXPECT_EQ(of(read("{\"input\": \"q\", \"output\": \"a\"}\n{\"input\": \"q\", \"output\": \"b\"}\n"
                    "{\"input\": \"q\", \"output\": \"a\"}\n"),
               "q"),
            (Texts{"a", "b"}));
}

TEST(References, are_found_by_token_ids_where_the_prompt_has_no_text) {
  const References ids = read(R"({"input_ids": [1, 2], "output": "a"})");
  const auto* found = ids.find(prompt_key({.text_input = "", .ids = {1, 2}, .isl = {}}), 0);
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(*found, Texts{"a"});
  EXPECT_EQ(ids.find(prompt_key({.text_input = "", .ids = {12}, .isl = {}}), 0), nullptr);
}

TEST(References, count_rows_that_have_none) {
  EXPECT_EQ(read("{\"input\": \"q\", \"output\": \"a\"}\n{\"input\": \"r\"}\n"
                 "{\"input\": \"s\", \"output\": null}\n")
                .rows_without(),
            2);
}

TEST(References, may_name_requests_by_their_index) {
  const References indexed =
      read("{\"idx\": 5, \"output\": \"five\"}\n{\"idx\": 0, \"output\": \"0\"}\n");
  EXPECT_TRUE(indexed.by_index());
  EXPECT_EQ(of(indexed, "any", 5), Texts{"five"});
  EXPECT_EQ(of(indexed, "any", 1), Texts());
}

TEST(References, with_a_fault_name_the_file_the_line_and_the_remedy) {
  EXPECT_THAT(
      error("{\"input\": \"q\"}"),
      testing::AllOf(testing::StartsWith("qa.jsonl"), testing::HasSubstr("no row has a reference"),
                     testing::HasSubstr("\"output\"")));
  EXPECT_THAT(error("{\"input\": \"q\", \"output\": \"a\"}\nnonsense\n"),
              testing::StartsWith("qa.jsonl:2"));
  EXPECT_THAT(
      error("{\"idx\": 0, \"output\": \"a\"}\n{\"idx\": 0, \"output\": \"b\"}\n"),
      testing::AllOf(testing::StartsWith("qa.jsonl:2"), testing::HasSubstr("idx 0 occurs twice")));
  EXPECT_THAT(error("{\"idx\": 0, \"output\": \"a\"}\n{\"idx\": \"x\", \"output\": \"b\"}\n"),
              testing::HasSubstr(R"(is not {"idx": N, "output": "..."})"));
}

}  // namespace references_test
}  // namespace orch::score
