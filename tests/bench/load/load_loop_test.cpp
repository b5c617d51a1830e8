// The timed loop: its stamps against the server's on the same clock, and how it handles unusual
// responses.
#include "bench/load/load_loop.hpp"

#include "bench/protocol/protocol.hpp"
#include "bench/protocol/triton_answers.hpp"
#include "bench/wire/exchange.hpp"

#include <gtest/gtest.h>

namespace orch::load {
namespace load_loop_test {

struct LoopFixture {
  explicit LoopFixture(truth::Script script) : server(std::move(script)) {
    const wire::Url url = *wire::parse_url(server.url());
    protocol = *protocol::make_protocol(
        "triton-http",
        {.url = url, .model = "m", .stream = true, .osl = 4, .forced_osl = true, .inputs = {}});
    endpoint = *wire::resolve(url);
  }

  LoadLoop loop() const {
    return LoadLoop({.reading = {.protocol = protocol.get()},
                     .endpoints = {endpoint},
                     .deadlines = {.timeout_ns = 20'000'000'000}});
  }

  std::vector<PreparedRequest> requests(int count, std::size_t bytes = 8) const {
    std::vector<PreparedRequest> out;
    for (int i = 0; i < count; ++i)
      out.push_back(
          {.bytes = protocol->request(
               {.text_input = std::to_string(i) + ":" + std::string(bytes, 'x'), .isl = {}}),
           .isl = bytes,
           .osl = 4});
    return out;
  }

  truth::Server server;
  std::unique_ptr<protocol::Protocol> protocol;
  wire::Endpoint endpoint;
};

// The index of the request that the server logged as SERVED.
std::size_t index_of(const truth::Served& served) {
  return std::stoul(served.request.body.substr(served.request.body.find(":\"") + 2));
}

TEST(LoadLoop, StampsSendsBeforeTheirArrivalAndTokensAfterTheirSend) {
  LoopFixture fixture(truth::always(truth::stream({.wait_ns = 200'000})));
  LoadLoop loop = fixture.loop();
  ASSERT_TRUE(loop.open(4).ok());
  const auto requests = fixture.requests(24);
  const auto phase = loop.run({.requests = requests, .concurrency = 4});
  ASSERT_TRUE(phase.ok());
  const auto log = fixture.server.log();
  ASSERT_EQ(log.size(), 24u);
  for (const truth::Served& truth : log) {
    const measure::RequestRecord& ours = phase->records[index_of(truth)];
    EXPECT_LE(ours.sent_ns, truth.arrived_ns);
    ASSERT_EQ(ours.event_ns.size(), truth.token_ns.size());
    for (std::size_t i = 0; i < truth.token_ns.size(); ++i)
      EXPECT_GE(ours.event_ns[i], truth.token_ns[i]) << "token " << i;
  }
}

TEST(LoadLoop, KeepsRecordsInTheOrderOfSending) {
  LoopFixture fixture(
      truth::except(0, truth::stream({.first_wait_ns = 5'000'000}), truth::stream()));
  LoadLoop loop = fixture.loop();
  ASSERT_TRUE(loop.open(3).ok());
  const auto requests = fixture.requests(9);
  const auto phase = loop.run({.requests = requests, .concurrency = 3});
  ASSERT_TRUE(phase.ok());
  for (std::size_t i = 0; i < 9; ++i) {
    EXPECT_EQ(phase->records[i].index, static_cast<std::int64_t>(i));
    if (i > 0) {
      EXPECT_GE(phase->records[i].sent_ns, phase->records[i - 1].sent_ns);
    }
  }
}

TEST(LoadLoop, SendsARequestLargerThanTheSocketBuffer) {
  LoopFixture fixture(truth::always(truth::stream()));
  LoadLoop loop = fixture.loop();
  ASSERT_TRUE(loop.open(2).ok());
  constexpr std::size_t k_bytes = 20'000'000;
  const auto requests = fixture.requests(2, k_bytes);
  const auto phase = loop.run({.requests = requests, .concurrency = 2});
  ASSERT_TRUE(phase.ok());
  for (const measure::RequestRecord& record : phase->records) EXPECT_EQ(record.error, "");
  for (const truth::Served& truth : fixture.server.log())
    EXPECT_GT(truth.request.body.size(), k_bytes);
}

TEST(LoadLoop, ReadsAnAnswerThatArrivesBeforeTheRequestIsSent) {
  // The head announces no body, so the server answers while most of the bytes are still unsent.
  LoopFixture fixture(truth::always(truth::stream()));
  LoadLoop loop = fixture.loop();
  ASSERT_TRUE(loop.open(1).ok());
  std::vector<PreparedRequest> requests;
  requests.push_back(
      {.bytes = "POST /x HTTP/1.1\r\nContent-Length: 0\r\n\r\n" + std::string(20'000'000, 'x'),
       .isl = {},
       .osl = 4});
  requests.push_back(std::move(fixture.requests(1)[0]));
  const auto phase = loop.run({.requests = requests, .concurrency = 1});
  ASSERT_TRUE(phase.ok());
  for (const measure::RequestRecord& record : phase->records) {
    EXPECT_EQ(record.error, "");
    EXPECT_EQ(record.event_ns.size(), 4u);
  }
  EXPECT_EQ(fixture.server.connections(), 2)
      << "the rest of the first request would be read as the second";
}

TEST(LoadLoop, DiscardsBytesAfterTheEndOfAnAnswer) {
  truth::Answer chatty = truth::at_once(truth::stream());
  chatty.pieces[0].bytes += "HTTP/1.1 500 Left over\r\nContent-Length: 0\r\n\r\n";
  LoopFixture fixture(truth::except(0, chatty, truth::stream()));
  LoadLoop loop = fixture.loop();
  ASSERT_TRUE(loop.open(1).ok());
  const auto requests = fixture.requests(3);
  const auto phase = loop.run({.requests = requests, .concurrency = 1});
  ASSERT_TRUE(phase.ok());
  for (const measure::RequestRecord& record : phase->records) EXPECT_EQ(record.error, "");
  EXPECT_EQ(fixture.server.connections(), 2);
}

TEST(LoadLoop, RunsSeveralPhasesOnTheSameConnections) {
  LoopFixture fixture(truth::always(truth::stream()));
  LoadLoop loop = fixture.loop();
  ASSERT_TRUE(loop.open(2).ok());
  const auto requests = fixture.requests(6);
  ASSERT_TRUE(loop.run({.requests = requests, .concurrency = 2}).ok());
  const auto second = loop.run({.requests = requests, .concurrency = 2});
  ASSERT_TRUE(second.ok());
  EXPECT_EQ(second->records.size(), 6u);
  EXPECT_EQ(second->client.connections_opened, 2);
  EXPECT_EQ(fixture.server.log().size(), 12u);
}

TEST(LoadLoop, MeasuresItsOwnLoad) {
  LoopFixture fixture(truth::always(truth::stream({.wait_ns = 3'000'000})));
  LoadLoop loop = fixture.loop();
  ASSERT_TRUE(loop.open(1).ok());
  const auto requests = fixture.requests(2);
  const auto phase = loop.run({.requests = requests, .concurrency = 1});
  ASSERT_TRUE(phase.ok());
  EXPECT_GT(phase->client.cpu_share.value_or(0), 0);
  EXPECT_LT(phase->client.cpu_share.value_or(1), 1) << "it mostly waits";
  EXPECT_GT(phase->client.wake_lag.count(), 0) << "the probe ran at least once in 18 ms";
  EXPECT_GE(phase->client.reads, 2);
  EXPECT_GT(phase->client.worst_turn_ns, 0);
}

// Uses CPU time for every event, more than a turn may take.
class SlowReader final : public protocol::Protocol {
 public:
  explicit SlowReader(const protocol::Protocol& real) : Protocol(real.traits()), real_(real) {}
  std::string request(std::span<const prompt::Prompt> prompts) const override {
    return real_.request(prompts);
  }
  protocol::EventKind read_event(std::string_view event,
                                 protocol::AnswerState& state) const override {
    for (const std::int64_t until_ns = wire::thread_cpu_ns() + k_event_ns;
         wire::thread_cpu_ns() < until_ns;) {
    }
    return real_.read_event(event, state);
  }
  std::string read_refusal(std::string_view body) const override {
    return real_.read_refusal(body);
  }
  std::int64_t osl(std::span<const prompt::Prompt> prompts) const override {
    return real_.osl(prompts);
  }
  std::string why_incomplete(const protocol::AnswerState& state) const override {
    return real_.why_incomplete(state);
  }
  const protocol::Stopper* stopper() const override { return real_.stopper(); }

  static constexpr std::int64_t k_event_ns = 10'000'000;

 private:
  const protocol::Protocol& real_;
};

TEST(LoadLoop, CpuShareIncludesReadingTheLastAnswers) {
  LoopFixture fixture(truth::always(truth::stream()));
  const SlowReader slow(*fixture.protocol);
  LoadLoop loop({.reading = {.protocol = &slow},
                 .endpoints = {fixture.endpoint},
                 .deadlines = {.timeout_ns = 20'000'000'000}});
  ASSERT_TRUE(loop.open(1).ok());
  const auto requests = fixture.requests(1);
  const auto phase = loop.run({.requests = requests, .concurrency = 1});
  ASSERT_TRUE(phase.ok());
  ASSERT_EQ(phase->records.at(0).event_ns.size(), 4u);
  EXPECT_GE(phase->client.cpu_share.value_or(0) * static_cast<double>(phase->wall_ns),
            4.0 * SlowReader::k_event_ns * 0.999);
  EXPECT_LE(phase->client.cpu_share.value_or(2), 1)
      << "the window includes the time of that reading";
}

TEST(LoadLoop, TalliesSentEndedAndFailedRequests) {
  LoopFixture fixture(truth::except(3, truth::body(503, R"({"error":"busy"})"), truth::stream()));
  LoadLoop loop = fixture.loop();
  ASSERT_TRUE(loop.open(2).ok());
  const auto requests = fixture.requests(12);
  Tally tally;
  ASSERT_TRUE(loop.run({.requests = requests, .concurrency = 2, .tally = &tally}).ok());
  EXPECT_EQ(tally.sent, 12);
  EXPECT_EQ(tally.ended, 12);
  EXPECT_EQ(tally.failed, 1);
}

TEST(LoadLoop, APhaseWithoutRequestsIsEmpty) {
  LoopFixture fixture(truth::always(truth::stream()));
  LoadLoop loop = fixture.loop();
  ASSERT_TRUE(loop.open(2).ok());
  const auto phase = loop.run({.requests = {}, .concurrency = 2});
  ASSERT_TRUE(phase.ok());
  EXPECT_TRUE(phase->records.empty());
}

}  // namespace load_loop_test
}  // namespace orch::load
