// By which marks the file of a tool is known, where others write files that are like it.
#include "results/imports/reading_of.hpp"

namespace orch::imports {
namespace whose_file_test {

// As aiperf's releases to 0.3 wrote it: with no name and no version.
constexpr std::string_view k_old_aiperf = R"({
  "request_latency": {"unit": "ms", "avg": 500, "p99": 600},
  "time_to_first_token": {"unit": "ms", "avg": 25},
  "was_cancelled": false, "error_summary": [], "error_request_count": null, "telemetry_data": null,
  "input_config": {"endpoint": {"model_names": ["acme/toy"], "type": "chat", "streaming": true},
    "loadgen": {"concurrency": 10, "request_rate": 2.5, "request_count": 80}}})";

TEST(WhoseFile, AiperfsReportWithoutAVersionIsNotGenaiPerfs) {
  EXPECT_EQ(format_of(k_old_aiperf), "aiperf-json");
  const Reading reading = read(k_old_aiperf).at(0);
  EXPECT_EQ(reading.tool, "aiperf");
  EXPECT_EQ(parameter(reading, "model"), "acme/toy");
  EXPECT_EQ(parameter(reading, "concurrency"), "10");
  EXPECT_EQ(parameter(reading, "request_rate"), "2.5");
  EXPECT_EQ(figure(reading, "request_latency_ms", "p99"), 600);
}

TEST(WhoseFile, AiperfsTableIsNotGenaiPerfs) {
  const std::string rows =
      "Request Latency (ms),500.5,400,620,600,590,580,560,498,9\n"
      "Output Sequence Length (tokens),96,90,99,98,97,97,96,96,1\n\n"
      "Metric,Value\nRequest Count,80.00\nRequest Throughput (requests/sec),8.5\n";
  const std::string text = "Metric,avg,min,max,p99,p95,p90,p75,p50,std\n" + rows;
  EXPECT_EQ(format_of(text), "aiperf-csv");
  EXPECT_EQ(format_of("Metric,avg,min,max,sum,p1,p50,p99,std\n"), "aiperf-csv");
  EXPECT_EQ(format_of("Metric,avg,min,max,p99,p95,p90,p75,p50,p25\n"), "genai-perf-csv");
  const Reading reading = read(text).at(0);
  EXPECT_EQ(reading.tool, "aiperf");
  EXPECT_EQ(figure(reading, "request_latency_ms", "sd"), 9);
  EXPECT_EQ(figure(reading, "osl_counted"), 96);
  EXPECT_EQ(figure(reading, "requests_per_s"), 8.5);
  EXPECT_EQ(figure(reading, "aiperf_request_count"), 80);
}

std::string sglang(std::string_view backend, std::string_view dataset) {
  return fmt::format(
      R"({{"tag": null, "backend": "{}", "dataset_name": "{}", "request_rate": Infinity,
"max_concurrency": 16, "sharegpt_output_len": null, "random_input_len": 1024,
"random_output_len": 512, "random_range_ratio": 0.5,
"server_info": {{"model_path": "acme/toy", "tp_size": 2, "mem_fraction_static": 0.8}},
"duration": 50.0, "completed": 200, "total_input_tokens": 204800, "total_output_tokens": 102400,
"total_output_tokens_retokenized": 102380, "request_throughput": 4.0, "input_throughput": 4096.0,
"output_throughput": 2048.0, "total_throughput": 6144.0, "mean_e2e_latency_ms": 3900.0,
"median_e2e_latency_ms": 3880.0, "std_e2e_latency_ms": 100.0, "p99_e2e_latency_ms": 4300.0,
"mean_ttft_ms": 120.0, "p99_ttft_ms": 210.0, "mean_tpot_ms": 7.4, "mean_itl_ms": 7.5,
"max_itl_ms": 90.0, "concurrency": 15.6, "accept_length": 2.5}})",
      backend, dataset);
}

