// Requests that a stop request with the same id ends, over both wires of Triton.
#include "bench/load/stop_requests.hpp"

#include "bench/load/bench_all.hpp"
#include "bench/protocol/protocol.hpp"
#include "bench/protocol/triton_answers.hpp"
#include "bench/protocol/triton_grpc_answers.hpp"
#include "bench/protocol/triton_value.hpp"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace orch::load {
namespace stop_requests_test {

using testing::Each;

// A request that the server received: its id, and its other inputs as "name=value ...".
struct ReceivedRequest {
  std::string id;
  std::string inputs;
};

// A server that answers a request only after the next one, its stop request, has arrived.
class StopFixture {
 public:
  virtual ~StopFixture() = default;
  virtual std::string protocol() const = 0;
  virtual std::string url() const = 0;
  virtual std::vector<ReceivedRequest> seen() const = 0;
};

struct Behaviour {
  int tokens = 2;  // per answer
  bool refuses_stops = false;
};

class HttpStopFixture final : public StopFixture {
 public:
  explicit HttpStopFixture(Behaviour behaviour)
      : server_(
            [behaviour](const truth::Request& request) {
              return std::make_shared<const truth::Answer>(answer(behaviour, request));
            },
            {.config = k_config}) {}
  std::string protocol() const override { return "triton-http"; }
  std::string url() const override { return server_.url(); }
  std::vector<ReceivedRequest> seen() const override {
    std::vector<ReceivedRequest> out;
    for (const truth::Served& served : server_.log()) {
      ReceivedRequest one;
      const auto body = nlohmann::ordered_json::parse(served.request.body);
      for (const auto& [name, value] : body.items()) {
        if (name == "id") one.id = value.get<std::string>();
        else
          one.inputs +=
              fmt::format("{}{}={}", one.inputs.empty() ? "" : " ", name,
                          value.is_boolean() ? std::to_string(value.get<bool>()) : value.dump());
      }
      out.push_back(std::move(one));
    }
    return out;
  }

 private:
  static truth::Answer answer(Behaviour behaviour, const truth::Request& request) {
    if (request.body.find("\"stop\":true") != std::string::npos) {
      if (behaviour.refuses_stops) return truth::body(400, R"({"error":"no such request"})");
      return {.pieces = {{.bytes = std::string(truth::k_stream_head) + "\r\n0\r\n\r\n"}}};
    }
    truth::Answer out{.pieces = {{.bytes = std::string(truth::k_stream_head) + "\r\n"}},
                      .after_requests = request.number + 2};
    for (int i = 0; i < behaviour.tokens; ++i)
      out.pieces.push_back({.bytes = truth::chunk("data: {\"output_ids\":[7]}\n\n"), .tokens = 1});
    out.pieces.push_back({.bytes = "0\r\n\r\n"});
    return out;
  }

  static inline const std::string k_config =
      R"({"name":"tensorrt_llm","max_batch_size":8,"input":[{"name":"input_ids","data_type":"TYPE_INT32","dims":[-1]},
    {"name":"input_lengths","data_type":"TYPE_INT32","dims":[1]},{"name":"request_output_len","data_type":"TYPE_INT32","dims":[1]},
    {"name":"streaming","data_type":"TYPE_BOOL","dims":[1],"optional":true},{"name":"stop","data_type":"TYPE_BOOL","dims":[1],"optional":true}],
    "model_transaction_policy":{"decoupled":true}})";
  truth::Server server_;
};

class GrpcStopFixture final : public StopFixture {
 public:
  explicit GrpcStopFixture(Behaviour behaviour)
      : server_([behaviour](const truth::GrpcServed& request) {
          return std::make_shared<const truth::GrpcAnswer>(answer(behaviour, request));
        }) {}
  std::string protocol() const override { return "triton-grpc"; }
  std::string url() const override { return server_.url(); }
  std::vector<ReceivedRequest> seen() const override {
    std::vector<ReceivedRequest> out;
    for (const truth::GrpcServed& served : truth::inferences(server_)) {
      const inference::ModelInferRequest request = read(served);
      ReceivedRequest one{.id = request.id(), .inputs = ""};
      for (int i = 0; i < request.inputs_size(); ++i) {
        const auto& input = request.inputs(i);
        one.inputs += fmt::format(
            "{}{}={}", i == 0 ? "" : " ", input.name(),
            protocol::raw_integer(request.raw_input_contents(i), input.datatype(), 0).value());
        EXPECT_EQ(input.shape_size(), 2);
      }
      out.push_back(std::move(one));
    }
    return out;
  }

 private:
  static inference::ModelInferRequest read(const truth::GrpcServed& served) {
    inference::ModelInferRequest request;
    EXPECT_TRUE(request.ParseFromString(served.message()));
    return request;
  }

