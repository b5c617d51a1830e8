// HTTP/1.1 against servers that close connections unexpectedly or send something else than a
// stream.
#include "bench/protocol/triton_answers.hpp"
#include "bench/wire/driver.hpp"
#include "bench/wire/grpc_truth_server.hpp"
#include "bench/wire/http_get.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace orch::wire {
namespace http_transport_test {

constexpr const char* k_post = "POST / HTTP/1.1\r\nContent-Length: 1\r\n\r\nq";
constexpr const char* k_speaks_http2 =
    "it speaks HTTP/2; if this is the gRPC port, use grpc://HOST:PORT and --protocol triton-grpc";

using truth::After;

// Answers request I by ANSWERS[I], and later ones by a stream of two tokens.
truth::Script in_turn(std::vector<truth::Answer> answers) {
  std::vector<std::shared_ptr<const truth::Answer>> shared;
  for (truth::Answer& answer : answers)
    shared.push_back(std::make_shared<const truth::Answer>(std::move(answer)));
  shared.push_back(std::make_shared<const truth::Answer>(truth::stream({.tokens = 2})));
  return [shared](const truth::Request& request) {
    return shared[std::min<std::size_t>(static_cast<std::size_t>(request.number),
                                        shared.size() - 1)];
  };
}

struct Wired {
  explicit Wired(truth::Script script, SlotId slots = 1)
      : server(std::move(script)), driver(server.url()) {
    EXPECT_TRUE(driver.open(slots).ok());
  }