TEST(WhoseFile, SglangsLinesAreNotVllms) {
  EXPECT_EQ(format_of(sglang("sglang-oai", "random")), "sglang-jsonl");
  const Reading reading = read(sglang("sglang-oai", "random")).at(0);
  EXPECT_EQ(reading.tool, "sglang");
  EXPECT_EQ(figure(reading, "request_latency_ms"), 3900);
  EXPECT_EQ(figure(reading, "request_latency_ms", "p50"), 3880);
  EXPECT_EQ(figure(reading, "request_latency_ms", "sd"), 100);
  EXPECT_EQ(figure(reading, "request_latency_ms", "p99"), 4300);
  EXPECT_EQ(figure(reading, "ttft_ms", "p99"), 210);
  EXPECT_EQ(figure(reading, "event_gap_ms"), 7.5);
  EXPECT_EQ(figure(reading, "event_gap_ms", "max"), 90);
  EXPECT_EQ(figure(reading, "input_tps"), 4096);
  EXPECT_EQ(figure(reading, "sglang_total_tps"), 6144);
  EXPECT_EQ(figure(reading, "sglang_accept_length"), 2.5);
  EXPECT_EQ(figure(reading, "sglang_mean_concurrency"), 15.6);
  EXPECT_EQ(parameter(reading, "model"), "acme/toy");
  EXPECT_EQ(parameter(reading, "tp"), "2");
  EXPECT_EQ(parameter(reading, "isl"), "1024");
  EXPECT_EQ(parameter(reading, "osl"), "512");
  EXPECT_EQ(parameter(reading, "concurrency"), "16");
  EXPECT_EQ(parameter(reading, "max"), "true") << "a rate of Infinity is none";
  EXPECT_EQ(parameter(reading, "request_rate"), "");
  EXPECT_THAT(reading.warnings, testing::IsEmpty());
  EXPECT_THAT(reading.expected, testing::Contains("event_gap_ms"));
  EXPECT_THAT(reading.expected, testing::Not(testing::Contains("sglang_accept_length")))
      << "only some files have it";
}

TEST(WhoseFile, SglangsOwnInterfaceDividesAGapAmongTheTokensOfItsEvent) {
  const Reading reading = read(sglang("sglang", "random")).at(0);
  EXPECT_TRUE(std::isnan(figure(reading, "event_gap_ms")));
  EXPECT_EQ(figure(reading, "sglang_itl_ms"), 7.5);
}

TEST(WhoseFile, SglangsLengthsAreThoseOfItsRandomPrompts) {
  const Reading reading = read(sglang("vllm", "sharegpt")).at(0);
  EXPECT_EQ(reading.tool, "sglang");
  EXPECT_EQ(parameter(reading, "backend"), "vllm");
  EXPECT_EQ(parameter(reading, "isl"), "");
  EXPECT_EQ(parameter(reading, "osl"), "");
}

TEST(WhoseFile, SglangsFirstReleasesAndLmdeploysCopyDifferByTheirBackend) {
  const auto line = [](std::string_view backend) {
    return fmt::format(R"({{"backend": "{}", "dataset_name": "sharegpt", "request_rate": 2,)"
                       R"( "total_output_tokens_retokenized": 5, "mean_e2e_latency_ms": 900.5,)"
                       R"( "median_ttft_ms": 20.5, "median_itl_ms": 4, "output_throughput": 10,)"
                       R"( "duration": 5, "completed": 10}})"
                       "\n",
                       backend);
  };
  EXPECT_EQ(format_of(line("sglang")), "sglang-jsonl");
  EXPECT_EQ(figure(read(line("sglang")).at(0), "request_latency_ms"), 900.5);
  EXPECT_EQ(figure(read(line("sglang") + line("sglang")).at(1), "ttft_ms", "p50"), 20.5);
  EXPECT_EQ(format_of(line("lmdeploy")), "lmdeploy-jsonl");
  EXPECT_EQ(figure(read(line("lmdeploy")).at(0), "request_latency_ms"), 900.5);
}

TEST(WhoseFile, ATableOfSglangsNamesIsNotVllmsOrLmdeploys) {
  EXPECT_EQ(format_of("backend,max_concurrency,completed,request_throughput,output_throughput,"
                      "mean_e2e_latency_ms,mean_ttft_ms\nsglang,1,1,1,1,1,1\n"),
            "");
}

