// Triton's gRPC: requests as the protobuf library parses them, and the meaning of responses.
#include "bench/observe/model_statistics.hpp"
#include "bench/protocol/protocol.hpp"
#include "bench/protocol/triton_grpc_answers.hpp"
#include "bench/protocol/triton_model_query.hpp"
#include "bench/protocol/triton_protocol.hpp"
#include "bench/protocol/triton_value.hpp"

#include <gtest/gtest.h>

namespace orch::protocol {
namespace triton_grpc_test {

Result<ModelFacts> ask(std::string_view model, const std::string& url) {
  const wire::Url server = *wire::parse_url(url);
  return ask_model_grpc({.url = server, .protocol = "triton-grpc", .model = model, .access = {}});
}

ModelFacts facts(bool decoupled) {
  return {.name = "ensemble",
          .inputs = {{.name = "text_input", .datatype = "BYTES", .dims = {1}},
                     {.name = "max_tokens", .datatype = "INT32", .dims = {1}},
                     {.name = "min_length", .datatype = "INT32", .dims = {1}, .optional = true},
                     {.name = "temperature", .datatype = "FP32", .dims = {1}, .optional = true},
                     {.name = "stream", .datatype = "BOOL", .dims = {1}, .optional = true}},
          .max_batch_size = 8,
          .decoupled = decoupled};
}

ModelFacts ids_facts() {
  return {.name = "tensorrt_llm",
          .inputs = {{.name = "input_ids", .datatype = "INT32", .dims = {-1}},
                     {.name = "input_lengths", .datatype = "INT32", .dims = {1}},
                     {.name = "request_output_len", .datatype = "INT32", .dims = {1}},
                     {.name = "streaming", .datatype = "BOOL", .dims = {1}, .optional = true}},
          .max_batch_size = 8,
          .decoupled = true};
}

// The inputs of LMDeploy's turbomind that matter here.
ModelFacts turbomind() {
  return {
      .name = "turbomind",
      .inputs = {{.name = "input_ids", .datatype = "UINT32", .dims = {-1}},
                 {.name = "input_lengths", .datatype = "UINT32", .dims = {1}},
                 {.name = "request_output_len", .datatype = "UINT32", .dims = {-1}},
                 {.name = "bad_words_list", .datatype = "INT32", .dims = {2, -1}, .optional = true},
                 {.name = "CORRID", .datatype = "UINT64", .dims = {1}, .optional = true}},
      .max_batch_size = 1,
      .decoupled = true};
}

RequestShape shape(ModelFacts model = facts(true)) {
  RequestShape out{.url = *wire::parse_url("grpc://127.0.0.1:8001"),
                   .model = model.name,
                   .stream = true,
                   .osl = 16,
                   .forced_osl = true,
                   .inputs = {}};
  out.facts = std::move(model);
  return out;
}

std::unique_ptr<Protocol> protocol(RequestShape with = shape()) {
  auto made = make_protocol("triton-grpc", std::move(with));
  EXPECT_TRUE(made.ok()) << made.error().message;
  return std::move(*made);
}

inference::ModelInferRequest request_of(const Protocol& protocol,
                                        const std::vector<prompt::Prompt>& prompts) {
  inference::ModelInferRequest request;
  EXPECT_TRUE(request.ParseFromString(protocol.request(prompts)));
  return request;
}

std::map<std::string, std::pair<std::string, std::string>> tensors_of(
    const inference::ModelInferRequest& request) {
  std::map<std::string, std::pair<std::string, std::string>> out;
  EXPECT_EQ(request.inputs_size(), request.raw_input_contents_size());
  for (int i = 0; i < request.inputs_size(); ++i) {
    std::string type = request.inputs(i).datatype();
    for (const std::int64_t size : request.inputs(i).shape()) type += " " + std::to_string(size);
    out[request.inputs(i).name()] = {type, request.raw_input_contents(i)};
  }
  return out;
}

struct Read {
  EventKind kind;
  AnswerState state;
};

Read read(const std::string& message, RequestShape with = shape()) {
  Read out;
  out.kind = protocol(std::move(with))->read_event(message, out.state);
  return out;
}

TEST(TritonGrpc, WritesARequestThatProtobufParses) {
  const auto request = request_of(*protocol(), {{.text_input = "a", .isl = {}}});
  EXPECT_EQ(request.model_name(), "ensemble");
  EXPECT_TRUE(request.parameters().at("triton_enable_empty_final_response").bool_param());
  const auto sixteen = truth::raw_numbers(std::vector<std::int32_t>{16});
  const std::map<std::string, std::pair<std::string, std::string>> expected = {
      {"text_input", {"BYTES 1 1", truth::raw_text("a")}},
      {"max_tokens", {"INT32 1 1", sixteen}},
      {"min_length", {"INT32 1 1", sixteen}},
      {"stream", {"BOOL 1 1", "\1"}}};
  EXPECT_EQ(tensors_of(request), expected);
}

TEST(TritonGrpc, SendsABatchAsRowsAndIdsAsIds) {
  RequestShape two = shape();
  two.batch = 2;
  const auto texts = tensors_of(request_of(
      *protocol(two), {{.text_input = "one", .isl = {}}, {.text_input = "", .isl = {}, .osl = 3}}));
  EXPECT_EQ(texts.at("text_input"),
            std::pair(std::string("BYTES 2 1"), truth::raw_text("one") + truth::raw_text("")));
  EXPECT_EQ(
      texts.at("max_tokens"),
      std::pair(std::string("INT32 2 1"), truth::raw_numbers(std::vector<std::int32_t>{16, 3})));

  const auto ids = tensors_of(request_of(*protocol(shape(ids_facts())),
                                         {{.text_input = "", .ids = {7, -1, 70000}, .isl = 3}}));
  EXPECT_EQ(ids.at("input_ids"),
            std::pair(std::string("INT32 1 3"),
                      truth::raw_numbers(std::vector<std::int32_t>{7, -1, 70000})));
  EXPECT_EQ(ids.at("input_lengths"),
            std::pair(std::string("INT32 1 1"), truth::raw_numbers(std::vector<std::int32_t>{3})));
}

TEST(TritonGrpc, StreamsIfAndOnlyIfTheModelIsDecoupled) {
  const auto method = [](bool decoupled, bool stream) {
    RequestShape with = shape(facts(decoupled));
    with.stream = stream;
    const auto made = protocol(with);
    const auto request = request_of(*made, {{.text_input = "x", .isl = {}}});
    return std::pair(made->traits().wire.grpc_method,
                     request.parameters().contains("triton_enable_empty_final_response"));
  };
  const std::string one_response = "/inference.GRPCInferenceService/ModelInfer",
                    streamed_responses = "/inference.GRPCInferenceService/ModelStreamInfer";
  EXPECT_EQ(method(false, false), std::pair(one_response, false));
  EXPECT_EQ(method(true, false), std::pair(streamed_responses, true));
  EXPECT_EQ(method(true, true), std::pair(streamed_responses, true));
}

TEST(TritonGrpc, ReadsTheTextOfATokenEvenIfItIsEmpty) {
  EXPECT_EQ(read(truth::streamed(truth::text_response(" a\"\n"))).state.text, " a\"\n");
  EXPECT_EQ(read(truth::streamed(truth::text_response(" a"))).kind, EventKind::token);
  EXPECT_EQ(read(truth::streamed(truth::text_response(""))).kind, EventKind::token);
}

TEST(TritonGrpc, ReadsAnAnswerThatIsNotStreamed) {
  RequestShape unstreamed = shape(facts(false));
  unstreamed.stream = false;
  const Read one = read(truth::text_response("all of it").SerializeAsString(), unstreamed);
  EXPECT_EQ(one.kind, EventKind::token);
  EXPECT_EQ(one.state.text, "all of it");
}

TEST(TritonGrpc, CountsNoTokenInTheEmptyFinalResponse) {
  EXPECT_EQ(read(truth::streamed(truth::final_response())).kind, EventKind::other);
}

TEST(TritonGrpc, ReadsAFailureInsideTheStream) {
  inference::ModelStreamInferResponse message;
  message.set_error_message("in ensemble 'ensemble', Executor was shut down");
  const Read failed = read(message.SerializeAsString());
  EXPECT_EQ(failed.kind, EventKind::failure);
  EXPECT_EQ(failed.state.failure, "in ensemble 'ensemble', Executor was shut down");
}

TEST(TritonGrpc, ReportsInvalidMessagesAsMalformed) {
  const std::string good = truth::streamed(truth::text_response(" a"));
  EXPECT_EQ(read(good.substr(0, good.size() - 1)).kind, EventKind::malformed);
  EXPECT_EQ(read("{\"text_output\":\"a\"}").kind, EventKind::malformed);
  EXPECT_EQ(read("\x12#").state.malformed_reason, "it is not a valid ModelStreamInferResponse");
  inference::ModelInferResponse other = truth::infer_response();
  truth::add_output(other, "logits", "FP32", "\0\0\0\0");
  EXPECT_EQ(read(truth::streamed(other)).kind, EventKind::malformed)
      << "an answer without text or ids";
  EXPECT_EQ(read(truth::streamed(other)).state.malformed_reason,
            "it has neither text_output nor output_ids with contents, but 'logits' (FP32)");
  inference::ModelInferResponse cut = truth::infer_response();
  truth::add_output(cut, "text_output", "BYTES", truth::raw_text("abc").substr(0, 6));
  EXPECT_EQ(read(truth::streamed(cut)).kind, EventKind::malformed);
  EXPECT_EQ(read(truth::streamed(cut)).state.malformed_reason,
            "its output text_output (BYTES) is not a length-prefixed text");
}

TEST(TritonGrpc, CountsIdsUpToTheReportedSequenceLength) {
  inference::ModelInferResponse response = truth::infer_response();
  truth::add_output(response, "sequence_length", "INT32",
                    truth::raw_numbers(std::vector<std::int32_t>{2}));
  truth::add_output(response, "output_ids", "INT32",
                    truth::raw_numbers(std::vector<std::int32_t>{5, 6, 0, 0}));
  const Read two = read(truth::streamed(response), shape(ids_facts()));
  EXPECT_EQ(two.kind, EventKind::token);
  EXPECT_EQ(two.state.id_count, 2);
  EXPECT_EQ(two.state.text, "5 6") << "the answer is kept as its ids";
  EXPECT_EQ(two.state.first_event_tokens, 2);

  inference::ModelInferResponse none = truth::infer_response();
  truth::add_output(none, "output_ids", "INT32", "");
  EXPECT_EQ(read(truth::streamed(none), shape(ids_facts())).kind, EventKind::other);
}

// An event of LMDeploy's turbomind: the whole sequence so far, padded to the longest one.
std::string so_far(std::vector<std::uint32_t> ids) {
  inference::ModelInferResponse response = truth::infer_response();
  const std::vector<std::uint32_t> length{static_cast<std::uint32_t>(ids.size())};
  truth::add_output(response, "sequence_length", "UINT32", truth::raw_numbers(length));
  ids.resize(12, 9);
  truth::add_output(response, "output_ids", "UINT32", truth::raw_numbers(ids));
  return truth::streamed(response);
}

TEST(TritonGrpc, CountsTheNewIdsWhereEventsRepeatThePromptAndTheAnswer) {
  const auto made = protocol(shape(turbomind()));
  for (const std::optional<std::int64_t> prompt_ids : {std::optional<std::int64_t>(3), {}}) {
    AnswerState state;
    state.prompt_ids = prompt_ids;
    const auto read_next = [&](std::vector<std::uint32_t> ids) {
      const EventKind kind = made->read_event(so_far(std::move(ids)), state);
      state.started = state.started || kind == EventKind::token;
      return kind;
    };
    EXPECT_EQ(read_next({1, 2, 3, 4}), EventKind::token);
    EXPECT_EQ(state.first_event_tokens, 1);
    EXPECT_EQ(read_next({1, 2, 3, 4}), EventKind::other) << "nothing new";
    EXPECT_EQ(read_next({1, 2, 3, 4, 5, 6}), EventKind::token);
    EXPECT_EQ(state.id_count, 3);
    EXPECT_EQ(state.text, "4 5 6");
  }
}

TEST(TritonGrpc, SendsEachRequestOfTurbomindInASessionOfItsOwn) {
  RequestShape with = shape(turbomind());
  with.inputs = {{"bad_words_list", "[[2],[1]]"}};
  const auto made = protocol(with);
  EXPECT_TRUE(made->traits().forces_length) << "the end token is banned";
  EXPECT_FALSE(protocol(shape(turbomind()))->traits().forces_length);
  const prompt::Prompt prompt{.text_input = "x", .ids = {5, 6, 7}, .isl = 3};
  const auto first = request_of(*made, {prompt}), second = request_of(*made, {prompt});
  auto tensors = tensors_of(first);
  EXPECT_EQ(tensors["input_ids"].second, truth::raw_numbers(std::vector<std::uint32_t>{5, 6, 7}));
  EXPECT_EQ(tensors["input_lengths"].second, truth::raw_numbers(std::vector<std::uint32_t>{3}));
  EXPECT_EQ(tensors["request_output_len"].second,
            truth::raw_numbers(std::vector<std::uint32_t>{16}));
  EXPECT_EQ(tensors["bad_words_list"].second, truth::raw_numbers(std::vector<std::int32_t>{2, 1}));
  EXPECT_EQ(tensors["CORRID"].second.size(), sizeof(std::uint64_t));
  EXPECT_NE(tensors["CORRID"].second, tensors_of(second)["CORRID"].second);
}

TEST(TritonGrpc, ReadsServerTimesRelativeToTheArrival) {
  inference::ModelInferResponse response = truth::text_response(" a");
  const auto time = [](std::int64_t ns) {
    return truth::raw_numbers(std::vector<std::int64_t>{ns});
  };
  truth::add_output(response, "last_token_time_ns", "INT64", time(1'000'900));
  truth::add_output(response, "arrival_time_ns", "INT64", time(1'000'000));
  truth::add_output(response, "first_scheduled_time_ns", "INT64", time(1'000'010));
  truth::add_output(response, "first_token_time_ns", "INT64", time(1'000'200));
  const Read timed = read(truth::streamed(response));
  ASSERT_TRUE(timed.state.server_times);
  EXPECT_EQ(timed.state.server_times->scheduled_ns, 10);
  EXPECT_EQ(timed.state.server_times->first_token_ns, 200);
  EXPECT_EQ(timed.state.server_times->last_token_ns, 900);
  EXPECT_FALSE(read(truth::streamed(truth::text_response(" a"))).state.server_times);
}

TEST(TritonGrpc, KeepsLogProbabilitiesAndLogitsOnRequest) {
  const auto made = protocol();
  AnswerState kept, plain;
  kept.keeps_values = true;
  inference::ModelInferResponse response = truth::text_response(" a");
  truth::add_output(response, "output_log_probs", "FP32",
                    truth::raw_numbers(std::vector{-0.5f, -1.25f}));
  truth::add_output(response, "other", "FP32", truth::raw_numbers(std::vector{1.0f}));
  for (AnswerState* state : {&kept, &plain})
    EXPECT_EQ(made->read_event(truth::streamed(response), *state), EventKind::token);
  EXPECT_EQ(kept.values, R"({"output_log_probs":[-0.5,-1.25]})");
  EXPECT_EQ(plain.values, "");
}

TEST(TritonGrpc, KeepsTheTextsOfABatchApart) {
  RequestShape two = shape();
  two.batch = 2;
  const auto made = protocol(two);
  AnswerState state;
  for (const std::int32_t index : {1, 0, 1}) {
    inference::ModelInferResponse response = truth::text_response(" " + std::to_string(index));
    truth::add_output(response, "batch_index", "INT32", truth::raw_numbers(std::vector{index}));
    EXPECT_EQ(made->read_event(truth::streamed(response), state), EventKind::token);
  }
  EXPECT_EQ(state.text, " 0");
  EXPECT_EQ(state.text_of(1), " 1 1");
}

TEST(TritonRaw, WritesEveryDatatypeInItsSize) {
  const auto raw = [](std::string datatype, auto values) {
    return raw_contents(
        {.name = "x", .datatype = std::move(datatype), .shape = {}, .values = values});
  };
  using Integers = std::vector<std::int64_t>;
  using Reals = std::vector<double>;
  EXPECT_EQ(raw("BOOL", Integers{1, 0}), std::string("\1\0", 2));
  EXPECT_EQ(raw("INT16", Integers{-2}), "\xfe\xff");
  EXPECT_EQ(raw("UINT64", Integers{-1}), std::string(8, '\xff'));
  EXPECT_EQ(raw("FP32", Reals{1.5}), truth::raw_numbers(std::vector<float>{1.5f}));
  EXPECT_EQ(raw("FP64", Reals{0.1}), truth::raw_numbers(std::vector<double>{0.1}));
  const auto half = [&](double value) { return raw("FP16", Reals{value}); };
  const auto bits = [](int value) {
    return truth::raw_numbers(std::vector<std::uint16_t>{static_cast<std::uint16_t>(value)});
  };
  EXPECT_EQ(half(0), bits(0x0000));
  EXPECT_EQ(half(-2), bits(0xC000));
  EXPECT_EQ(half(65504), bits(0x7BFF));
  EXPECT_EQ(half(65519), bits(0x7BFF));
  EXPECT_EQ(half(65520), bits(0x7C00));
  EXPECT_EQ(half(0.1), bits(0x2E66));
  EXPECT_EQ(half(5.9604644775390625e-08), bits(0x0001)) << "the smallest";
  EXPECT_EQ(half(-6.103515625e-05), bits(0x8400)) << "the smallest normal";
  EXPECT_EQ(half(1 + 1.0 / 2048), bits(0x3C00)) << "a half goes to even";
  EXPECT_EQ(half(1 + 3.0 / 2048), bits(0x3C02));
  EXPECT_EQ(raw("BF16", Reals{1.0}), bits(0x3F80));
  EXPECT_EQ(raw("BF16", Reals{1 + 1.0 / 256}), bits(0x3F80));
  EXPECT_EQ(raw("BF16", Reals{1 + 3.0 / 256}), bits(0x3F82));
}

TEST(TritonRaw, ReadsIntegersOnlyWithinTheContents) {
  EXPECT_EQ(raw_integer(std::string("\xff\xff\xfe\xff", 4), "INT16", 1), -2);
  EXPECT_EQ(raw_integer(std::string("\xff\xff", 2), "UINT16", 0), 65535);
  EXPECT_EQ(raw_integer(std::string("\xff\xff\xff", 3), "INT16", 1), std::nullopt);
  EXPECT_EQ(raw_integer("x", "BYTES", 0), std::nullopt);
}

TEST(ProtoFields, StopsAtAnInvalidField) {
  const auto whole = [](std::string_view message) {
    ProtoFields fields(message);
    while (fields.next()) {
    }
    return fields.whole();
  };
  EXPECT_TRUE(whole(""));
  EXPECT_TRUE(whole(std::string_view("\x08\x96\x01\x12\x01x\x19\0\0\0\0\0\0\0\0\x25\0\0\0\0", 20)));
  EXPECT_FALSE(whole(std::string_view("\x00\x01", 2))) << "field 0";
  EXPECT_FALSE(whole("\x0b")) << "a group";
  EXPECT_FALSE(whole("\x12\x05x")) << "bytes that are cut short";
  EXPECT_FALSE(whole(std::string(11, '\xff'))) << "a number without end";
}

TEST(TritonAskGrpc, ReadsTheConfigurationOfAModel) {
  inference::ModelConfigResponse response;
  inference::ModelConfig& config = *response.mutable_config();
  config.set_name("ensemble");
  config.set_platform("ensemble");
  config.set_max_batch_size(4);
  config.mutable_model_transaction_policy()->set_decoupled(true);
  (*config.mutable_parameters())["accumulate_tokens"].set_string_value("True");
  auto& input = *config.add_input();
  input.set_name("top_k");
  input.set_data_type(inference::TYPE_INT32);
  input.add_dims(1);
  input.set_optional(true);
  auto& output = *config.add_output();
  output.set_name("text_output");
  output.set_data_type(inference::TYPE_STRING);
  output.add_dims(-1);
  truth::GrpcServer server(truth::always(
      truth::GrpcAnswer{.pieces = {{.bytes = truth::framed(response.SerializeAsString())}}}));

  const auto found = ask("ensemble", server.url());
  ASSERT_TRUE(found.ok()) << found.error().message;
  inference::ModelConfigRequest request;
  ASSERT_TRUE(request.ParseFromString(server.log().at(0).message()));
  EXPECT_EQ(request.name(), "ensemble");
  EXPECT_EQ(found->name, "ensemble");
  EXPECT_EQ(found->max_batch_size, 4);
  EXPECT_TRUE(found->decoupled && found->accumulates && found->ensemble);
  ASSERT_NE(found->input("top_k"), nullptr);
  EXPECT_EQ(found->input("top_k")->datatype, "INT32");
  EXPECT_EQ(found->input("top_k")->dims, std::vector<std::int64_t>{1});
  EXPECT_TRUE(found->input("top_k")->optional);
}

TEST(TritonAskGrpc, ReadsTheMetadataIfThereIsNoConfiguration) {
  truth::GrpcServer server([](const truth::GrpcServed& request) {
    const bool metadata = truth::method(request) == "ModelMetadata";
    return std::make_shared<const truth::GrpcAnswer>(
        metadata
            ? truth::GrpcAnswer{.pieces = {{.bytes = truth::framed(truth::ensemble_metadata())}}}
            : truth::GrpcAnswer{.pieces = {}, .status = 12, .message = "", .trailers_only = true});
  });
  const auto found = ask("ensemble", server.url());
  ASSERT_TRUE(found.ok()) << found.error().message;
  EXPECT_EQ(found->name, "ensemble");
  EXPECT_TRUE(found->ensemble && found->decoupled);
  ASSERT_EQ(found->inputs.size(), 4u);
  EXPECT_EQ(found->inputs[1].name, "max_tokens");
  EXPECT_EQ(found->inputs[1].datatype, "INT32");
  EXPECT_EQ(found->inputs[1].dims, std::vector<std::int64_t>{1}) << "without the batch dimension";
}

TEST(TritonAskGrpc, ReadsTheStatisticsOfModels) {
  inference::ModelStatisticsResponse response;
  inference::ModelStatistics& model = *response.add_model_stats();
  model.set_name("ensemble");
  model.set_version("1");
  model.set_inference_count(9);
  model.set_execution_count(3);
  std::uint64_t number = 10;
  inference::InferStatistics& stats = *model.mutable_inference_stats();
  for (inference::StatisticDuration* duration :
       {stats.mutable_success(), stats.mutable_fail(), stats.mutable_queue(),
        stats.mutable_compute_input(), stats.mutable_compute_infer(),
        stats.mutable_compute_output(), stats.mutable_cache_hit(), stats.mutable_cache_miss()}) {
    duration->set_count(number);
    duration->set_ns(number++ * 100);
  }
  response.add_model_stats()->set_name(std::string(observe::k_longest_model_name + 1, 'x'));
  truth::GrpcServer server(truth::always(
      truth::GrpcAnswer{.pieces = {{.bytes = truth::framed(response.SerializeAsString())}}}));

  const auto page = observe::read_statistics_grpc(*wire::parse_url(server.url()), {});
  ASSERT_TRUE(page.ok()) << page.error().message;
  const observe::StatisticsPage expected = {{.model = "ensemble",
                                             .version = "1",
                                             .inference_count = 9,
                                             .execution_count = 3,
                                             .success = {10, 1000},
                                             .fail = {11, 1100},
                                             .queue = {12, 1200},
                                             .compute_input = {13, 1300},
                                             .compute_infer = {14, 1400},
                                             .compute_output = {15, 1500},
                                             .cache_hit = {16, 1600},
                                             .cache_miss = {17, 1700}}};
  EXPECT_EQ(*page, expected);
  EXPECT_EQ(server.log().at(0).headers.at(":path"),
            "/inference.GRPCInferenceService/ModelStatistics");
}

TEST(TritonAskGrpc, ReportsTheErrorOfTheServer) {
  const auto error_of = [](truth::GrpcAnswer answer) {
    truth::GrpcServer server(truth::always(std::move(answer)));
    const auto found = ask("m", server.url());
    EXPECT_FALSE(found.ok());
    std::string message = found.error().message;
    const std::string name = fmt::format("127.0.0.1:{}", server.port());
    return std::pair(message.replace(message.find(name), name.size(), "SERVER"),
                     found.error().kind);
  };
  EXPECT_EQ(
      error_of({.pieces = {},
                .status = 5,
                .message = "Request for unknown model: 'm' is not found",
                .trailers_only = true}),
      std::pair(std::string("SERVER did not answer /inference.GRPCInferenceService/ModelConfig: "
                            "gRPC NOT_FOUND: Request for unknown model: 'm' is not found"),
                ErrorKind::invalid));
  for (const auto& [status, name] : {std::pair{7, "PERMISSION_DENIED"}, {16, "UNAUTHENTICATED"}})
    EXPECT_EQ(error_of({.pieces = {}, .status = status, .message = "no", .trailers_only = true}),
              std::pair(fmt::format("SERVER did not answer /inference.GRPCInferenceService/"
                                    "ModelConfig: gRPC {}: no; give a token with --token-file or "
                                    "--token-env",
                                    name),
                        ErrorKind::invalid));
  EXPECT_EQ(error_of({.pieces = {{.bytes = truth::framed("")}}}),
            std::pair(std::string("SERVER does not report the model's inputs: those of an ensemble "
                                  "are assumed, without checks"),
                      ErrorKind::not_found));
}

}  // namespace triton_grpc_test
}  // namespace orch::protocol
