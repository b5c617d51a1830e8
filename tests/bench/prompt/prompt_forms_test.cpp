// The rows of prompt files as a program that counts tokens reads them.
#include "bench/prompt/prompt_forms.hpp"

#include "bench/prompt/prompts.hpp"

#include <gtest/gtest.h>

namespace orch::prompt {
namespace prompt_rows_test {

std::string rows_of(std::string_view file) {
  const auto rows = plain_rows(file, "p");
  return rows.ok() ? *rows : rows.error().text();
}

TEST(PlainRows, HaveTheMembersOfTheProjectsOwnForm) {
  EXPECT_EQ(rows_of(R"([{"text_input": "a", "isl": 9, "warmup": true},
{"text_input": "b", "block": 1, "osl": 4}, {"input_ids": [3, 4]}])"),
            R"({"text_input":"a","warmup":true,"block":0,"line":1}
{"text_input":"b","osl":4,"warmup":false,"block":1,"line":2}
{"text_input":"","input_ids":[3,4],"warmup":false,"block":0,"line":2}
)");
}

TEST(PlainRows, KeepMessagesBesideTheirText) {
  EXPECT_EQ(
      rows_of(
          R"({"body": {"messages": [{"role": "user", "content": "h\u00e9"}], "max_tokens": 5}})"),
      R"({"text_input":"hé","messages":[{"role":"user","content":"hé"}],"osl":5,)"
      "\"warmup\":false,\"block\":0,\"line\":1}\n");
}

TEST(PlainRows, KeepTheRecordedAnswerAndCountConversationsWithoutAPrompt) {
  EXPECT_EQ(
      rows_of(R"({"conversations": []}
{"conversations": [{"from": "human", "value": "why"}, {"from": "gpt", "value": "b\udc00"}]}
{"conversations": [{"from": "human", "value": "who"}, {"from": "human", "value": "me"}]})"),
      "{\"text_input\":\"why\",\"answer\":\"b\uFFFD\",\"warmup\":false,\"block\":0,\"line\":2,"
      "\"left_out\":1}\n"
      "{\"text_input\":\"who\",\"warmup\":false,\"block\":0,\"line\":3}\n");
}

TEST(PlainRows, KeepTheLengthsAndTimesOfATraceInTheirUnit) {
  EXPECT_EQ(rows_of(R"({"timestamp": 1500, "input_length": 7, "output_length": 3}
{"timestamp_s": 0.25, "input_length": 8})"),
            R"({"input_length":7,"osl":3,"timestamp":1500,"warmup":false,"block":0,"line":1}
{"input_length":8,"timestamp_s":0.25,"warmup":false,"block":0,"line":2}
)");
}

TEST(PlainRows, ArePromptsOfTheSameTextsWhenTheyAreReadAgain) {
  const std::string rows =
      rows_of("{\"instruction\": \"say \\\"hi\\\"\", \"input\": \"a\"}\n{\"instruction\": \"b\"}");
  const auto again = parse_prompts(rows, "rows", 0);
  ASSERT_TRUE(again.ok()) << again.error().text();
  ASSERT_EQ(again->measured.size(), 2u);
  EXPECT_EQ(again->measured[0].text_input, "a say \"hi\"");
  EXPECT_EQ(again->measured[1].text_input, "b");
}

TEST(PlainRows, NameTheLineOfARowThatCannotBeRead) {
  EXPECT_EQ(rows_of("{\"input\": \"a\"}\n{\"input\": 1}"),
            "p:2: 'input' is '1'; it must be a JSON string");
  EXPECT_EQ(rows_of("\n \n"), "p: the file has no prompts");
}

TEST(ReadRows, ReportsTheLineOfEachRow) {
  std::vector<int> lines;
  const auto left_out = read_rows("[{\"text\": \"a\"},\n\n{\"text\":\n\"b\"}, {\"text\": \"c\"}]",
                                  "p", [&](const PromptRow&, int line) { lines.push_back(line); });
  ASSERT_TRUE(left_out.ok());
  EXPECT_EQ(*left_out, 0);
  EXPECT_EQ(lines, (std::vector{1, 3, 4}));
}

}  // namespace prompt_rows_test
}  // namespace orch::prompt