TEST(WhoseFile, VllmsFirstReleasesSpellTheirKeysOtherwise) {
  const std::string_view text =
      R"({"date": "20240101-000000", "backend": "vllm", "model_id": "m", "tokenizer_id": "m",
"best_of": 1, "use_beam_search": false, "num_prompts": 10, "request_rate": "inf", "duration": 5.0,
"completed": 10, "total_input": 20, "total_output": 50, "request_inthroughput": 2.0,
"input_throughput": 4.0, "output_throughput": 10.0, "mean_ttft_ms": 15.0, "median_ttft_ms": 14.0,
"p99_ttft_ms": 19.0, "median_tpot_ms": 4.0})";
  EXPECT_EQ(format_of(text), "vllm-json");
  const Reading reading = read(text).at(0);
  EXPECT_EQ(figure(reading, "requests_per_s"), 2);
  EXPECT_EQ(figure(reading, "input_tps"), 4);
  EXPECT_EQ(figure(reading, "vllm_total_output_tokens"), 50);
  EXPECT_EQ(figure(reading, "tpot_ms", "p50"), 4);
  EXPECT_EQ(parameter(reading, "concurrency"), "");
  EXPECT_EQ(figure(read(R"({"model_id": "m", "request_throughput": 1, "mean_ttft_ms": 1,
                            "request_goodput:": 0.5})")
                       .at(0),
                   "goodput_rps"),
            0.5);
}

TEST(WhoseFile, TensorRtLlmsCopyOfVllmsScriptIsItsOwnTool) {
  const std::string_view text =
      R"({"backend": "openai", "model_id": "m", "max_concurrency": 2, "request_throughput": 0.8,
"mean_ttft_ms": 15.0, "completed": 2, "user_throughput": 90.5})";
  EXPECT_EQ(format_of(text), "trtllm-json");
  const Reading reading = read(text).at(0);
  EXPECT_EQ(reading.tool, "trtllm");
  EXPECT_EQ(figure(reading, "trtllm_completed"), 2);
  EXPECT_EQ(figure(reading, "trtllm_user_throughput"), 90.5);
}

TEST(WhoseFile, InferencexsJsonIsReadLikeItsTable) {
  const std::string object =
      R"({"hw": "h100", "conc": 16, "model": "m", "framework": "vllm", "precision": "fp8", "tp": 8,
"ep": 1, "dp_attention": false, "isl": 1024, "osl": 512, "tput_per_gpu": 500.0,
"output_tput_per_gpu": 250.0, "mean_ttft": 0.125, "p99_tpot": 0.01, "median_e2el": 10.0,
"p99_intvty": 100.0})";
  EXPECT_EQ(format_of(object), "inferencex-json");
  EXPECT_EQ(read("[" + object + "," + object + "]").size(), 2u);
  const std::string table =
      "hw,conc,model,framework,precision,tp,ep,dp_attention,isl,osl,tput_per_gpu,"
      "output_tput_per_gpu,mean_ttft,p99_tpot,median_e2el,p99_intvty\n"
      "h100,16,m,vllm,fp8,8,1,False,1024,512,500,250,0.125,0.01,10,100\n";
  EXPECT_EQ(format_of(table), "aiconfigurator-csv");
  for (const Reading& reading : {read(object).at(0), read(table).at(0)}) {
    EXPECT_EQ(reading.tool, "inferencex");
    EXPECT_EQ(figure(reading, "ttft_ms"), 125);
    EXPECT_EQ(figure(reading, "tpot_ms", "p99"), 10);
    EXPECT_EQ(figure(reading, "request_latency_ms", "p50"), 10000);
    EXPECT_EQ(figure(reading, "inferencex_total_tps_per_gpu"), 500);
    EXPECT_EQ(figure(reading, "inferencex_interactivity_tps", "p99"), 100);
    EXPECT_EQ(parameter(reading, "concurrency"), "16");
    EXPECT_EQ(parameter(reading, "hw"), "h100");
    EXPECT_EQ(parameter(reading, "tp"), "8");
    EXPECT_EQ(reading.parameters.at("tp").type, matrix::Type::integer);
    EXPECT_THAT(reading.warnings, testing::IsEmpty());
  }
}

