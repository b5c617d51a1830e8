// What the generator reads before and beside the timed loop: prompts, URLs, metrics pages.
#include <gtest/gtest.h>

#include "load/endpoint.hpp"
#include "load/metrics_page.hpp"
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

TEST(Url, ReadsHostPortAndPath) {
  const auto url = parse_url("http://[::1]:8000/prefix");
  ASSERT_TRUE(url.ok());
  EXPECT_EQ(url->host, "::1");
  EXPECT_EQ(url->port, 8000);
  EXPECT_EQ(url->path, "/prefix");
  EXPECT_EQ(url->authority(), "[::1]:8000");
  EXPECT_EQ(parse_url("localhost")->port, 80);
}

TEST(Url, RefusesWhatItDoesNotSpeak) {
  EXPECT_EQ(parse_url("https://x:1").error().message, "the URL 'https://x:1' asks for TLS, which this version does not speak; write http://HOST:PORT");
  EXPECT_EQ(parse_url("grpc://x:1").error().message, "the URL 'grpc://x:1' has a scheme other than http; write http://HOST:PORT");
  EXPECT_EQ(parse_url("http://x:70000").error().message,
            "the URL 'http://x:70000' has no port number between 1 and 65535 after its colon; write http://HOST:PORT");
  EXPECT_EQ(parse_url("http://").error().message, "the URL 'http://' has no host; write http://HOST:PORT");
}

constexpr std::string_view k_page = R"(# HELP nv_x text
# TYPE nv_x counter
nv_x{model="a b",version="1"} 3
nv_x{model="}",version="1"} 4 1700000000
nv_x_more 5e1
nan NaN
inf{a="1"} +Inf
nv_llm_output_token_len_sum{model="m"} 100
nv_llm_output_token_len_count{model="m"} 10
)";

TEST(MetricsPage, KeepsTheSeriesAsWrittenWithoutTimestampsAndEndlessValues) {
  const MetricsPage expected = {{R"(nv_x{model="a b",version="1"})", 3},
                                {R"(nv_x{model="}",version="1"})", 4},
                                {"nv_x_more", 50},
                                {R"(nv_llm_output_token_len_sum{model="m"})", 100},
                                {R"(nv_llm_output_token_len_count{model="m"})", 10}};
  EXPECT_EQ(parse_metrics_page(k_page), expected);
}

TEST(MetricsPage, SumsAFamilyOverItsLabelsAndNotItsLongerNamesakes) {
  const MetricsPage page = parse_metrics_page(k_page);
  EXPECT_EQ(family_sum(page, "nv_x"), 7);
  EXPECT_EQ(family_sum(page, "nv"), std::nullopt);
}

TEST(MetricsPage, GrowthCountsFromZeroWhereAFamilyIsNewAndIsEmptyWhereThereIsNone) {
  const MetricsPage after = parse_metrics_page(k_page);
  const auto from_nothing = growth({}, after);
  EXPECT_EQ(from_nothing.output_tokens, 100);
  EXPECT_EQ(from_nothing.output_requests, 10);
  EXPECT_EQ(from_nothing.input_tokens, std::nullopt);
  EXPECT_EQ(growth(after, after).output_tokens, 0);
}

}  // namespace
}  // namespace orch::load
