// Results of vLLM, LMDeploy, benchmark_core_model, llm_perf and AIConfigurator.
#include "results/imports/reading_of.hpp"

namespace orch::imports {
namespace format_test {

constexpr std::string_view k_vllm =
    R"({"date": "20260101-000000", "backend": "vllm", "model_id": "m", "num_prompts": 2,
"request_rate": "inf", "burstiness": 1.0, "max_concurrency": 2, "duration": 2.5, "completed": 2,
"total_input_tokens": 20, "total_output_tokens": 5, "request_throughput": 0.8,
"output_throughput": 2.0, "total_token_throughput": 10.0, "mean_ttft_ms": 15.0,
"median_ttft_ms": 14.5, "std_ttft_ms": 5.0, "p99_ttft_ms": 19.9, "p99.9_ttft_ms": 20.0,
"mean_tpot_ms": 4.0, "mean_itl_ms": 3.5, "p50_itl_ms": 3.0, "mean_e2el_ms": 30.0,
"start_times": [100.0, 100.5], "ttfts": [0.01, 0.02], "itls": [[0.004, 0.006], []],
"input_lens": [10, 10], "output_lens": [3, 1], "errors": ["", ""]})";

TEST(Vllm, JsonHasFiguresAndRequests) {
  EXPECT_EQ(format_of(k_vllm), "vllm-json");
  const Reading reading = read(k_vllm).at(0);
  EXPECT_EQ(figure(reading, "requests_per_s"), 0.8);
  EXPECT_EQ(figure(reading, "ttft_ms"), 15);
  EXPECT_EQ(figure(reading, "ttft_ms", "p50"), 14.5);
  EXPECT_EQ(figure(reading, "ttft_ms", "p99"), 19.9);
  EXPECT_EQ(figure(reading, "ttft_ms", "p999"), 20);
  EXPECT_EQ(figure(reading, "tpot_ms"), 4);
  EXPECT_EQ(figure(reading, "event_gap_ms"), 3.5) << "its ITL is the gap between events";
  EXPECT_TRUE(std::isnan(figure(reading, "itl_ms")));
  EXPECT_EQ(parameter(reading, "max"), "true");
  EXPECT_EQ(parameter(reading, "concurrency"), "2");
  EXPECT_EQ(parameter(reading, "model"), "m");
  ASSERT_EQ(reading.requests.records.size(), 2u);
  const auto& record = reading.requests.records[0];
  EXPECT_THAT(record.event_ns, testing::ElementsAre(10000000, 14000000, 20000000));
  EXPECT_EQ(record.isl, 10);
  EXPECT_EQ(record.osl_counted, 3);
  EXPECT_EQ(reading.requests.records[1].sent_ns, 500000000);
}

TEST(Vllm, ListsLinesAndSummariesOfSweepsAreManyMeasurements) {
  EXPECT_EQ(read(fmt::format("[{}, {}]", k_vllm, k_vllm)).size(), 2u);
  std::string line(k_vllm);
  std::replace(line.begin(), line.end(), '\n', ' ');
  EXPECT_EQ(read(line + "\n" + line + "\n").size(), 2u);
  const std::string csv =
      "max_concurrency,request_rate,request_throughput,mean_ttft_ms,p99_ttft_ms,model_id\n"
      "8,inf,1.5,20.5,30.25,m\n16,4.0,2.5,21,31,m\n";
  EXPECT_EQ(format_of(csv), "vllm-csv");
  const auto readings = read(csv);
  ASSERT_EQ(readings.size(), 2u);
  EXPECT_EQ(parameter(readings[0], "max"), "true");
  EXPECT_EQ(parameter(readings[1], "request_rate"), "4");
  EXPECT_EQ(figure(readings[0], "ttft_ms", "p99"), 30.25);
}

TEST(Vllm, TheDateIsTheEndAndTimesWithoutStartsAreTold) {
  EXPECT_EQ(read(k_vllm).at(0).ended_at, 1767225600);
  std::string text(k_vllm);
  text.replace(text.find("20260101-000000"), 15, "1 January 2026!");
  EXPECT_EQ(read(text).at(0).ended_at, std::nullopt);
  const std::string_view starts = "\"start_times\": [100.0, 100.5], ";
  text.replace(text.find(starts), starts.size(), "");
  const Reading reading = read(text).at(0);
  EXPECT_TRUE(reading.requests.records.empty());
  EXPECT_THAT(reading.warnings,
              testing::ElementsAre("the times of its 2 requests are not read: the "
                                   "file has no start_times"));
}

