// gRPC over HTTP/2 against a server that ends and splits its answers in every permitted way.
#include "bench/wire/grpc_transport.hpp"

#include "bench/wire/driver.hpp"
#include "bench/wire/grpc_truth_server.hpp"
#include "bench/wire/http_get.hpp"
#include "fakes/truth_server.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace orch::wire {
namespace grpc_transport_test {

using End = truth::GrpcAnswer::End;

constexpr const char* k_method = "/inference.GRPCInferenceService/ModelStreamInfer";

truth::GrpcAnswer words(const std::vector<std::string>& messages, End end = End::trailers) {
  truth::GrpcAnswer out;
  for (const std::string& message : messages)
    out.pieces.push_back({.bytes = truth::framed(message), .tokens = 1});
  out.end = end;
  return out;
}

// Answers the first request by FIRST and all others by REST.
truth::GrpcScript first_then(truth::GrpcAnswer first, truth::GrpcAnswer rest) {
  return [a = std::make_shared<const truth::GrpcAnswer>(std::move(first)),
          b = std::make_shared<const truth::GrpcAnswer>(std::move(rest))](
             const truth::GrpcServed& request) { return request.number == 0 ? a : b; };
}

struct Wired {
  explicit Wired(truth::GrpcScript script, truth::GrpcServer::Options options = {},
                 SlotId slots = 1)
      : server(std::move(script), options), driver(server.url(), k_method) {
    EXPECT_TRUE(driver.open(slots).ok());
  }
  std::string name() const { return fmt::format("127.0.0.1:{}", server.port()); }

  truth::GrpcServer server;
  Driver driver;
};

TEST(GrpcTransport, RejectsAnAnswerWithAnotherHttpStatus) {
  truth::GrpcServer server(
      truth::always(truth::GrpcAnswer{.pieces = {}, .http_status = "503", .trailers_only = true}));
  Driver driver(server.url(), "/p.S/M");
  ASSERT_TRUE(driver.open(1).ok());
  Exchange& rejected = driver.exchange(0, "q");
  EXPECT_EQ(rejected.status, 503);
  EXPECT_EQ(rejected.error, "HTTP 503 in place of a gRPC answer");
  truth::GrpcServer refusing(truth::always(truth::GrpcAnswer{
      .pieces = {}, .status = 14, .message = "busy", .http_status = "503", .trailers_only = true}));
  Driver other(refusing.url(), "/p.S/M");
  ASSERT_TRUE(other.open(1).ok());
  EXPECT_EQ(other.exchange(0, "q").error,
            "HTTP 503 in place of a gRPC answer; gRPC UNAVAILABLE: busy");
}

TEST(GrpcCall, RedactsTheToken) {
  truth::GrpcServer server(truth::always(
      truth::GrpcAnswer{.pieces = {}, .status = 16, .message = "bad Bearer s3cr3t-t0ken"}));
  const auto answer = grpc_call(*parse_url(server.url()), "/p.S/M", "", 5'000,
                                {.authorization = "Bearer s3cr3t-t0ken"});
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.error().message,
            fmt::format("127.0.0.1:{} did not answer /p.S/M: gRPC UNAUTHENTICATED: bad Bearer ***",
                        server.port()));
}

TEST(GrpcTransport, SendsOneMessageWithTheHeadersOfGrpc) {
  truth::GrpcServer server(truth::always(words({"a"})));
  Driver driver(server.url(), k_method, true,
                {.authorization = "Bearer secret", .headers = {"X-Tenant: a b"}});
  ASSERT_TRUE(driver.open(1).ok());
  EXPECT_EQ(driver.exchange(0, "the request").status, 200);
  const truth::GrpcServed served = server.log().at(0);
  EXPECT_EQ(served.body, truth::framed("the request"));
  const std::map<std::string, std::string> expected = {
      {":method", "POST"},
      {":scheme", "http"},
      {":path", k_method},
      {":authority", fmt::format("127.0.0.1:{}", server.port())},
      {"te", "trailers"},
      {"content-type", "application/grpc"},
      {"user-agent", "orchestrate"},
      {"authorization", "Bearer secret"},
      {"x-tenant", "a b"}};
  EXPECT_EQ(served.headers, expected);
}

