// perf_analyzer's CSV, printed text and raw export; Model Analyzer's table.
#include "results/imports/reading_of.hpp"

namespace orch::imports {
namespace perf_analyzer_test {

constexpr std::string_view k_csv =
    "Concurrency,Inferences/Second,Response Throughput,Client Send,Network+Server Send/Recv,"
    "Server Queue,Server Compute Input,Server Compute Infer,Server Compute Output,Client Recv,"
    "p50 latency,p90 latency,p95 latency,p99 latency,Avg latency,request/response,response wait,"
    "Avg GPU Utilization,Avg GPU Power Usage,Max GPU Memory Usage,Total GPU Memory\n"
    "1,6.23815,199.621,0,125309,5,1545,20278,12177,0,149901,207621,211691,221990,159316,0,0,"
    "GPU-1:0.5;,,,\n"
    "4,12.7188,407.001,0,260632,6,1921,30280,14842,0,305178,402321,412021,425099,307684,0,0,,,,\n";

TEST(PerfAnalyzer, CsvIsAMeasurementPerLoad) {
  EXPECT_EQ(format_of(k_csv), "perf-analyzer-csv");
  const auto readings = read(k_csv, "report.csv");
  ASSERT_EQ(readings.size(), 2u);
  EXPECT_EQ(parameter(readings[1], "concurrency"), "4");
  EXPECT_EQ(figure(readings[1], "requests_per_s"), 12.7188);
  EXPECT_EQ(figure(readings[1], "perf_analyzer_responses_per_s"), 407.001);
  EXPECT_NEAR(figure(readings[1], "request_latency_ms"), 307.684, 1e-9);
  EXPECT_NEAR(figure(readings[0], "request_latency_ms", "p99"), 221.990, 1e-9);
  EXPECT_EQ(figure(readings[0], "perf_analyzer_network_server_send_recv_us"), 125309);
  EXPECT_EQ(figure(readings[0], "perf_analyzer_server_compute_infer_us"), 20278);
  EXPECT_THAT(readings[0].expected, testing::Contains("ttft_ms"));
}

TEST(PerfAnalyzer, CsvOfAComposingModelHasItsTimes) {
  const std::string text =
      "Concurrency,Inferences/Second,Client Send,Network+Server Send/Recv,Server Queue,"
      "Server Compute Input,Server Compute Infer,Server Compute Output,Client Recv\n"
      "4,13.1162,0,4,1299,83,5773,7,0\n";
  const Reading reading = read(text, "run/tensorrt_llm_v1.report.csv").at(0);
  EXPECT_TRUE(reading.figures.empty());
  ASSERT_EQ(reading.models.size(), 1u);
  EXPECT_EQ(reading.models[0].model, "tensorrt_llm");
  EXPECT_EQ(reading.models[0].version, "1");
  EXPECT_NEAR(*reading.models[0].queue_ms, 1.299, 1e-9);
  EXPECT_NEAR(*reading.models[0].compute_infer_ms, 5.773, 1e-9);
  EXPECT_NEAR(*reading.models[0].request_ms, 7.166, 1e-9);
}

TEST(PerfAnalyzer, CsvErrorsNameLineColumnAndValue) {
  const auto with = [](std::string_view from, std::string_view to) {
    std::string text(k_csv);
    text.replace(text.find(from), from.size(), to);
    return error_of(text, "report.csv");
  };
  EXPECT_EQ(with("12.7188", "fast"),
            "report.csv:3: 'Inferences/Second' 'fast': a number is needed here");
  EXPECT_EQ(with("\n4,12", "\n0,12"),
            "report.csv:3: 'Concurrency' '0': a number of requests, at least 1, is needed here");
  EXPECT_EQ(with("12.7188", "nan"),
            "report.csv:3: 'Inferences/Second' 'nan': a number is needed here");
  EXPECT_EQ(
      with("425099,307684", "425099"),
      "report.csv:3: the row has 20 cells but the header in line 1 has 21; the file was cut off "
      "or edited: export it again");
  EXPECT_EQ(with("Client Recv", "Server Queue"),
            "report.csv:1: two columns are called 'Server Queue'; rename one");
}

constexpr std::string_view k_text = R"(*** Measurement Settings ***
  Batch size: 1
Request concurrency: 6
  Pass [1] throughput: 33.8321 infer/sec. Avg latency: 176620 usec (std 60100 usec).
  Client:
    Request count: 1207
    Throughput: 33.5238 infer/sec
    Response Throughput: 38.7177 infer/sec
    Avg client overhead: 0.01%
    Avg latency: 178229 usec (standard deviation 58760 usec)
    p50 latency: 177093 usec
    p99 latency: 543558 usec

  Server:
    Inference count: 1207
    Avg request latency: 177344 usec (overhead 29 usec + queue 1368 usec + compute 175947 usec)

