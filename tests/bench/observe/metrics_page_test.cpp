// Metrics pages of servers: parsing, merging the pages of several servers, and limits on hostile
// ones.
#include "bench/observe/metrics_page.hpp"

#include "bench/protocol/triton_answers.hpp"
#include "bench/wire/http_get.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace orch::observe {
namespace metrics_page_test {

using measure::SeriesKind;
using testing::ElementsAre;

std::map<std::string, double> values(const MetricsPage& page) {
  std::map<std::string, double> out;
  for (const auto& [series, sample] : page.series) out[series] = sample.value;
  return out;
}

using Values = std::map<std::string, double>;

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

TEST(MetricsPage, KeepsEverySeriesWithAFiniteValue) {
  EXPECT_EQ(values(parse_metrics_page(k_page)),
            (Values{{R"(nv_x{model="a b",version="1"})", 3},
                    {R"(nv_x{model="}",version="1"})", 4},
                    {"nv_x_more", 50},
                    {R"(nv_llm_output_token_len_sum{model="m"})", 100},
                    {R"(nv_llm_output_token_len_count{model="m"})", 10}}));
}

TEST(MetricsPage, SumsAFamilyOverItsLabelsOnly) {
  const MetricsPage page = parse_metrics_page(k_page);
  EXPECT_EQ(family_sum(page, "nv_x"), 7);
  EXPECT_EQ(family_sum(page, "nv"), std::nullopt);
}

TEST(MetricsPage, GrowthStartsAtZeroForANewFamilyAndIsAbsentWithoutOne) {
  const MetricsPage after = parse_metrics_page(k_page);
  const auto from_nothing = counts_between({}, after);
  EXPECT_EQ(from_nothing.output_tokens, 100);
  EXPECT_EQ(from_nothing.output_requests, 10);
  EXPECT_EQ(from_nothing.input_tokens, std::nullopt);
  EXPECT_EQ(counts_between(after, after).output_tokens, 0);
}

TEST(MetricsPage, ASeriesHasOneNameForEveryOrderOfItsLabels) {
  EXPECT_EQ(values(parse_metrics_page(
                "f{version=\"1\",model=\"m\"} 1\nf{ model = \"m\" , version=\"1\", } 2\n")),
            (Values{{R"(f{model="m",version="1"})", 2}}));
}