TEST(GrpcTransport, SendsNoAuthorizationWithoutAToken) {
  Wired wired(truth::always(words({"a"})));
  wired.driver.exchange(0, "x");
  EXPECT_FALSE(wired.server.log().at(0).headers.contains("authorization"));
}

TEST(GrpcTransport, FindsSeveralMessagesInOneFrame) {
  truth::GrpcAnswer answer;
  answer.pieces.push_back({.bytes = truth::framed("a") + truth::framed("") + truth::framed("c") +
                                    truth::framed("d").substr(0, 4),
                           .tokens = 3});
  answer.pieces.push_back(
      {.bytes = truth::framed("d").substr(4), .wait_ns = 30'000'000, .tokens = 1});
  Wired wired(truth::always(answer));
  const auto events = events_of(wired.driver.exchange(0, "x"));
  ASSERT_EQ(events.size(), 4u);
  EXPECT_EQ(events[1].data, "");
  EXPECT_TRUE(events[1].coalesced && events[2].coalesced);
  EXPECT_EQ(events[0].ns, events[2].ns);
  EXPECT_EQ(events[3].data, "d");
  EXPECT_FALSE(events[0].coalesced || events[3].coalesced);
  EXPECT_GT(events[3].ns, events[2].ns);
  EXPECT_GE(events[3].ns, wired.server.log().at(0).token_ns.at(3)) << "it is stamped when it came";
}

TEST(GrpcTransport, ReportsAStatusWithTheServersMessage) {
  truth::GrpcAnswer answer = words({"a"});
  answer.status = 14;
  answer.message = "no slot %E2%80%93 try 100% later%2";
  Wired wired(truth::always(answer));
  Exchange& exchange = wired.driver.exchange(0, "x");
  EXPECT_EQ(exchange.status, 1014);
  EXPECT_EQ(exchange.error, "gRPC UNAVAILABLE: no slot – try 100% later%2");
  EXPECT_FALSE(exchange.broken);
}

TEST(GrpcTransport, ReadsAnAnswerThatHasOnlyAStatus) {
  Wired wired(truth::always({.pieces = {},
                             .status = 3,
                             .message = "unexpected shape for input 'text_input'",
                             .trailers_only = true}));
  Exchange& exchange = wired.driver.exchange(0, "x");
  EXPECT_EQ(exchange.status, 1003);
  EXPECT_EQ(exchange.error, "gRPC INVALID_ARGUMENT: unexpected shape for input 'text_input'");
}

TEST(GrpcTransport, NamesAnUnknownStatusByItsNumber) {
  EXPECT_EQ(grpc_status_name(16), "UNAUTHENTICATED");
  EXPECT_EQ(grpc_status_name(17), "status 17");
  EXPECT_EQ(grpc_status_name(-1), "status -1");
}

TEST(GrpcTransport, CallsAStreamWithoutAStatusBroken) {
  Wired wired(truth::always(words({"a", "b"}, End::nothing)));
  Exchange& exchange = wired.driver.exchange(0, "x");
  EXPECT_TRUE(exchange.broken);
  EXPECT_FALSE(exchange.lost_server);
  EXPECT_EQ(exchange.error, "the stream ended without a grpc-status");
  EXPECT_EQ(texts_of(exchange), (std::vector<std::string>{"a", "b"}));
}

TEST(GrpcTransport, CallsAStreamThatEndsInsideAMessageBrokenWithAnyStatus) {
  truth::GrpcAnswer answer = words({"a"});
  answer.pieces.push_back({.bytes = truth::framed("cut short").substr(0, 9)});
  Wired wired(truth::always(answer));
  Exchange& exchange = wired.driver.exchange(0, "x");
  EXPECT_TRUE(exchange.broken);
  EXPECT_EQ(exchange.error, "the stream ended inside a message");
}

TEST(GrpcTransport, ReportsTheStatusOfAnotherHttpServer) {
  truth::GrpcAnswer answer{
      .pieces = {{.bytes = "<html>"}}, .end = End::nothing, .http_status = "502"};
  Wired wired(truth::always(answer));
  Exchange& exchange = wired.driver.exchange(0, "x");
  EXPECT_EQ(exchange.status, 502);
  EXPECT_FALSE(exchange.broken);
  EXPECT_EQ(exchange.error, "HTTP 502 in place of a gRPC answer");
}