  Composing models:
  postprocessing, version: 1
      Inference count: 1394
      Execution count: 1390
      Successful request count: 1393
      Avg request latency: 721 usec (overhead 3 usec + queue 481 usec + compute input 24 usec + compute infer 156 usec + compute output 56 usec)

  tensorrt_llm, version: 1
      Successful request count: 1207
      Avg request latency: 175090 usec (overhead 1 usec + queue 49 usec + compute input 22 usec + compute infer 174927 usec + compute output 89 usec)

Request concurrency: 7
  Client:
    Throughput: 33.7738 infer/sec

Request concurrency: 8
  Pass [1] throughput: 33.9156 infer/sec. Avg latency: 236511 usec (std 84874 usec).
Inferences/Second vs. Client Average Batch Latency
)";

TEST(PerfAnalyzer, TextHasTheComposingModels) {
  EXPECT_EQ(format_of(k_text), "perf-analyzer-text");
  const auto readings = read(k_text);
  ASSERT_EQ(readings.size(), 2u) << "a load without a report has not been measured";
  EXPECT_EQ(parameter(readings[0], "concurrency"), "6");
  EXPECT_EQ(figure(readings[0], "requests_per_s"), 33.5238);
  EXPECT_EQ(figure(readings[0], "perf_analyzer_request_count"), 1207);
  EXPECT_NEAR(figure(readings[0], "request_latency_ms"), 178.229, 1e-9);
  EXPECT_NEAR(figure(readings[0], "request_latency_ms", "sd"), 58.760, 1e-9);
  EXPECT_NEAR(figure(readings[0], "request_latency_ms", "p99"), 543.558, 1e-9);
  EXPECT_EQ(figure(readings[0], "perf_analyzer_server_queue_us"), 1368);
  EXPECT_EQ(figure(readings[0], "perf_analyzer_server_compute_us"), 175947);
  ASSERT_EQ(readings[0].models.size(), 2u);
  const observe::ModelTimes& model = readings[0].models[0];
  EXPECT_EQ(model.model, "postprocessing");
  EXPECT_EQ(model.requests, 1393u);
  EXPECT_EQ(model.inferences, 1394u);
  EXPECT_EQ(model.executions, 1390u);
  EXPECT_NEAR(*model.queue_ms, 0.481, 1e-9);
  EXPECT_NEAR(*model.compute_output_ms, 0.056, 1e-9);
  EXPECT_NEAR(*readings[0].models[1].compute_infer_ms, 174.927, 1e-9);
  EXPECT_EQ(figure(readings[1], "requests_per_s"), 33.7738);
  EXPECT_THAT(error_of("*** Measurement Settings ***\nRequest concurrency: 1\n", "log"),
              testing::StartsWith("log: no load has a 'Client:' report"));
}

constexpr std::string_view k_export =
    R"({"experiments": [{"experiment": {"mode": "concurrency", "value": 2},
 "requests": [
  {"timestamp": 2000000000, "request_inputs": {"text_input": "b"},
   "response_timestamps": [2010000000, 2020000000, 2040000000],
   "response_outputs": [{"text_output": "x"}, {"text_output": ""}, {"text_output": "z"}]},
  {"timestamp": 1000000000, "request_inputs": {"text_input": "a"},
   "response_timestamps": [1005000000], "response_outputs": [{"text_output": "y"}]}],
 "window_boundaries": [1000000000, 3000000000]}],
 "version": "2.51.0", "service_kind": "triton", "endpoint": ""})";

TEST(PerfAnalyzer, ExportBecomesRequestsInTheOrderOfTheirSends) {
  EXPECT_EQ(format_of(k_export), "profile-export");
  const Reading reading = read(k_export).at(0);
  EXPECT_EQ(reading.tool_version, "2.51.0");
  EXPECT_EQ(parameter(reading, "concurrency"), "2");
  const KeptRequests& kept = reading.requests;
  ASSERT_EQ(kept.records.size(), 2u);
  EXPECT_TRUE(kept.streamed);
  EXPECT_EQ(kept.wall_start_ns, 1000000000);
  EXPECT_EQ(kept.texts[0].prompt, "a");
  EXPECT_EQ(kept.texts[1].answer, "xz");
  EXPECT_THAT(kept.records[1].event_ns, testing::ElementsAre(1010000000, 1020000000, 1040000000));
  EXPECT_EQ(kept.records[1].end_ns, 1040000000);
  // By perf_analyzer's formulas: over its windows, and at the rounded rank.
  EXPECT_EQ(figure(reading, "requests_per_s"), 1);
  EXPECT_NEAR(figure(reading, "request_latency_ms"), 22.5, 1e-9);
  EXPECT_NEAR(figure(reading, "request_latency_ms", "p50"), 40, 1e-9);
}