TEST(Vllm, ListsOfDifferentLengthsAreRefused) {
  std::string text(k_vllm);
  const std::string_view from = "\"ttfts\": [0.01, 0.02]";
  text.replace(text.find(from), from.size(), "\"ttfts\": [0.01]");
  EXPECT_EQ(error_of(text, "v.json"),
            "v.json: ttfts '[0.01]': 2 start_times, 1 ttfts, 2 itls, 2 output_lens differ in "
            "number; save the result again");
}

TEST(Lmdeploy, ReadsTheCsvOfItsFirstReleases) {
  const std::string text =
      "batch,num_promts,RPS,RPM,FTL(ave)(s),FTL(min)(s),FTL(max)(s),50%(s),75%(s),95%(s),99%(s),"
      "throughput(out tok/s),throughput(total tok/s)\n"
      "128,10000,5.049,302.963,0.152,0.057,4.544,0.044,0.055,0.089,0.112,2582.949,5167.244\n";
  EXPECT_EQ(format_of(text), "lmdeploy-csv");
  const Reading reading = read(text).at(0);
  EXPECT_EQ(parameter(reading, "concurrency"), "128");
  EXPECT_EQ(parameter(reading, "num_prompts"), "10000");
  EXPECT_NEAR(figure(reading, "ttft_ms"), 152, 1e-9);
  EXPECT_NEAR(figure(reading, "ttft_ms", "max"), 4544, 1e-9);
  EXPECT_EQ(figure(reading, "output_tps"), 2582.949);
  EXPECT_NEAR(figure(reading, "lmdeploy_token_latency_ms", "p99"), 112, 1e-9);
  const Reading unstreamed = read(
                                 "batch,num_prompts,RPS,RPM,FTL(ave)(s),FTL(min)(s),FTL(max)(s),"
                                 "throughput(out tok/s),throughput(total tok/s)\n"
                                 "8,100,5.0,300,-,-,-,2582.9,5167.2\n")
                                 .at(0);
  EXPECT_TRUE(std::isnan(figure(unstreamed, "ttft_ms")));
}

TEST(Lmdeploy, ReadsLaterJsonLinesAndCsv) {
  const Reading line =
      read(R"({"backend": "lmdeploy", "dataset_name": "random", "request_rate": 2,)"
           R"( "random_input_len": 128, "random_output_len": 64, "completed": 10,)"
           R"( "output_throughput": 100.5, "median_ttft_ms": 12.5})"
           "\n")
          .at(0);
  EXPECT_EQ(parameter(line, "isl"), "128");
  EXPECT_EQ(figure(line, "ttft_ms", "p50"), 12.5);
  const std::string csv =
      "backend,dataset_name,random_input_len,random_output_len,request_rate,completed,duration,"
      "output_throughput,mean_ttft_ms,mean_tpot_ms,mean_itl_ms\n"
      "lmdeploy,random,128,64,inf,10,3.5,99.5,11.5,4.5,4.25\n";
  EXPECT_EQ(format_of(csv), "lmdeploy-csv");
  const Reading row = read(csv).at(0);
  EXPECT_EQ(figure(row, "event_gap_ms"), 4.25);
  EXPECT_EQ(figure(row, "tpot_ms"), 4.5);
  EXPECT_EQ(parameter(row, "max"), "true");
}

TEST(CoreModel, ReadsItsTableAndItsCsvWithOtherNames) {
  const std::string table =
      "[INFO] Start benchmarking on 500 prompts.\n"
      "+----------------------------+----------+\n"
      "|            Stat            |  Value   |\n"
      "|        Requests/Sec        |  40.82   |\n"
      "|       OP tokens/sec        | -10449.64 |\n"
      "|     Avg. latency (ms)      | 12146.24 |\n"
      "|      P99 latency (ms)      | 12171.10 |\n"
      "| Avg. OP tokens per request |  256.00  |\n"
      "|   Avg. InFlight requests   |   0.00   |\n";
  EXPECT_EQ(format_of(table), "benchmark-core-model");
  const Reading reading = read(table).at(0);
  EXPECT_EQ(figure(reading, "requests_per_s"), 40.82);
  EXPECT_EQ(figure(reading, "output_tps"), -10449.64) << "less the prompt, which was not repeated";
  EXPECT_EQ(figure(reading, "request_latency_ms", "p99"), 12171.10);
  EXPECT_EQ(figure(reading, "osl_counted"), 256);
  EXPECT_EQ(read(table + table).size(), 2u);
  const std::string csv =
      "Requests/Sec,OP tokens/sec,Avg. Output tokens per request\n1.5,20,12.5\n";
  EXPECT_EQ(format_of(csv), "benchmark-core-model-csv");
  EXPECT_EQ(figure(read(csv).at(0), "osl_counted"), 12.5);
}