TEST(GrpcTransport, RejectsACompressedMessageAndKeepsTheConnection) {
  truth::GrpcAnswer compressed{.pieces = {{.bytes = std::string("\1\0\0\0\1x", 6)}},
                               .end = End::silent};
  Wired wired(first_then(compressed, words({"b"})));
  Exchange& exchange = wired.driver.exchange(0, "x");
  EXPECT_TRUE(exchange.broken);
  EXPECT_EQ(exchange.error,
            "the server sent a compressed message, although no compression was requested");
  EXPECT_EQ(texts_of(wired.driver.exchange(0, "y")), std::vector<std::string>{"b"});
  EXPECT_EQ(wired.server.connections(), 1);
  EXPECT_TRUE(wired.server.log().at(0).cancelled);
}

TEST(GrpcTransport, CallsAResetStreamLostAndKeepsTheConnection) {
  Wired wired(first_then(words({"a"}, End::reset), words({"b"})));
  Exchange& exchange = wired.driver.exchange(0, "x");
  EXPECT_TRUE(exchange.broken && exchange.lost_server);
  EXPECT_EQ(exchange.error, "the stream was reset (INTERNAL_ERROR)");
  EXPECT_EQ(wired.driver.exchange(0, "y").status, 200);
  EXPECT_EQ(wired.server.connections(), 1);
}

