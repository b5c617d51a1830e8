// The timed loop over gRPC: its stamps against the server's on the same clock, and requests that
// the client stops early.
#include "bench/load/load_loop.hpp"
#include "bench/protocol/protocol.hpp"
#include "bench/protocol/triton_grpc_answers.hpp"

#include <gtest/gtest.h>

namespace orch::load {
namespace load_loop_grpc_test {

struct LoopFixture {
  explicit LoopFixture(truth::GrpcScript script) : server(std::move(script)) {
    const wire::Url url = *wire::parse_url(server.url());
    protocol = *protocol::make_protocol(
        "triton-grpc",
        {.url = url, .model = "m", .stream = true, .osl = 4, .forced_osl = true, .inputs = {}});
    endpoint = *wire::resolve(url);
  }

  LoadLoop loop(std::int64_t stop_after_ns = 0) const {
    return LoadLoop({.reading = {.protocol = protocol.get()},
                     .endpoints = {endpoint},
                     .deadlines = {.timeout_ns = 20'000'000'000, .stop_after_ns = stop_after_ns}});
  }

  std::vector<PreparedRequest> requests(int count) const {
    std::vector<PreparedRequest> out;
    for (int i = 0; i < count; ++i)
      out.push_back({.bytes = protocol->request({.text_input = std::to_string(i), .isl = {}}),
                     .isl = 1,
                     .osl = 4});
    return out;
  }

  truth::GrpcServer server;
  std::unique_ptr<protocol::Protocol> protocol;
  wire::Endpoint endpoint;
};

// The index of the request that the server logged as SERVED.
std::size_t index_of(const truth::GrpcServed& served) {
  inference::ModelInferRequest request;
  EXPECT_TRUE(request.ParseFromString(served.message()));
  return std::stoul(request.raw_input_contents(0).substr(4));
}

TEST(GrpcLoop, StampsSendsBeforeTheirArrivalAndTokensAfterTheirSend) {
  LoopFixture fixture(truth::always(truth::grpc_stream(4, 0, 200'000)));
  LoadLoop loop = fixture.loop();
  ASSERT_TRUE(loop.open(4).ok());
  const auto requests = fixture.requests(24);
  const auto phase = loop.run({.requests = requests, .concurrency = 4});
  ASSERT_TRUE(phase.ok());
  const auto log = fixture.server.log();
  ASSERT_EQ(log.size(), 24u);
  for (const truth::GrpcServed& truth : log) {
    const measure::RequestRecord& ours = phase->records[index_of(truth)];
    EXPECT_EQ(ours.error, "");
    EXPECT_EQ(ours.status, 200);
    EXPECT_EQ(ours.answer, " t0 t1 t2 t3");
    EXPECT_LE(ours.sent_ns, truth.arrived_ns);
    ASSERT_EQ(ours.event_ns.size(), truth.token_ns.size());
    for (std::size_t i = 0; i < truth.token_ns.size(); ++i)
      EXPECT_GE(ours.event_ns[i], truth.token_ns[i]) << "token " << i;
    EXPECT_GE(ours.end_ns, ours.event_ns.back());
  }
  EXPECT_EQ(fixture.server.connections(), 4);
}

TEST(GrpcLoop, CancelsARequestThatIsStoppedEarly) {
  truth::GrpcAnswer silent = truth::grpc_stream(2);
  silent.pieces.pop_back();
  silent.end = truth::GrpcAnswer::End::silent;
  LoopFixture fixture(truth::always(silent));
  LoadLoop loop = fixture.loop(30'000'000);
  ASSERT_TRUE(loop.open(1).ok());
  const auto requests = fixture.requests(2);
  const auto phase = loop.run({.requests = requests, .concurrency = 1});
  ASSERT_TRUE(phase.ok());
  for (const measure::RequestRecord& record : phase->records) {
    EXPECT_EQ(record.error, "");
    EXPECT_TRUE(record.stopped);
    EXPECT_EQ(record.answer, " t0 t1");
    EXPECT_GE(record.end_ns - record.sent_ns, 30'000'000);
  }
  EXPECT_TRUE(fixture.server.log().at(0).cancelled);
  EXPECT_EQ(fixture.server.connections(), 1) << "cancelling a stream keeps its connection";
}

// The record of one request that the server answers with ANSWER.
measure::RequestRecord record_of(truth::GrpcAnswer answer) {
  LoopFixture fixture(truth::always(std::move(answer)));
  LoadLoop loop = fixture.loop();
  EXPECT_TRUE(loop.open(1).ok());
  const auto requests = fixture.requests(1);
  const auto phase = loop.run({.requests = requests, .concurrency = 1});
  EXPECT_TRUE(phase.ok());
  return phase->records.at(0);
}

TEST(GrpcLoop, ReadsAnAnswerOfManyMessages) {
  constexpr int k_tokens = 2000;
  const measure::RequestRecord record = record_of(truth::grpc_stream(k_tokens));
  EXPECT_EQ(record.error, "");
  EXPECT_EQ(record.event_ns.size(), static_cast<std::size_t>(k_tokens));
}

TEST(GrpcLoop, KeepsTokensBeforeAFailedStatus) {
  constexpr int k_tokens = 300;
  truth::GrpcAnswer answer = truth::grpc_stream(k_tokens);
  answer.status = 14;
  const measure::RequestRecord record = record_of(answer);
  EXPECT_EQ(record.error, "gRPC UNAVAILABLE without a message");
  EXPECT_EQ(record.event_ns.size(), static_cast<std::size_t>(k_tokens));
  EXPECT_EQ(record.osl_counted, k_tokens);
}

TEST(GrpcLoop, ReportsTheServersErrorAndThenItsStatus) {
  truth::GrpcAnswer answer = truth::grpc_stream(1);
  inference::ModelStreamInferResponse failed;
  failed.set_error_message("out of memory");
  answer.pieces.back() = {.bytes = truth::framed(failed.SerializeAsString())};
  answer.status = 13;
  answer.message = "stream failed";
  EXPECT_EQ(
      record_of(answer).error,
      "the server reported inside its answer: out of memory; then gRPC INTERNAL: stream failed");
}

}  // namespace load_loop_grpc_test
}  // namespace orch::load