TEST(WhoseFile, FieldsOfNoKnownMeaningAreFiguresAndWordsButNoParameters) {
  const std::string json =
      R"({"model_id": "m", "max_concurrency": 2, "request_throughput": 0.8, "mean_ttft_ms": 15.0,
"queue depth": -3, "gpu": "H100", "label": null, "slots": [1], "warm": true})";
  const std::string table =
      "hw,conc,tput_per_gpu,mean_ttft,queue depth,gpu\nh100,16,500,0.125,-3,H100\n";
  const Reading object = read(json).at(0), row = read(table).at(0);
  EXPECT_EQ(figure(object, "vllm_queue_depth"), -3);
  EXPECT_EQ(parameter(object, "gpu"), "");
  EXPECT_THAT(object.warnings,
              testing::ElementsAre("fields of no known meaning: gpu is 'H100', queue depth is kept "
                                   "as vllm_queue_depth, slots is a list, warm is 'true'"));
  EXPECT_EQ(figure(row, "inferencex_queue_depth"), -3);
  EXPECT_EQ(row.parameters.size(), 2u) << "hw and concurrency";
  EXPECT_THAT(row.warnings,
              testing::ElementsAre("fields of no known meaning: queue depth is kept as "
                                   "inferencex_queue_depth, gpu is 'H100'"));
}

TEST(WhoseFile, NumbersThatAreNotFiniteAreLeftOutAndNamed) {
  const Reading reading = read(R"({"model_id": "NaN", "max_concurrency": 2,
"request_rate": Infinity, "request_throughput": 0.8, "mean_ttft_ms": 15.0, "std_ttft_ms": NaN,
"mean_tpot_ms": -Infinity})")
                              .at(0);
  EXPECT_EQ(parameter(reading, "model"), "NaN");
  EXPECT_EQ(parameter(reading, "max"), "true");
  EXPECT_EQ(figure(reading, "ttft_ms"), 15);
  EXPECT_TRUE(std::isnan(figure(reading, "ttft_ms", "sd")));
  EXPECT_TRUE(std::isnan(figure(reading, "tpot_ms")));
  EXPECT_THAT(reading.warnings, testing::ElementsAre("mean_tpot_ms is -Infinity: left out",
                                                     "std_ttft_ms is NaN: left out"));
  std::string aiperf(k_old_aiperf);
  aiperf.replace(aiperf.find("\"avg\": 25"), 9, "\"avg\": NaN");
  EXPECT_THAT(read(aiperf).at(0).warnings,
              testing::ElementsAre("time_to_first_token.avg is NaN: left out"));
  const Reading row = read(
                          "max_concurrency,request_throughput,mean_ttft_ms,mean_tpot_ms\n"
                          "8,1.5,nan,2\n")
                          .at(0);
  EXPECT_EQ(figure(row, "tpot_ms"), 2);
  EXPECT_THAT(row.warnings, testing::ElementsAre("mean_ttft_ms is nan: left out"));
}

TEST(WhoseFile, AMessageSaysByWhatAFileIsKnown) {
  const auto known = [](std::string_view text) {
    const Source source{"f", text};
    return known_as(*recognise(source), recognise(source)->tool, source, false);
  };
  EXPECT_EQ(known(k_old_aiperf),
            "aiperf's results (aiperf-json), by `was_cancelled` and `telemetry_data`");
  EXPECT_EQ(known(sglang("sglang", "random")),
            "sglang's results (sglang-jsonl), by `server_info` and `accept_length`");
  EXPECT_EQ(known("Metric,avg,min,max,p99\n"),
            "genai-perf's results (genai-perf-csv), by `Metric,avg,min,max,p99`");
  EXPECT_EQ(known_as(*find_format("llm-perf"), "llm-perf", {"f", "x"}, true),
            "llm-perf's results (llm-perf), by --format");
}

TEST(WhoseFile, AFileThatWasCutOffSaysSo) {
  const std::string line = R"({"model_id": "m", "max_concurrency": 2, "request_throughput": 0.8,)"
                           R"( "mean_ttft_ms": 15.5, "x": true})";
  for (std::size_t size = line.find("15.5") + 1; size < line.size(); ++size)
    EXPECT_EQ(error_of(line.substr(0, size), "v.json"),
              "v.json:1: the JSON ends too early: the file was cut off; export the file again with "
              "the tool that made it");
  EXPECT_THAT(error_of(line + "\n" + line.substr(0, 40), "v.jsonl"),
              testing::StartsWith("v.jsonl:2: the JSON ends too early: the file was cut off"));
  ASSERT_TRUE(why_cut({"v.json", "{\"date\": \"2025"}).has_value());
  EXPECT_FALSE(why_cut({"v.json", "{\"date\": 2025}"}).has_value());
  EXPECT_FALSE(why_cut({"v.json", "hello"}).has_value());
}

}  // namespace whose_file_test
}  // namespace orch::imports