TEST(GrpcTransport, FinishesOpenCallsAfterGoawayAndThenReconnects) {
  Wired wired(first_then(words({"a", "b"}, End::leave), words({"c"})));
  EXPECT_EQ(texts_of(wired.driver.exchange(0, "x")), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(texts_of(wired.driver.exchange(0, "y")), std::vector<std::string>{"c"});
  EXPECT_EQ(wired.server.connections(), 2);
}

TEST(GrpcTransport, ResendsACallThatAGoawayRejects) {
  Wired wired(first_then(words({}, End::leave_at_once), words({"c"})));
  Exchange& exchange = wired.driver.exchange(0, "x");
  EXPECT_EQ(exchange.error, "");
  EXPECT_FALSE(exchange.broken || exchange.lost_server);
  EXPECT_EQ(texts_of(exchange), std::vector<std::string>{"c"});
  const auto log = wired.server.log();
  ASSERT_EQ(log.size(), 2u);
  EXPECT_LE(exchange.sent_ns, log[0].arrived_ns) << "the time counts from the first send";
  EXPECT_EQ(wired.server.connections(), 2);
  EXPECT_EQ(wired.driver.transport().counters().resent, 1);
}

TEST(GrpcTransport, ResendsACallOnlyOnce) {
  Wired wired(truth::always(words({}, End::leave_at_once)));
  Exchange& exchange = wired.driver.exchange(0, "x");
  EXPECT_TRUE(exchange.broken && exchange.lost_server);
  EXPECT_EQ(exchange.error, "the stream was reset (REFUSED_STREAM)");
  EXPECT_EQ(wired.server.log().size(), 2u);
}

// Answers request I by ANSWERS[I], the last for all that follow.
truth::GrpcScript in_turn(std::vector<truth::GrpcAnswer> answers) {
  std::vector<std::shared_ptr<const truth::GrpcAnswer>> shared;
  for (truth::GrpcAnswer& answer : answers)
    shared.push_back(std::make_shared<const truth::GrpcAnswer>(std::move(answer)));
  return [shared](const truth::GrpcServed& request) {
    return shared[std::min<std::size_t>(static_cast<std::size_t>(request.number),
                                        shared.size() - 1)];
  };
}

TEST(GrpcTransport, ResendsACallOnAConnectionThatWasClosedSilently) {
  const truth::GrpcAnswer nothing = words({}, End::vanish);
  Wired wired(in_turn({words({"a"}), nothing, words({"b"})}));
  wired.driver.exchange(0, "x");
  Exchange& again = wired.driver.exchange(0, "y");
  EXPECT_EQ(again.error, "");
  EXPECT_EQ(texts_of(again), std::vector<std::string>{"b"});
  EXPECT_EQ(wired.driver.transport().counters().resent, 1);
  Wired fresh(truth::always(nothing));
  EXPECT_TRUE(fresh.driver.exchange(0, "x").lost_server);
  EXPECT_EQ(fresh.server.log().size(), 1u)
      << "the first request of a connection may be the reason for the close";
}

TEST(GrpcSession, StaysBrokenWhateverIsReceivedLater) {
  struct NoListener final : GrpcSession::Listener {
    void on_call_end(SlotId, bool) override {}
  } no_listener;
  GrpcSession session(
      {.scheme = "http", .authority = "a:1", .method = k_method, .authorization = ""}, no_listener);
  session.receive(std::string("\0\0\0\4\0\0\0\0\0", 9), 1);
  ASSERT_TRUE(session.alive() && session.settled());
  std::string pings;  // the test answers none of them
  for (int i = 0; i < 20'000; ++i)
    pings += std::string(
        "\0\0\x08\6\0\0\0\0\0"
        "12345678",
        17);
  session.receive(pings, 2);
  EXPECT_FALSE(session.alive());
  const std::string first_trouble = session.trouble();
  std::string answers;  // the library continues when these have been sent
  session.take_bytes(answers, std::size_t{1} << 20);
  session.receive(std::string("\0\0\4\x08\0\0\0\0\0\0\0\0\1", 13), 3);
  EXPECT_FALSE(session.alive());
  EXPECT_EQ(session.trouble(), first_trouble);
}

TEST(GrpcTransport, LetsRequestsWaitForTheNextConnectionAfterGoaway) {
  truth::GrpcAnswer leaving = words({"a"});
  leaving.leave_first = true;
  leaving.pieces.push_back({.bytes = truth::framed("late"), .wait_ns = 20'000'000});
  truth::GrpcServer server(first_then(leaving, words({"b"})));
  Driver driver(server.url(), k_method);
  driver.use({.endpoints = {*resolve(*parse_url(server.url()))},
              .format = {.grpc_method = k_method},
              .own_connections = 0,
              .slots_per_shared_connection = 2});
  ASSERT_TRUE(driver.open(2).ok());
  Exchange& first = driver.start(0, "x");
  ASSERT_TRUE(driver.run_until([&] { return first.bytes() == 1; }));
  Exchange& second = driver.start(1, "y");
  ASSERT_TRUE(driver.run_to_end());
  EXPECT_EQ(texts_of(first), (std::vector<std::string>{"a", "late"}));
  EXPECT_EQ(texts_of(second), std::vector<std::string>{"b"}) << second.error;
  EXPECT_EQ(server.connections(), 2);
}

TEST(GrpcTransport, SendsARequestLargerThanTheSocketBuffer) {
  Wired wired(truth::always(words({"a"})), {.window_bytes = 1 << 30});
  const std::string request(20'000'000, 'q');
  EXPECT_EQ(wired.driver.exchange(0, request).status, 200);
  EXPECT_TRUE(wired.server.log().at(0).message() == request);
}

TEST(GrpcTransport, SharesConnectionsAmongSlotsBeyondTheFirst) {
  truth::GrpcServer server(truth::always(words({"a", "b"})), {.streams = 3});
  Driver driver(server.url(), k_method);
  driver.use({.endpoints = {*resolve(*parse_url(server.url()))},
              .format = {.grpc_method = k_method},
              .own_connections = 3,
              .slots_per_shared_connection = 4});
  ASSERT_TRUE(driver.open(9).ok());
  // The request of a connection's fourth stream is queued.
  const std::string requests = "012345678";
  std::vector<Exchange*> exchanges;
  for (SlotId slot = 0; slot < 9; ++slot)
    exchanges.push_back(&driver.start(slot, std::string_view(requests).substr(slot, 1)));
  ASSERT_TRUE(driver.run_to_end());
  for (Exchange* exchange : exchanges) {
    EXPECT_EQ(exchange->status, 200) << exchange->error;
    EXPECT_EQ(texts_of(*exchange), (std::vector<std::string>{"a", "b"}));
  }
  EXPECT_EQ(server.connections(), 5) << "three slots have their own connections, six share two";
}

TEST(GrpcTransport, SendsARequestLargerThanTheFlowControlWindow) {
  Wired wired(truth::always(words({"a"})), {.window_bytes = 100});
  const std::string request(50'000, 'q');
  EXPECT_EQ(wired.driver.exchange(0, request).status, 200);
  EXPECT_EQ(wired.server.log().at(0).message(), request);
}

TEST(GrpcTransport, ReadsMoreThanTheDefaultFlowControlWindow) {
  truth::GrpcAnswer answer;
  for (int i = 0; i < 40; ++i)
    answer.pieces.push_back(
        {.bytes = truth::framed(std::string(1'000'000, static_cast<char>('a' + i % 26)))});
  Wired wired(truth::always(answer));
  const auto texts = texts_of(wired.driver.exchange(0, "x"));
  ASSERT_EQ(texts.size(), 40u);
  EXPECT_EQ(texts.back(), std::string(1'000'000, 'n'));
}

TEST(GrpcTransport, AnswersPings) {
  Wired wired(truth::always(words({"a", "b", "c"})), {.ping = true});
  EXPECT_EQ(wired.driver.exchange(0, "x").status, 200);
  EXPECT_TRUE(wired.driver.run_until([&] { return wired.server.pings_answered() == 3; }));
}

TEST(GrpcTransport, StopsAStreamAtTheServerAndKeepsTheConnection) {
  Wired wired(first_then(words({"a", "b"}, End::silent), words({"c"})));
  Exchange& exchange = wired.driver.start(0, "x");
  ASSERT_TRUE(wired.driver.run_until([&] { return exchange.bytes() == 2; }));
  wired.driver.transport().stop(0);
  EXPECT_EQ(wired.driver.in_flight(), 0);
  EXPECT_TRUE(exchange.stopped);
  EXPECT_FALSE(exchange.broken);
  EXPECT_EQ(exchange.status, 200);
  EXPECT_GE(exchange.end_ns, exchange.last_read_ns());
  EXPECT_TRUE(wired.driver.run_until([&] { return wired.server.log().at(0).cancelled; }));
  EXPECT_EQ(texts_of(wired.driver.exchange(0, "y")), std::vector<std::string>{"c"});
  EXPECT_EQ(wired.server.connections(), 1);
}

TEST(GrpcTransport, CancelsAStreamAtTheServer) {
  Wired wired(first_then(words({"a"}, End::silent), words({"c"})));
  Exchange& exchange = wired.driver.start(0, "x");
  ASSERT_TRUE(wired.driver.run_until([&] { return exchange.bytes() == 1; }));
  wired.driver.transport().cancel(0, "it took too long");
  EXPECT_TRUE(exchange.broken);
  EXPECT_FALSE(exchange.lost_server);
  EXPECT_EQ(exchange.error, "it took too long");
  EXPECT_TRUE(wired.driver.run_until([&] { return wired.server.log().at(0).cancelled; }));
  EXPECT_EQ(texts_of(wired.driver.exchange(0, "y")), std::vector<std::string>{"c"});
  EXPECT_EQ(wired.server.connections(), 1);
}

TEST(GrpcTransport, CancelsARequestThatTheServersWindowHoldsBack) {
  Wired wired(truth::always(words({"a"})), {.window_bytes = 1});
  Exchange& exchange = wired.driver.start(0, std::string(1'000'000, 'q'));
  wired.driver.transport().cancel(0, "it took too long");
  EXPECT_EQ(exchange.error, "it took too long");
  EXPECT_EQ(wired.driver.exchange(0, "y").status, 200);
}

// Two slots on one connection.
struct Shared : Wired {
  explicit Shared(truth::GrpcScript script, truth::GrpcServer::Options options = {})
      : Wired(std::move(script), options, 0) {
    driver.use({.endpoints = {*resolve(*parse_url(server.url()))},
                .format = {.grpc_method = k_method},
                .own_connections = 0,
                .slots_per_shared_connection = 2});
  }
  std::vector<std::string> requests() const {
    std::vector<std::string> out;
    for (const truth::GrpcServed& served : server.log()) out.push_back(served.message());
    return out;
  }
};

truth::GrpcAnswer never() {
  truth::GrpcAnswer out;
  out.after_requests = 1'000'000;
  return out;
}

TEST(GrpcTransport, SendsNothingOfACallThatWasCancelledInTheQueue) {
  for (const bool stopped : {false, true}) {
    Shared shared(truth::always(words({"a"})), {.streams = 1});
    ASSERT_TRUE(shared.driver.open(2).ok());
    Exchange& first = shared.driver.start(0, "x");
    shared.driver.start(1, "y");
    if (stopped) shared.driver.transport().stop(1);
    else shared.driver.transport().cancel(1, "it took too long");
    Exchange& next = shared.driver.start(1, "z");
    ASSERT_TRUE(shared.driver.run_to_end());
    EXPECT_EQ(texts_of(first), std::vector<std::string>{"a"});
    EXPECT_EQ(texts_of(next), std::vector<std::string>{"a"});
    EXPECT_EQ(texts_of(shared.driver.exchange(0, "!")), std::vector<std::string>{"a"});
    EXPECT_EQ(shared.requests(), (std::vector<std::string>{"x", "z", "!"}));
    EXPECT_EQ(shared.server.connections(), 1);
  }
}

TEST(GrpcTransport, ReplacesAConnectionThatWasSilentSinceATimedOutRequest) {
  Wired wired(in_turn({words({"a"}), never(), words({"b"})}));
  wired.driver.exchange(0, "x");
  wired.driver.start(0, "y");
  wired.driver.transport().cancel(0, "it took too long");
  EXPECT_EQ(texts_of(wired.driver.exchange(0, "z")), std::vector<std::string>{"b"});
  EXPECT_EQ(wired.server.connections(), 2);
  EXPECT_TRUE(wired.driver.run_until([&] { return wired.server.log().at(1).cancelled; }))
      << "the server may only be slow";
}

TEST(GrpcTransport, KeepsAConnectionOnWhichARequestWasStopped) {
  Wired wired(in_turn({words({"a"}), never(), words({"b"})}));
  wired.driver.exchange(0, "x");
  wired.driver.start(0, "y");
  wired.driver.transport().stop(0);
  EXPECT_EQ(texts_of(wired.driver.exchange(0, "z")), std::vector<std::string>{"b"});
  EXPECT_EQ(wired.server.connections(), 1);
}

TEST(GrpcTransport, ReplacesASilentConnectionAfterItsLastAnswer) {
  Shared shared(in_turn({words({"a"}), never(), never(), words({"b"})}));
  ASSERT_TRUE(shared.driver.open(2).ok());
  shared.driver.exchange(0, "x");
  shared.driver.start(0, "y");
  Exchange& other = shared.driver.start(1, "other");
  shared.driver.transport().cancel(0, "it took too long");
  Exchange& next = shared.driver.start(0, "z");
  EXPECT_EQ(other.end_ns, 0) << "the other request has its own timeout";
  shared.driver.transport().cancel(1, "it took too long");
  ASSERT_TRUE(shared.driver.run_to_end());
  EXPECT_EQ(texts_of(next), std::vector<std::string>{"b"});
  EXPECT_EQ(shared.server.connections(), 2);
}

TEST(GrpcTransport, KeepsASilentConnectionThatSendsAgain) {
  Shared shared(in_turn({words({"a"}), never(), words({"other"}), words({"b"})}));
  ASSERT_TRUE(shared.driver.open(2).ok());
  shared.driver.exchange(0, "x");
  shared.driver.start(0, "y");
  Exchange& other = shared.driver.start(1, "other");
  shared.driver.transport().cancel(0, "it took too long");
  Exchange& next = shared.driver.start(0, "z");
  ASSERT_TRUE(shared.driver.run_to_end());
  EXPECT_EQ(texts_of(other), std::vector<std::string>{"other"});
  EXPECT_EQ(texts_of(next), std::vector<std::string>{"b"});
  EXPECT_EQ(shared.server.connections(), 1);
}

TEST(GrpcTransport, ReconnectsWhenARequestTimedOutBeforeItsConnectionOpened) {
  Shared shared(truth::always(words({"a"})));
  shared.driver.transport().grow(2);
  Exchange& first = shared.driver.start(0, "x");
  Exchange& second = shared.driver.start(1, "y");
  shared.driver.transport().cancel(0, "it took too long");
  EXPECT_TRUE(first.broken && first.lost_server);
  EXPECT_EQ(shared.driver.transport().counters().connections_opened, 2);
  ASSERT_TRUE(shared.driver.run_to_end());
  EXPECT_EQ(texts_of(second), std::vector<std::string>{"a"});
  EXPECT_EQ(shared.requests(), std::vector<std::string>{"y"});
}

TEST(GrpcTransport, ReconnectsOnceForAllTimedOutRequests) {
  Shared shared(truth::always(words({"a"})));
  shared.driver.transport().grow(2);
  for (const SlotId slot : {0u, 1u}) shared.driver.start(slot, "x");
  for (const SlotId slot : {0u, 1u}) shared.driver.transport().cancel(slot, "it took too long");
  EXPECT_EQ(texts_of(shared.driver.exchange(0, "z")), std::vector<std::string>{"a"});
  EXPECT_EQ(shared.driver.transport().counters().connections_opened, 2);
}

TEST(GrpcTransport, ReconnectsAfterAGoawayInTheFirstBytes) {
  Wired wired(truth::always(words({"a"})), {.first_leaves = true});
  EXPECT_EQ(texts_of(wired.driver.exchange(0, "x")), std::vector<std::string>{"a"});
  EXPECT_EQ(wired.server.connections(), 2);
}

TEST(GrpcTransport, ReportsAServerThatSpeaksHttp1) {
  truth::Server server([](const truth::Request&) {
    return std::make_shared<const truth::Answer>(
        truth::Answer{{{.bytes = "HTTP/1.1 400 Bad Request\r\n\r\n"}}});
  });
  Driver driver(server.url(), k_method);
  const Status opened = driver.open(1);
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(
      opened.error().message,
      fmt::format(
          "127.0.0.1:{} does not speak HTTP/2: it answers in HTTP/1.1; is this the gRPC port?",
          server.port()));
}

TEST(GrpcCall, ReturnsTheAnswer) {
  truth::GrpcServer server(truth::always(words({"the answer"})));
  const auto answer = grpc_call(*parse_url(server.url()), "/p.S/M", "the question", 5'000,
                                {.authorization = "Bearer secret"});
  ASSERT_TRUE(answer.ok()) << answer.error().message;
  EXPECT_EQ(*answer, "the answer");
  EXPECT_EQ(server.log().at(0).message(), "the question");
  EXPECT_EQ(server.log().at(0).headers.at(":path"), "/p.S/M");
  EXPECT_EQ(server.log().at(0).headers.at("authorization"), "Bearer secret");
}

TEST(GrpcCall, ReportsWhyACallFails) {
  const auto error_of = [](truth::GrpcAnswer answer, int timeout_ms = 5'000) {
    truth::GrpcServer server(truth::always(std::move(answer)));
    const auto result = grpc_call(*parse_url(server.url()), "/p.S/M", "", timeout_ms);
    EXPECT_FALSE(result.ok());
    const std::string name = fmt::format("127.0.0.1:{}", server.port());
    std::string message = result.error().message;
    return std::pair(message.replace(message.find(name), name.size(), "SERVER"),
                     result.error().kind);
  };
  EXPECT_EQ(
      error_of({.pieces = {}, .status = 5, .message = "unknown model", .trailers_only = true}),
      std::pair(std::string("SERVER did not answer /p.S/M: gRPC NOT_FOUND: unknown model"),
                ErrorKind::invalid));
  EXPECT_EQ(
      error_of({.pieces = {}, .status = 12, .trailers_only = true}),
      std::pair(std::string("SERVER did not answer /p.S/M: gRPC UNIMPLEMENTED without a message"),
                ErrorKind::not_found));
  EXPECT_EQ(
      error_of(words({})),
      std::pair(std::string("SERVER did not answer /p.S/M: it sent 0 messages instead of one"),
                ErrorKind::unavailable));
  // The server closes the connection, or resets it if it holds unread data.
  const auto closed = error_of(words({}, End::close));
  EXPECT_EQ(closed.second, ErrorKind::unavailable);
  EXPECT_THAT(closed.first, testing::AnyOf("SERVER did not answer /p.S/M: it closed the connection",
                                           testing::HasSubstr("Connection reset by peer")));
  EXPECT_EQ(error_of(words({"a"}, End::silent), 50),
            std::pair(std::string("SERVER did not answer in time"), ErrorKind::timeout));
}

}  // namespace grpc_transport_test
}  // namespace orch::wire
