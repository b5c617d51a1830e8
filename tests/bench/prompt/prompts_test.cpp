// Prompt files: all forms that can be read, and the errors of those that cannot.
#include "bench/prompt/prompts.hpp"

#include "bench/prompt/prompt_forms.hpp"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace orch::prompt {
namespace prompts_test {

using Json = nlohmann::json;

constexpr std::string_view k_prompts = R"({"text_input": "w0", "isl": 2, "warmup": true, "block": 0}
{"text_input": "w1", "isl": 2, "warmup": true, "block": 1}

{"text_input": "a", "isl": 3, "warmup": false, "block": 0}
{"text_input": "b", "isl": 4, "block": 1}
{"text_input": "c"})";

TEST(Prompts, KeepTheOrderOfTheFileAndSeparateBlocks) {
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

TEST(Prompts, ATruncatedLineIsAnError) {
  const std::string_view line = R"({"text_input": "a", "isl": 3, "warmup": false, "block": 0})";
  for (std::size_t length = 1; length < line.size(); ++length)
    EXPECT_FALSE(parse_prompts(line.substr(0, length), "p", 0).ok()) << length;
}

TEST(Prompts, DecodeTheEscapesOfTexts) {
  const auto prompts =
      parse_prompts(R"({"text_input": "a\"\n\u00e9", "other": {"text_input": "no"}})", "p", 0);
  ASSERT_TRUE(prompts.ok());
  EXPECT_EQ(prompts->measured[0].text_input, "a\"\n\xC3\xA9");
}

Json examples() {
  std::ifstream file(ORCH_SOURCE_DIR "/tests/bench/prompt/prompt_forms.json");
  return Json::parse(file);
}

Json json_of(const Prompt& prompt, bool warmup) {
  Json json = {{"text_input", prompt.text_input}};
  if (prompt.isl) json["isl"] = *prompt.isl;
  if (prompt.osl) json["osl"] = *prompt.osl;
  if (prompt.timestamp_s) json["timestamp_s"] = *prompt.timestamp_s;
  if (!prompt.ids.empty()) json["ids"] = prompt.ids;
  if (!prompt.messages.empty()) json["messages"] = prompt.messages;
  if (!prompt.fields.empty()) json["fields"] = prompt.fields;
  if (warmup) json["warmup"] = true;
  return json;
}

TEST(PromptForms, AreReadAsInTheExamples) {
  for (const Json& example : examples()) {
    if (!example.contains("prompts")) continue;
    const auto prompts = parse_prompts(example["file"].get<std::string>(), "p", 0);
    ASSERT_TRUE(prompts.ok()) << example["name"] << ": " << prompts.error().text();
    Json read = Json::array();
    for (const Prompt& prompt : prompts->warmup) read.push_back(json_of(prompt, true));
    for (const Prompt& prompt : prompts->measured) read.push_back(json_of(prompt, false));
    EXPECT_EQ(read, example["prompts"]) << example["name"];
    std::vector<std::string> notices;
    if (example.contains("left_out"))
      notices.push_back(
          fmt::format("conversations that were left out because they have no text from \"human\" "
                      "or \"user\": {}",
                      example["left_out"].get<int>()));
    if (example.contains("further"))
      notices.push_back(
          fmt::format("only the first question of a conversation is sent: {} of {} have more",
                      example["further"].get<int>(), example["prompts"].size()));
    if (example.contains("model"))
      notices.emplace_back(
          "'model' and 'stream' of the rows of p are not sent: they are those of the run");
    EXPECT_EQ(prompts->notices, notices) << example["name"];
  }
}

TEST(PromptForms, AreRefusedAsInTheExamplesIfInvalid) {
  for (const Json& example : examples()) {
    if (!example.contains("error")) continue;
    const auto prompts = parse_prompts(example["file"].get<std::string>(), "p", 0);
    ASSERT_FALSE(prompts.ok()) << example["name"];
    EXPECT_EQ(prompts.error().text(), example["error"].get<std::string>()) << example["name"];
  }
}