  static truth::GrpcAnswer answer(Behaviour behaviour, const truth::GrpcServed& served) {
    if (truth::method(served) == "ModelConfig")
      return {.pieces = {{.bytes = truth::framed(config().SerializeAsString())}}};
    const inference::ModelInferRequest request = read(served);
    for (const auto& input : request.inputs()) {
      if (input.name() != "stop") continue;
      if (behaviour.refuses_stops)
        return {.pieces = {}, .status = 3, .message = "no such request", .trailers_only = true};
      return {.pieces = {{.bytes = truth::framed(truth::streamed(truth::final_response()))}}};
    }
    truth::GrpcAnswer out{.pieces = {}, .after_requests = served.number + 2};
    for (int i = 0; i < behaviour.tokens; ++i) {
      inference::ModelInferResponse response = truth::infer_response();
      truth::add_output(response, "output_ids", "INT32",
                        truth::raw_numbers(std::vector<std::int32_t>{7}));
      out.pieces.push_back({.bytes = truth::framed(truth::streamed(response)), .tokens = 1});
    }
    out.pieces.push_back({.bytes = truth::framed(truth::streamed(truth::final_response()))});
    return out;
  }

  static inference::ModelConfigResponse config() {
    inference::ModelConfigResponse response;
    inference::ModelConfig& config = *response.mutable_config();
    config.set_name("tensorrt_llm");
    config.set_max_batch_size(8);
    config.mutable_model_transaction_policy()->set_decoupled(true);
    for (const auto& [name, type, size] : {std::tuple{"input_ids", inference::TYPE_INT32, -1},
                                           {"input_lengths", inference::TYPE_INT32, 1},
                                           {"request_output_len", inference::TYPE_INT32, 1},
                                           {"streaming", inference::TYPE_BOOL, 1},
                                           {"stop", inference::TYPE_BOOL, 1}}) {
      auto& input = *config.add_input();
      input.set_name(name);
      input.set_data_type(type);
      input.add_dims(size);
      input.set_optional(input.data_type() == inference::TYPE_BOOL);
    }
    return response;
  }

  truth::GrpcServer server_;
};

using MakeFixture = std::unique_ptr<StopFixture> (*)(Behaviour);

class StoppedByRequest : public testing::TestWithParam<MakeFixture> {
 protected:
  record::Measurement measured(const StopFixture& fixture, std::int64_t requests = 3) const {
    BenchOptions with = one_at_a_time(fixture.url(), requests);
    with.protocol = fixture.protocol();
    with.model = "tensorrt_llm";
    with.stop_after_ms = 5;
    with.stop_by_request = true;
    with.reuse_prompts = true;
    with.eos = true;
    return bench_one(with, {.warmup = {},
                            .measured = {{.text_input = "", .ids = {5, 6}, .isl = 2},
                                         {.text_input = "", .ids = {8}, .isl = 1}}});
  }
};

TEST_P(StoppedByRequest, EndsWhenAStopRequestHasItsId) {
  const auto fixture = GetParam()({});
  const record::Measurement measurement = measured(*fixture);
  ASSERT_EQ(measurement.records.size(), 3u);
  for (const measure::RequestRecord& record : measurement.records) {
    EXPECT_EQ(record.error, "");
    EXPECT_TRUE(record.stopped);
    EXPECT_EQ(record.osl_counted, 2);
    EXPECT_GE(record.end_ns - record.sent_ns, 5'000'000);
  }
  EXPECT_THAT(measurement.verdict.warnings,
              testing::Contains("requests were stopped by stop requests; the server counts the "
                                "stop requests as requests of the model"));
  const std::vector<ReceivedRequest> seen = fixture->seen();
  ASSERT_EQ(seen.size(), 6u);
  std::set<std::string> ids;
  for (std::size_t i = 0; i < seen.size(); i += 2) {
    EXPECT_TRUE(seen[i].inputs.ends_with("request_output_len=4 streaming=1")) << seen[i].inputs;
    EXPECT_EQ(seen[i + 1].inputs, "input_ids=0 input_lengths=0 request_output_len=0 stop=1");
    EXPECT_EQ(seen[i + 1].id, seen[i].id);
    EXPECT_EQ(seen[i].id.size(), protocol::k_id_digits);
    EXPECT_NE(seen[i].id.find_first_not_of('0'), std::string::npos);
    ids.insert(seen[i].id);
  }
  EXPECT_EQ(ids.size(), 3u) << "a reused prompt gets a new id";
}

TEST_P(StoppedByRequest, IsNotStoppedIfItsAnswerIsComplete) {
  const auto fixture = GetParam()({.tokens = 4});
  const record::Measurement measurement = measured(*fixture);
  EXPECT_EQ(measurement.records.size(), 3u);
  for (const measure::RequestRecord& record : measurement.records) {
    EXPECT_EQ(record.error, "");
    EXPECT_FALSE(record.stopped);
    EXPECT_EQ(record.osl_counted, 4);
  }
}

TEST_P(StoppedByRequest, RunsOnWithAWarningIfItsStopRequestFails) {
  const auto fixture = GetParam()({.tokens = 4, .refuses_stops = true});
  const record::Measurement measurement = measured(*fixture);
  EXPECT_THAT(errors_of(measurement), Each(""));
  EXPECT_THAT(measurement.verdict.warnings, testing::Contains(testing::MatchesRegex(
                                                "3 of 3 stop requests failed, the first: (HTTP "
                                                "400|gRPC INVALID_ARGUMENT): no such request")));
}