TEST(PerfAnalyzer, AnEmptyResponseBeyondTheTokensAskedForEndsTheAnswerAndIsNoToken) {
  const auto events = [](std::string_view asked) {
    const std::string text = fmt::format(
        R"({{"service_kind": "triton", "endpoint": "", "experiments": [{{"experiment":
           {{"mode": "concurrency", "value": 1}}, "requests": [{{"timestamp": 1000,
           "request_inputs": {{"text_input": "a", "max_tokens": {}}},
           "response_timestamps": [2000, 3000, 5000],
           "response_outputs": [{{"text_output": "x"}}, {{"text_output": "y"}},
                                {{"text_output": ""}}]}}],
           "window_boundaries": [0, 1000000000]}}]}})",
        asked);
    const Reading reading = read(text).at(0);
    EXPECT_EQ(reading.requests.records[0].end_ns, reading.requests.records[0].sent_ns + 4000);
    return std::pair(reading.requests.records[0].event_ns.size(),
                     figure(reading, "request_latency_ms"));
  };
  // The report of perf_analyzer leaves out such an end, too.
  EXPECT_EQ(events("2"), std::pair(std::size_t{2}, 0.002));
  EXPECT_EQ(events("3"), std::pair(std::size_t{3}, 0.004)) << "part of a character may be empty";
}

TEST(PerfAnalyzer, ExportOfAnOpenAiServerHasTheTextsOfItsEvents) {
  const std::string text =
      R"({"experiments": [{"experiment": {"mode": "request_rate", "value": 1.5}, "requests": [)"
      R"({"timestamp": 10, "request_inputs": {"payload": "{\"messages\":[{\"content\":\"hi\"}]}"},)"
      R"("response_timestamps": [20, 30, 40, 50], "response_outputs": [)"
      R"({"response": "data: {\"choices\":[{\"delta\":{\"role\":\"a\",\"content\":\"\"}}]}\n\n"},)"
      R"({"response": "data: {\"choices\":[{\"delta\":{\"content\":\"A\"}}]}\n\ndata: {\"choices\":[{\"delta\":{\"content\":\"B\"}}]}\n\n"},)"
      R"({"response": "data: {\"choices\":[{\"text\":\"C\"}]}\n\n"}, {"response": "data: [DONE]\n\n"}]}],)"
      R"("window_boundaries": []}], "version": "x", "service_kind": "openai", "endpoint": "v1"})";
  const Reading reading = read(text).at(0);
  EXPECT_EQ(parameter(reading, "request_rate"), "1.5");
  ASSERT_EQ(reading.requests.records.size(), 1u);
  EXPECT_THAT(reading.requests.records[0].event_ns, testing::ElementsAre(20, 30))
      << "events without content carry no token; times count from the first send";
  EXPECT_EQ(reading.requests.texts[0].answer, "ABC");
  EXPECT_EQ(reading.requests.texts[0].prompt, "hi");
}

TEST(PerfAnalyzer, ExportErrorsNameTheField) {
  const auto with = [](std::string_view from, std::string_view to) {
    std::string text(k_export);
    text.replace(text.find(from), from.size(), to);
    return error_of(text, "e.json");
  };
  EXPECT_EQ(with("2020000000", "1"),
            "e.json: experiments[0].requests[0].response_timestamps '[2010000000,1,2040000000]': a "
            "response is earlier than the one before it, or than its request");
  EXPECT_THAT(with(", {\"text_output\": \"z\"}", ""),
              testing::HasSubstr("2 outputs for 3 time stamps"));
  EXPECT_EQ(with("\"concurrency\"", "\"users\""),
            "e.json: experiments[0].experiment.mode 'users': 'concurrency' or 'request_rate' is "
            "needed here");
  EXPECT_EQ(with("\"timestamp\": 2000000000", "\"timestamp\": -5"),
            "e.json: experiments[0].requests[0].timestamp '-5': a whole number from 0 to "
            "9223372036854775807 is needed here");
}

TEST(ModelAnalyzer, TableHasARowPerModelAndLoad) {
  const std::string text =
      "Model,Batch,Concurrency,Request Rate,Model Config Path,Instance Group,Max Batch Size,"
      "Satisfies Constraints,Throughput (infer/sec),p99 Latency (ms)\n"
      "ensemble,1,4,None,ensemble_config_default,1:CPU,8,Yes,12.5,430.25\n";
  EXPECT_EQ(format_of(text), "model-analyzer-csv");
  const Reading reading = read(text).at(0);
  EXPECT_EQ(parameter(reading, "model"), "ensemble");
  EXPECT_EQ(parameter(reading, "concurrency"), "4");
  EXPECT_FALSE(reading.parameters.contains("request_rate"));
  EXPECT_EQ(figure(reading, "requests_per_s"), 12.5);
  EXPECT_EQ(figure(reading, "request_latency_ms", "p99"), 430.25);
}

}  // namespace perf_analyzer_test
}  // namespace orch::imports