// What counts tokens between the two keeps the rows in their order, and no fields.
TEST(Prompts, GetTheFieldsOfTheirRowsBack) {
  const std::string_view file =
      R"({"text_input": "a", "block": 1}
{"text_input": "b", "temperature": 0.5, "block": 1, "warmup": true}
{"text_input": "c", "block": 0, "seed": 1}
{"text_input": "d", "block": 1, "seed": 2})";
  std::vector<std::string> fields;
  const auto plain = plain_rows(file, "p", Answers::kept, &fields);
  ASSERT_TRUE(plain.ok()) << plain.error().text();
  const auto prompts = parse_prompts(*plain, "q", 1, fields);
  ASSERT_TRUE(prompts.ok()) << prompts.error().text();
  ASSERT_EQ(prompts->measured.size(), 2u);
  EXPECT_EQ(prompts->measured[0].fields, "");
  EXPECT_EQ(prompts->measured[1].fields, R"("seed":2)");
  EXPECT_EQ(prompts->warmup.at(0).fields, R"("temperature":0.5)");
  EXPECT_EQ(plain_rows(file, "p").error().text(),
            "p:2: a row of a matrix's dataset cannot set \"temperature\": remove the field and set "
            "it in the matrix, or measure the file with `bench --prompts`");
}

TEST(Prompts, NoteLengthsThatDifferFromTheRequest) {
  const auto prompts = parse_prompts(
      "{\"text_input\": \"a\", \"isl\": 3, \"isl_asked\": 1}\n{\"text_input\": \"b\", \"isl\": 4}",
      "p", 0);
  ASSERT_TRUE(prompts.ok());
  EXPECT_EQ(prompts->notices,
            std::vector<std::string>{"1 of 2 prompts could not be made exactly as long as "
                                     "requested; 'isl' has their real lengths"});
  EXPECT_EQ(prompts->measured[0].isl, 3);
}

TEST(Prompts, NotePrefixesShorterThanRequested) {
  const auto notices = [](std::string_view rows) { return parse_prompts(rows, "p", 0)->notices; };
  EXPECT_EQ(notices("{\"text_input\": \"a\", \"isl\": 8, \"unshared\": 3, \"warmup\": "
                    "true}\n{\"text_input\": \"b\", \"isl\": 9, \"unshared\": 1}\n{\"text_input\": "
                    "\"c\", \"isl\": 7}"),
            std::vector<std::string>{"2 of 3 prompts have a shared prefix up to 3 tokens shorter "
                                     "than requested: no words have exactly that length"});
  EXPECT_EQ(notices("{\"text_input\": \"a\", \"isl\": 8, \"unshared\": 1}"),
            std::vector<std::string>{"1 of 1 prompts have a shared prefix up to 1 token shorter "
                                     "than requested: no words have exactly that length"});
}

TEST(Prompts, NoteConversationsThatWereLeftOut) {
  const auto prompts =
      parse_prompts("{\"text_input\": \"a\", \"left_out\": 3}\n{\"text_input\": \"b\"}", "p", 0);
  ASSERT_TRUE(prompts.ok());
  EXPECT_EQ(prompts->notices,
            std::vector<std::string>{"conversations that were left out because they have no text "
                                     "from \"human\" or \"user\": 3"});
}

// The notices of a trace of ROWS rows, 40 * UNIT apart.
std::vector<std::string> notices_of_trace(int rows, std::string_view member, double unit) {
  std::string text;
  for (int i = 0; i < rows; ++i)
    text += fmt::format("{{\"{}\": {}, \"input_length\": 3}}\n", member, 40 * unit * i);
  const auto prompts = parse_prompts(text, "t.jsonl", 0);
  return prompts.ok() ? prompts->notices : std::vector<std::string>{prompts.error().text()};
}

TEST(Traces, WhoseMillisecondsLookLikeSecondsAreNoted) {
  const std::vector<std::string> notice = {
      "the timestamps of t.jsonl are read as milliseconds, and all lie within 1 s; if they are "
      "seconds, name them 'timestamp_s'"};
  const std::vector<std::string> no_notices;
  EXPECT_EQ(notices_of_trace(10, "timestamp", 0.0125), notice);
  EXPECT_EQ(notices_of_trace(9, "timestamp", 0.0125), no_notices) << "too few";
  EXPECT_EQ(notices_of_trace(10, "timestamp", 1), no_notices) << "no fractions";
  EXPECT_EQ(notices_of_trace(100, "timestamp", 1.0125), no_notices) << "longer";
  EXPECT_EQ(notices_of_trace(10, "timestamp_s", 0.0125), no_notices) << "seconds";
}

std::string error_of(const std::string& text) {
  const auto prompts = parse_prompts(text, "p", 0);
  return prompts.ok() ? "" : prompts.error().text();
}

TEST(HostilePromptFiles, WithATooLongLineAreAnError) {
  EXPECT_EQ(
      error_of("{\"text_input\": \"a\"}\n{\"text_input\": \"" + std::string(50 << 20, 'x') + "\"}"),
      "p:2: this row has 50.0 MiB, but a prompt may have at most 16.0 MiB");
}