INSTANTIATE_TEST_SUITE_P(Wires, StoppedByRequest,
                         testing::Values(
                             [](Behaviour behaviour) -> std::unique_ptr<StopFixture> {
                               return std::make_unique<HttpStopFixture>(behaviour);
                             },
                             [](Behaviour behaviour) -> std::unique_ptr<StopFixture> {
                               return std::make_unique<GrpcStopFixture>(behaviour);
                             }),
                         [](const auto& each) { return each.index == 0 ? "Http" : "Grpc"; });

std::string refusal(const std::string& protocol, double stop_after_ms) {
  truth::Server server(truth::always(truth::stream()));
  BenchOptions with = one_at_a_time(server.url(), 1);
  with.protocol = protocol;
  with.stop_after_ms = stop_after_ms;
  with.stop_by_request = true;
  const auto result = bench_all(with, {.warmup = {}, .measured = {{.text_input = "p", .isl = 3}}});
  EXPECT_TRUE(server.log().empty());
  return result.ok() ? "accepted" : result.error().message;
}

TEST(StopRequests, NeedAModelWithAStopInput) {
  for (const char* protocol : {"triton-http", "openai-chat"})
    EXPECT_EQ(refusal(protocol, 5),
              "--stop-by request needs a model with the input stop, which ensemble is not known to "
              "have; give --stop-by close");
  EXPECT_EQ(refusal("triton-http", 0),
            "--stop-by request has no effect without --stop-after-ms; give both");
}

struct StopRequestsFixture {
  explicit StopRequestsFixture(truth::Script script) : server(std::move(script)) {
    const wire::Url url = *wire::parse_url(server.url());
    protocol::ModelFacts facts = protocol::usual_ensemble("m");
    facts.inputs.push_back({.name = "stop", .datatype = "BOOL", .dims = {1}, .optional = true});
    protocol = *protocol::make_protocol(
        "triton-http", {.url = url, .model = "m", .stoppable = true, .facts = facts, .inputs = {}});
    endpoint = *wire::resolve(url);
  }
  StopRequests::Options options(std::int64_t timeout_ns) const {
    return {.protocol = protocol.get(), .endpoints = {endpoint}, .timeout_ns = timeout_ns};
  }

  truth::Server server;
  std::unique_ptr<protocol::Protocol> protocol;
  wire::Endpoint endpoint;
};

TEST(StopRequests, TimeOutWithoutAnAnswer) {
  StopRequestsFixture fixture(truth::always({.pieces = {}, .after = truth::After::silent}));
  StopRequests stops(fixture.options(50'000'000));
  for (std::uint64_t id = 1; id <= 3; ++id) stops.ask(0, id);
  const StopRequests::Outcome outcome = stops.end();
  EXPECT_EQ(outcome.asked, 3);
  EXPECT_EQ(outcome.failed, 3);
  EXPECT_EQ(outcome.first_failure, "no answer within 0.05 s");
}

TEST(StopRequests, FailOnEndlessAnswers) {
  truth::Answer answer =
      truth::stream({.tokens = 1, .whole = false, .after = truth::After::silent});
  for (int i = 0; i < 2'000; ++i)
    answer.pieces.push_back({.bytes = truth::chunk("data: " + std::string(1'000, 'x') + "\n\n")});
  StopRequestsFixture fixture(truth::always(truth::at_once(answer)));
  StopRequests stops(fixture.options(20'000'000'000));
  stops.ask(0, 1);
  const StopRequests::Outcome outcome = stops.end();
  EXPECT_EQ(outcome.failed, 1);
  EXPECT_THAT(outcome.first_failure, testing::EndsWith("its answer is longer than 1 MiB"));
}

TEST(StopRequests, AboveTheLimitWaitForAnswersToOthers) {
  constexpr int k_total = 1000;
  constexpr int k_limit = 256;
  truth::Answer answer = truth::stream();
  answer.after_requests = k_limit;
  StopRequestsFixture fixture(truth::always(answer));
  StopRequests stops(fixture.options(20'000'000'000));
  for (std::uint64_t id = 1; id <= k_total; ++id) stops.ask(0, id);
  const StopRequests::Outcome outcome = stops.end();
  EXPECT_EQ(outcome.asked, k_total);
  EXPECT_EQ(fixture.server.log().size(), static_cast<std::size_t>(k_total));
  EXPECT_EQ(outcome.failed, 0) << outcome.first_failure;
  EXPECT_EQ(fixture.server.connections(), k_limit);
}

TEST(StopRequests, SendNothingWithoutACallToAsk) {
  StopRequestsFixture fixture(truth::always(truth::stream()));
  StopRequests stops(fixture.options(1'000'000));
  EXPECT_EQ(stops.end().asked, 0);
  EXPECT_TRUE(fixture.server.log().empty());
}

}  // namespace stop_requests_test
}  // namespace orch::load