TEST(LlmPerf, ReadsEachConcurrency) {
  const std::string text =
      "triton_url: localhost:9001, protocol: grpc, model: ensemble\n"
      "Request concurrency: 1\n"
      "average_input_token_per_sec: 7830.079494413578\n"
      "average_ttft: 0.03435562758944755\naverage_latency: 0.03720159222220266\n"
      "p99_ttft: 0.03717458248138428\np99_latency: 0.10233128070831299\n"
      "payload and results: 1376 1376\nthroughput: 23.4745319777834 infer/sec.\n"
      "----\nRequest concurrency: 4\n\naverage_ttft: 0.1\naverage_latency: 0.2\n";
  EXPECT_EQ(format_of(text), "llm-perf");
  const auto readings = read(text);
  ASSERT_EQ(readings.size(), 2u);
  EXPECT_EQ(parameter(readings[0], "model"), "ensemble");
  EXPECT_EQ(parameter(readings[1], "concurrency"), "4");
  EXPECT_NEAR(figure(readings[0], "ttft_ms"), 34.35562758944755, 1e-9);
  EXPECT_NEAR(figure(readings[0], "request_latency_ms", "p99"), 102.33128070831299, 1e-9);
  EXPECT_NEAR(figure(readings[0], "requests_per_s"), 23.4745319777834, 1e-9);
  EXPECT_NEAR(figure(readings[0], "llm_perf_average_input_token_per_sec"), 7830.0794944, 1e-6);
  EXPECT_TRUE(std::isnan(figure(readings[0], "input_tps"))) << "over the sum of latencies";
}

TEST(Aiconfigurator, TakesTheConcurrencyFromTheWordsAboutTheOrigin) {
  const std::string text =
      "id,silicon_data_source,backend,backend_version,model_path,mode,isl,osl,batch_size,tp_size,"
      "prefill_tp_size,silicon_ttft_ms,silicon_tpot_ms\n"
      "m_b300_c128,db; silicon_concurrency=128; measured=2026,vllm,0.10,org/m,agg,8192,1024,128,4,,"
      "972.3109823355117,33.442908754168066\n"
      "m_dis,db; measured=2026,trtllm,1.0.0rc3,org/m,disagg,1024,1024,,,8,10,2\n";
  EXPECT_EQ(format_of(text), "aiconfigurator-csv");
  const auto readings = read(text);
  ASSERT_EQ(readings.size(), 2u);
  EXPECT_EQ(readings[0].name, "m_b300_c128");
  EXPECT_EQ(figure(readings[0], "ttft_ms"), 972.3109823355117);
  EXPECT_EQ(figure(readings[0], "tpot_ms"), 33.442908754168066);
  EXPECT_EQ(parameter(readings[0], "concurrency"), "128");
  EXPECT_EQ(parameter(readings[0], "tp"), "4");
  EXPECT_EQ(parameter(readings[0], "model"), "org/m");
  EXPECT_EQ(readings[0].parameters.at("backend_version"),
            (matrix::Value{matrix::Type::version, "0.10"}));
  EXPECT_EQ(parameter(readings[1], "concurrency"), "");
  EXPECT_EQ(parameter(readings[1], "prefill_tp_size"), "8");
  EXPECT_EQ(parameter(readings[1], "tp"), "");
  EXPECT_THAT(readings[0].expected, testing::Contains("output_tps"));
  EXPECT_EQ(
      error_of(text.substr(0, text.find("128; measured")) + "many,a,1,m,agg,1,1,1,1,,1,1\n",
               "s.csv"),
      "s.csv:2: 'silicon_data_source' 'db; silicon_concurrency=many': silicon_concurrency must be "
      "a whole number, at least 1");
}

TEST(Formats, AreNamedOnceAndRecogniseNothingElse) {
  std::set<std::string_view> names;
  for (const Format& format : formats()) {
    EXPECT_TRUE(names.insert(format.name).second);
    EXPECT_FALSE(format.marks.empty()) << format.name;
  }
  for (const char* text : {"", "{}", "[]", "a,b\n1,2\n", "hello", "{\"experiments\": []}"})
    EXPECT_EQ(format_of(text), "") << text;
  EXPECT_EQ(find_format("vllm-json"), recognise({"x", k_vllm}));
  EXPECT_EQ(find_format("nothing"), nullptr);
}

TEST(Formats, RefuseEveryPrefixOfAFileWithAMessageOrReadIt) {
  for (std::size_t size = 0; size < k_vllm.size(); ++size) {
    const std::string text(k_vllm.substr(0, size));
    for (const Format& format : formats()) {
      const auto readings = format.read({"cut", text});
      EXPECT_TRUE(readings.ok() || !readings.error().text().empty()) << format.name;
    }
  }
}

}  // namespace format_test
}  // namespace orch::imports