TEST(HostilePromptFiles, WithATooLongRowAreAnErrorInEveryLayout) {
  std::string row = "{\"text_input\": \"";
  while (row.size() < (16 << 20) - 2) row += "\u00e9";
  row += "\"}";
  ASSERT_EQ(row.size(), std::size_t{16} << 20);
  const std::pair<const char*, const char*> files[] = {
      {"{\"text_input\": \"a\"}\n", ""},
      {"[{\"text_input\": \"a\"},\n", "]"},
      {"{\"data\": [[{\"text_input\": \"a\"},\n", "]]}"}};
  for (const auto& [before, behind] : files) {
    EXPECT_EQ(parse_prompts(before + row + behind, "p", 0)->measured.size(), 2u) << before;
    const std::string longer =
        before + row.substr(0, row.size() - 1) + std::string(1 << 20, ' ') + "}" + behind;
    EXPECT_THAT(error_of(longer),
                testing::HasSubstr("this row has 17.0 MiB, but a prompt may have at most 16.0 MiB"))
        << before;
    EXPECT_THAT(error_of(longer), testing::StartsWith("p:2: ")) << before;
  }
}

TEST(HostilePromptFiles, WithANulByteAreAnErrorThatCountsLinesAfterAByteOrderMark) {
  using namespace std::string_literals;
  EXPECT_EQ(error_of("\xef\xbb\xbf{\"text_input\": \"a\"}\n\n{\"text_input\": \"\0\"}"s),
            "p:3: this line has a NUL byte, which JSON does not allow; save the file as UTF-8");
}

TEST(HostilePromptFiles, MayHaveIntegersOfAnyLengthInUnreadMembers) {
  const std::string nines(5000, '9');
  EXPECT_EQ(error_of("{\"text_input\": \"a\", \"x\": " + nines + "}"), "");
  EXPECT_THAT(error_of("{\"text_input\": \"a\", \"osl\": " + nines + "}"),
              testing::HasSubstr("it must be a whole number from 1 to 2147483647"));
}

TEST(HostilePromptFiles, ThatAreNotUtf8AreAnError) {
  EXPECT_EQ(error_of("{\"text_input\": \"aaaaaaaaaaaaaaaa\"}\n{\"text_input\": \"\xff\"}"),
            "p:2: this line has a byte that is not UTF-8; save the file as UTF-8");
}

TEST(HostilePromptFiles, WithDeepNestingAreAnError) {
  const std::string deep(1 << 20, '[');
  EXPECT_EQ(
      error_of("{\"messages\": " + deep),
      "p:1: '{\"messages\": " + std::string(47, '[') +
          "...' is not a complete JSON object; write one prompt per line, or all in one array: "
          R"({"text_input": "...", "isl": 32, "osl": 16, "warmup": false, "block": 0})");
  EXPECT_EQ(error_of(deep),
            "p:1: the array of prompts is not valid JSON after its item 0: a comma or the closing "
            "bracket is missing, or the file is truncated");
  const std::string closed =
      "{\"input\": \"a\", \"other\": " + deep + std::string(1 << 20, ']') + "}";
  EXPECT_EQ(error_of(closed), "p:1: this row is nested deeper than 100 levels");
  EXPECT_EQ(error_of("{\"data\": " + deep),
            "p:1: the array of prompts is not valid JSON after its item 0: a comma or the closing "
            "bracket is missing, or the file is truncated");
  const std::string deep_data = "{\"data\": " + deep + std::string(1 << 20, ']') + "}";
  EXPECT_EQ(
      error_of(deep_data),
      "p:1: item 1: '" + std::string(60, '[') +
          "...' is not a complete JSON object; write one prompt per line, or all in one array: "
          R"({"text_input": "...", "isl": 32, "osl": 16, "warmup": false, "block": 0})");
}

TEST(HostilePromptFiles, WithAMillionInvalidItemsAreAnError) {
  std::string text = "[0";
  for (int i = 0; i < 1'000'000; ++i) text += ",0";
  EXPECT_EQ(
      error_of(text + "]"),
      R"(p:1: item 1: '0' is not a complete JSON object; write one prompt per line, or all in one array: )"
      R"({"text_input": "...", "isl": 32, "osl": 16, "warmup": false, "block": 0})");
}

}  // namespace prompts_test
}  // namespace orch::prompt