  truth::Server server;
  Driver driver;
};

TEST(HttpTransport, ResendsARequestOnAConnectionThatWasClosedSilently) {
  for (const After end : {After::close, After::reset}) {
    Wired wired(in_turn({truth::stream(), {.pieces = {}, .after = end}}));
    EXPECT_EQ(wired.driver.exchange(0, k_post).status, 200);
    Exchange& again = wired.driver.exchange(0, k_post);
    EXPECT_EQ(again.error, "");
    EXPECT_EQ(events_of(again).size(), 2u);
    const auto log = wired.server.log();
    ASSERT_EQ(log.size(), 3u);
    EXPECT_LE(again.sent_ns, log[1].arrived_ns) << "the time counts from the first send";
    EXPECT_EQ(wired.server.connections(), 2);
    EXPECT_EQ(wired.driver.transport().counters().resent, 1);
  }
}

TEST(HttpTransport, GivesEachRequestANewConnectionWhenTheServerClosesAfterEachAnswer) {
  const truth::Answer closed{.pieces = {}, .after = After::close};
  Wired wired(in_turn({truth::stream(), closed, truth::stream(), closed, truth::stream(), closed}));
  for (int i = 0; i < 6; ++i) EXPECT_EQ(wired.driver.exchange(0, k_post).status, 200) << i;
  EXPECT_EQ(wired.driver.transport().counters().resent, 3);
  EXPECT_EQ(wired.server.connections(), 1 + 3 + 2);
}

TEST(HttpTransport, KeepsReusingConnectionsThatAreClosedSometimes) {
  const truth::Answer closed{.pieces = {}, .after = After::close};
  std::vector<truth::Answer> answers;
  for (int i = 0; i < 4; ++i)
    answers.insert(answers.end(), {truth::stream(), truth::stream(), closed});
  Wired wired(in_turn(answers));
  for (int i = 0; i < 14; ++i) EXPECT_EQ(wired.driver.exchange(0, k_post).status, 200) << i;
  EXPECT_EQ(wired.driver.transport().counters().resent, 4);
  EXPECT_EQ(wired.server.connections(), 1 + 4);
}

TEST(HttpTransport, KeepsReusingConnectionsThatWereAllClosedTogether) {
  constexpr int k_slots = 4;
  const truth::Answer closed{.pieces = {}, .after = After::close};
  std::vector<truth::Answer> answers(2 * k_slots, truth::stream());
  for (int i = 0; i < k_slots; ++i) answers.insert(answers.end(), {closed, truth::stream()});
  Wired wired(in_turn(answers), k_slots);
  for (SlotId i = 0; i < 6 * k_slots; ++i)
    EXPECT_EQ(wired.driver.exchange(i % k_slots, k_post).status, 200) << i;
  EXPECT_EQ(wired.driver.transport().counters().resent, k_slots);
  EXPECT_EQ(wired.server.connections(), 2 * k_slots);
}

TEST(HttpTransport, RechecksWhetherTheServerStillClosesAfterEachAnswer) {
  const truth::Answer closed{.pieces = {}, .after = After::close};
  Wired wired(in_turn({truth::stream(), closed, truth::stream(), closed, truth::stream(), closed}));
  for (int i = 0; i < 600; ++i) wired.driver.exchange(0, k_post);
  EXPECT_EQ(wired.driver.transport().counters().resent, 3);
  EXPECT_GT(wired.server.connections(), 200);
  EXPECT_LT(wired.server.connections(), 300);
}

TEST(HttpTransport, DoesNotResendARequestThatTheServerMayHaveProcessed) {
  Wired wired(
      in_turn({truth::stream(),
               {.pieces = {{.bytes = "", .wait_ns = 300'000'000}}, .after = After::reset}}));
  wired.driver.exchange(0, k_post);
  EXPECT_TRUE(wired.driver.exchange(0, k_post).lost_server);
  EXPECT_EQ(wired.server.log().size(), 2u);
  EXPECT_EQ(wired.driver.transport().counters().resent, 0);
}

TEST(HttpTransport, ResendsARequestOnlyOnce) {
  Wired wired(in_turn({truth::stream(),
                       {.pieces = {}, .after = After::close},
                       {.pieces = {}, .after = After::close}}));
  wired.driver.exchange(0, k_post);
  Exchange& again = wired.driver.exchange(0, k_post);
  EXPECT_TRUE(again.broken && again.lost_server);
  EXPECT_EQ(again.error, "the server closed the connection without an answer");
  EXPECT_EQ(wired.server.log().size(), 3u);
}

TEST(HttpTransport, SendsNoRequestOnAConnectionWithUnexpectedBytes) {
  truth::Answer twice = truth::stream();
  twice.pieces.push_back(truth::at_once(truth::stream({.tokens = 3})).pieces.front());
  Wired wired(in_turn({twice}));
  EXPECT_EQ(wired.driver.exchange(0, k_post).status, 200);
  // When the server answers another client, it has sent the second answer as well.
  ASSERT_TRUE(http_get(*parse_url(wired.server.url() + "/"), 5'000).ok());
  EXPECT_EQ(events_of(wired.driver.exchange(0, k_post)).size(), 2u);
  EXPECT_EQ(wired.driver.transport().counters().out_of_step, 1);
  EXPECT_EQ(wired.driver.transport().counters().resent, 0);
  EXPECT_EQ(wired.driver.transport().counters().connections_opened, 2);
}

TEST(HttpTransport, DoesNotResendARequestThatTheServerMayHaveReceived) {
  // The first request of its connection; and one whose answer had begun.
  Wired fresh(in_turn({{.pieces = {}, .after = After::close}}));
  EXPECT_TRUE(fresh.driver.exchange(0, k_post).lost_server);
  EXPECT_EQ(fresh.server.log().size(), 1u);
  Wired begun(in_turn({truth::stream(), {.pieces = {{.bytes = "H"}}, .after = After::close}}));
  begun.driver.exchange(0, k_post);
  EXPECT_TRUE(begun.driver.exchange(0, k_post).lost_server);
  EXPECT_EQ(begun.server.log().size(), 2u);
  EXPECT_EQ(begun.driver.transport().counters().resent, 0);
}

TEST(HttpTransport, KeepsABodyThatIsNotAStreamAsOneEvent) {
  Wired wired(truth::always(truth::body(200, "{\n \"error\": \"streams are off\"\n}")));
  Exchange& exchange = wired.driver.exchange(0, k_post);
  EXPECT_EQ(exchange.status, 200);
  EXPECT_TRUE(exchange.unstreamed);
  EXPECT_FALSE(exchange.broken);
  EXPECT_EQ(texts_of(exchange), std::vector<std::string>{"{\n \"error\": \"streams are off\"\n}"});
  EXPECT_EQ(wired.driver.exchange(0, k_post).status, 200);
  EXPECT_EQ(wired.server.connections(), 1);
}

TEST(HttpTransport, ReadsAnAnswerWithoutContentTypeAsAStream) {
  Wired wired(truth::always(truth::Answer{
      .pieces = {{.bytes = "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\ndata: a\n\n"}}}));
  Exchange& exchange = wired.driver.exchange(0, k_post);
  EXPECT_FALSE(exchange.unstreamed);
  EXPECT_EQ(texts_of(exchange), std::vector<std::string>{"a"});
}

TEST(HttpTransport, ReportsAServerThatSpeaksHttp2) {
  truth::GrpcServer server(truth::always(truth::GrpcAnswer{}));
  const std::string url = fmt::format("http://127.0.0.1:{}/x", server.port());
  const auto page = http_get(*parse_url(url), 5'000);
  ASSERT_FALSE(page.ok());
  EXPECT_EQ(page.error().message, fmt::format("{} did not answer: {}", url, k_speaks_http2));
  Driver driver(url);
  ASSERT_TRUE(driver.open(1).ok());
  Exchange& exchange = driver.exchange(0, k_post);
  EXPECT_TRUE(exchange.broken);
  EXPECT_EQ(exchange.error, k_speaks_http2);
}

}  // namespace http_transport_test
}  // namespace orch::wire