TEST(MetricsPage, LabelsMayContainQuotesBracesAndCommas) {
  EXPECT_EQ(values(parse_metrics_page(R"(f{a="x\"y",b="c:\\d",c="two\nlines",d="},e=\"1\" 9"} 7)")),
            (Values{{R"(f{a="x\"y",b="c:\\d",c="two\nlines",d="},e=\"1\" 9"})", 7}}));
}

// In the format of TensorRT-LLM's backend: every family, with the names of several releases.
constexpr std::string_view k_backend =
    R"(# HELP nv_inference_request_success Number of successful inference requests
# TYPE nv_inference_request_success counter
nv_inference_request_success{model="preprocessing",version="1"} 4
# TYPE nv_inference_request_failure counter
nv_inference_request_failure{model="preprocessing",reason="BACKEND",version="1"} 1
# TYPE nv_inference_pending_request_count gauge
nv_inference_pending_request_count{model="tensorrt_llm",version="1"} 2
# TYPE nv_trt_llm_request_metrics gauge
nv_trt_llm_request_metrics{model="tensorrt_llm",request_type="waiting",version="1"} 3
nv_trt_llm_request_metrics{model="tensorrt_llm",request_type="active",version="1"} 5
# TYPE nv_trt_llm_kv_cache_block_metrics gauge
nv_trt_llm_kv_cache_block_metrics{kv_cache_block_type="fraction",model="tensorrt_llm",version="1"} 0.25
# TYPE nv_trt_llm_v1_metrics gauge
nv_trt_llm_v1_metrics{model="tensorrt_llm",v1_specific_metric="empty_generation_slots",version="1"} 6
# TYPE nv_trt_llm_general_metrics gauge
nv_trt_llm_general_metrics{general_type="iteration_counter",model="tensorrt_llm",version="1"} 70
nv_trt_llm_general_metrics{general_type="timestamp",model="tensorrt_llm",version="1"} 1729000000000000
# TYPE nv_trt_llm_disaggregated_serving_metrics counter
nv_trt_llm_disaggregated_serving_metrics{disaggregated_serving_type="kv_cache_transfer_ms",model="tensorrt_llm",version="1"} 8
# TYPE nv_llm_input_token_len histogram
nv_llm_input_token_len_count{model="tensorrt_llm",response_metric_type="total_input_tokens",version="1"} 4
nv_llm_input_token_len_sum{model="tensorrt_llm",response_metric_type="total_input_tokens",version="1"} 128
nv_llm_input_token_len_bucket{model="tensorrt_llm",response_metric_type="total_input_tokens",version="1",le="50"} 4
nv_llm_input_token_len_bucket{model="tensorrt_llm",response_metric_type="total_input_tokens",version="1",le="+Inf"} 4
# TYPE nv_inference_request_summary_us summary
nv_inference_request_summary_us_count{model="preprocessing",version="1"} 4
nv_inference_request_summary_us{model="preprocessing",version="1",quantile="0.5"} 90
somebody_elses 1
)";

TEST(MetricsPage, KindsFollowTheSeriesRatherThanItsDeclaration) {
  std::map<std::string, std::string> kinds;
  for (const auto& [series, sample] : parse_metrics_page(k_backend).series)
    kinds[series] = measure::name_of(sample.kind);
  const std::map<std::string, std::string> expected = {
      {R"(nv_inference_request_success{model="preprocessing",version="1"})", "counter"},
      {R"(nv_inference_request_failure{model="preprocessing",reason="BACKEND",version="1"})",
       "counter"},
      {R"(nv_inference_pending_request_count{model="tensorrt_llm",version="1"})", "gauge"},
      {R"(nv_trt_llm_request_metrics{model="tensorrt_llm",request_type="waiting",version="1"})",
       "gauge"},
      {R"(nv_trt_llm_request_metrics{model="tensorrt_llm",request_type="active",version="1"})",
       "gauge"},
      {R"(nv_trt_llm_kv_cache_block_metrics{kv_cache_block_type="fraction",model="tensorrt_llm",version="1"})",
       "gauge"},
      {R"(nv_trt_llm_v1_metrics{model="tensorrt_llm",v1_specific_metric="empty_generation_slots",version="1"})",
       "gauge"},
      {R"(nv_trt_llm_general_metrics{general_type="iteration_counter",model="tensorrt_llm",version="1"})",
       "counter"},
      {R"(nv_trt_llm_disaggregated_serving_metrics{disaggregated_serving_type="kv_cache_transfer_ms",model="tensorrt_llm",version="1"})",
       "counter"},
      {R"(nv_llm_input_token_len_count{model="tensorrt_llm",response_metric_type="total_input_tokens",version="1"})",
       "counter"},
      {R"(nv_llm_input_token_len_sum{model="tensorrt_llm",response_metric_type="total_input_tokens",version="1"})",
       "counter"},
      {R"(nv_llm_input_token_len_bucket{le="50",model="tensorrt_llm",response_metric_type="total_input_tokens",version="1"})",
       "counter"},
      {R"(nv_llm_input_token_len_bucket{le="+Inf",model="tensorrt_llm",response_metric_type="total_input_tokens",version="1"})",
       "counter"},
      {R"(nv_inference_request_summary_us_count{model="preprocessing",version="1"})", "counter"},
      {R"(nv_inference_request_summary_us{model="preprocessing",quantile="0.5",version="1"})",
       "gauge"},
      {"somebody_elses", "unknown"},
  };
  EXPECT_EQ(kinds, expected) << "the timestamp is left out, since its unit depends on the release";
}

TEST(MetricsPage, MergingAddsCountersAndKeepsGaugesPerServer) {
  const std::vector<MetricsPage> pages = {
      parse_metrics_page(
          "# TYPE c counter\nc{model=\"m\"} 3\n# TYPE g gauge\ng{model=\"m\"} 0.5\n"),
      parse_metrics_page(
          "# TYPE c counter\nc{model=\"m\"} 4\n# TYPE g gauge\ng{model=\"m\"} 0.25\nraw 1\n")};
  EXPECT_EQ(values(merge_pages(pages)), (Values{{R"(c{model="m"})", 7},
                                                {R"(g{model="m",server="1"})", 0.5},
                                                {R"(g{model="m",server="2"})", 0.25},
                                                {R"(raw{server="2"})", 1}}));
  EXPECT_EQ(values(merge_pages(std::span(pages).first(1))), values(pages[0]))
      << "a single page does not change";
}

TEST(MetricsPage, OnlyGaugesHaveARangeOverSamples) {
  Ranges ranges;
  add_sample(ranges, parse_metrics_page("# TYPE g gauge\ng 4\n# TYPE c counter\nc 1\n"));
  add_sample(ranges, parse_metrics_page("# TYPE g gauge\ng 1\n# TYPE c counter\nc 2\n"));
  ASSERT_EQ(ranges.size(), 1u);
  const Range& range = ranges.at("g");
  EXPECT_EQ(range.min, 1);
  EXPECT_EQ(range.max, 4);
  EXPECT_EQ(range.sum, 5);
  EXPECT_EQ(range.samples, 2);
}

// --- hostile pages ---

TEST(HostileMetricsPage, LinesWithoutAValidSeriesAndNumberAreLeftOut) {
  const MetricsPage page = parse_metrics_page(
      "a NaN\nb -Inf\nc 1e999\nd 1\nd 2\n{} 3\ne{x} 4\nf{x=\"1} 5\ng{x=\"\\\n6\nh\ni{} "
      "7\nj{x=\"1\"y=\"2\"} 8\n# TYPE\n#\n# TYPE k\nl 9");
  EXPECT_EQ(values(page), (Values{{"d", 2}, {"i", 7}, {"l", 9}}))
      << "the last of two values counts, and the last line may lack its newline";
  EXPECT_EQ(page.left_out, 0);
}

TEST(HostileMetricsPage, SeriesAreBoundedInNumberAndLength) {
  std::string text = "# TYPE nv_x counter\n";
  for (std::size_t i = 0; i < k_most_series; ++i) text += fmt::format("nv_x{{i=\"{}\"}} 1\n", i);
  for (std::size_t i = 0; i < k_most_unknown_series + 10; ++i)
    text = fmt::format("other_{} 1\n", i) + text;
  const MetricsPage page =
      parse_metrics_page(text + "long{x=\"" + std::string(k_longest_series, 'x') + "\"} 1\n");
  EXPECT_EQ(page.series.size(), k_most_series);
  EXPECT_EQ(page.left_out, 10 + static_cast<std::int64_t>(k_most_unknown_series) + 1);
  EXPECT_EQ(std::count_if(page.series.begin(), page.series.end(),
                          [](const auto& each) { return each.first.starts_with("other_"); }),
            k_most_unknown_series);
}

TEST(HostileMetricsPage, APageOfTenMegabytesIsNotRead) {
  truth::Server server(
      truth::always(truth::body(200, "x 1\n" + std::string(10'000'000, '#'), truth::After::close)));
  const auto text = wire::http_get(*wire::parse_url(server.url() + "/metrics"), 20'000);
  ASSERT_FALSE(text.ok());
  EXPECT_EQ(text.error().message, server.url() + "/metrics answered more than 1 MiB");
}

// --- scraping pages ---

TEST(Scraper, NamesAPageOnceWhoseCountersWereReset) {
  int reads = 0;
  truth::Server server([&reads](const truth::Request&) {
    return std::make_shared<const truth::Answer>(truth::body(
        200, fmt::format("# TYPE c counter\nc {}\n", ++reads == 2 ? 4 : 10), truth::After::close));
  });
  const wire::Url url = *wire::parse_url(server.url() + "/metrics");
  Scraper scraper({url});
  static_cast<void>(scraper.read());
  EXPECT_TRUE(scraper.take_reset_urls().empty());
  static_cast<void>(scraper.read());
  EXPECT_EQ(scraper.take_reset_urls(), std::set<std::string>{url.text()});
  static_cast<void>(scraper.read());
  EXPECT_TRUE(scraper.take_reset_urls().empty());
}

TEST(MetricsPage, GrowthThatIsNegativeOrTooLargeIsAbsent) {
  const auto page = [](const char* value) {
    return parse_metrics_page(fmt::format("nv_llm_output_token_len_count{{m=\"a\"}} {}\n", value));
  };
  EXPECT_EQ(counts_between(page("7"), page("4")).output_requests, std::nullopt);
  EXPECT_EQ(counts_between(page("7"), page("1e300")).output_requests, std::nullopt);
  EXPECT_EQ(counts_between(page("7"), page("9")).output_requests, 2);
}

TEST(Scraper, SendsTheTokenOnlyToTheServersUnderTest) {
  truth::Server page(truth::always(truth::body(200, "c 2\n", truth::After::close)));
  const wire::Url url = *wire::parse_url(page.url() + "/metrics");
  const wire::Access access{.authorization = "Bearer secret"};
  const std::vector<std::string> servers = {page.url(), "http://127.0.0.1:1",
                                            fmt::format("http://127.0.0.2:{}", page.port()),
                                            fmt::format("https://127.0.0.1:{}", page.port())};
  for (const std::string& server : servers)
    EXPECT_TRUE(Scraper({url}, access, std::vector{*wire::parse_url(server)}).read().has_value());
  const auto log = page.log();
  ASSERT_EQ(log.size(), 4u);
  EXPECT_THAT(log[0].request.head, testing::HasSubstr("Bearer secret"));
  for (std::size_t i = 1; i < 4; ++i)
    EXPECT_THAT(log[i].request.head, testing::Not(testing::HasSubstr("secret"))) << servers[i];
}

TEST(Scraper, ReadsAllPagesOrReportsTheOneThatFailed) {
  truth::Server good(
      truth::always(truth::body(200, "# TYPE c counter\nc 2\n", truth::After::close)));
  truth::Server bad(truth::always(truth::body(404, "no", truth::After::close)));
  const auto url_of = [](const truth::Server& server) {
    return *wire::parse_url(server.url() + "/metrics");
  };
  EXPECT_EQ(values(*Scraper({url_of(good), url_of(good)}).read()), (Values{{"c", 4}}));
  Scraper one_bad({url_of(good), url_of(bad)});
  EXPECT_FALSE(one_bad.read().has_value());
  EXPECT_EQ(one_bad.error(), bad.url() + "/metrics did not answer: HTTP 404");
  EXPECT_FALSE(one_bad.read().has_value());
  EXPECT_EQ(bad.log().size(), 1u) << "a page that failed is not requested again";
}

TEST(Scraper, WaitsUntilTheCountersOfAllModelsSettle) {
  // The histogram is complete at once, the ensemble's counter one page later.
  truth::Server server([](const truth::Request& request) {
    const std::string page = fmt::format(
        "# TYPE nv_llm_output_token_len histogram\nnv_llm_output_token_len_count 10\n"
        "# TYPE nv_inference_request_success "
        "counter\nnv_inference_request_success{{model=\"ensemble\"}} {}\n"
        "# TYPE nv_cpu_utilization gauge\nnv_cpu_utilization {}\n",
        request.number == 0 ? 9 : 10, request.number);
    return std::make_shared<const truth::Answer>(truth::body(200, page, truth::After::close));
  });
  Scraper scraper({*wire::parse_url(server.url())});
  const auto page = scraper.read_settled(MetricsPage{}, 10);
  ASSERT_TRUE(page.has_value());
  EXPECT_EQ(page->series.at(R"(nv_inference_request_success{model="ensemble"})").value, 10);
  EXPECT_EQ(server.log().size(), 3u) << "one read more than there were changes";
}

TEST(Sampler, APageThatFailsStopsSamplingAndIsNamed) {
  std::atomic<bool> failing = false;
  truth::Server server([&failing](const truth::Request& request) {
    if (request.number == 1) failing.store(true), failing.notify_all();
    return std::make_shared<const truth::Answer>(
        truth::body(request.number == 1 ? 500 : 200, "# TYPE g gauge\ng 1\n", truth::After::close));
  });
  Sampler sampler(Scraper({*wire::parse_url(server.url() + "/metrics")}), 0.001);
  failing.wait(false);
  EXPECT_EQ(sampler.stop().at("g").samples, 1);
  EXPECT_EQ(sampler.error(), server.url() + "/metrics did not answer: HTTP 500");
}

TEST(Ranges, SeriesWhoseNamesChangeFromPageToPageAreBounded) {
  Ranges ranges;
  for (int page = 0; page < 3; ++page) {
    MetricsPage sample_page;
    for (std::size_t i = 0; i < k_most_series; ++i)
      sample_page.series[fmt::format("g{{request=\"{}-{}\"}}", page, i)] = {
          .value = 1, .kind = measure::SeriesKind::gauge};
    sample_page.series["always"] = {.value = static_cast<double>(page),
                                    .kind = measure::SeriesKind::gauge};
    add_sample(ranges, sample_page);
  }
  EXPECT_EQ(ranges.size(), k_most_series + 1);
  EXPECT_EQ(ranges.at("always").samples, 3);
}

TEST(Sampler, SamplesGaugesUntilStop) {
  // Each page holds the number of reads before it. The test stops the sampler at the tenth.
  std::atomic<bool> tenth_read = false;
  truth::Server server([&tenth_read](const truth::Request& request) {
    if (request.number == 9) tenth_read.store(true), tenth_read.notify_all();
    return std::make_shared<const truth::Answer>(truth::body(
        200, fmt::format("# TYPE g gauge\ng {}\n", request.number), truth::After::close));
  });
  Sampler sampler(Scraper({*wire::parse_url(server.url())}), 0.001);
  tenth_read.wait(false);
  const Ranges ranges = sampler.stop();
  ASSERT_TRUE(ranges.contains("g"));
  EXPECT_EQ(ranges.at("g").min, 0);
  EXPECT_GE(ranges.at("g").max, 8) << "the tenth page may not have been received yet";
  EXPECT_EQ(static_cast<double>(ranges.at("g").samples), ranges.at("g").max + 1);
}

// vLLM states the size of its KV cache in this way only.
TEST(MetricsPage, SettingsInLabelsThatAreTooLongBecomeGauges) {
  const std::string longest(k_longest_series, 'x');
  const MetricsPage page = parse_metrics_page(
      "# TYPE vllm:cache_config_info gauge\nvllm:cache_config_info{num_gpu_blocks=\"910\","
      "block_size=\"128\",path=\"" +
      longest + "\"} 1.0\nother{path=\"" + longest + "\"} 1.0\nshort_info{blocks=\"3\"} 1.0\n");
  ASSERT_EQ(page.series.size(), 3u);
  EXPECT_EQ(page.series.at("vllm:cache_config_info_num_gpu_blocks").value, 910);
  EXPECT_EQ(page.series.at("vllm:cache_config_info_block_size").value, 128);
  EXPECT_EQ(page.series.at("vllm:cache_config_info_block_size").kind, measure::SeriesKind::gauge);
  EXPECT_EQ(page.series.at("short_info{blocks=\"3\"}").value, 1);
  EXPECT_EQ(page.left_out, 1);
}

}  // namespace metrics_page_test
}  // namespace orch::observe
