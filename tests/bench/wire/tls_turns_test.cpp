// TLS buffers bytes that epoll does not report: tests that none are left there, and that no
// connection starves others.
#include "bench/protocol/triton_answers.hpp"
#include "bench/wire/grpc_truth_server.hpp"
#include "bench/wire/tls_by_hand.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace orch::wire {
namespace tls_turns_test {

using testing::ElementsAre;
using testing::HasSubstr;

// One answer, encoded for a transport.
struct EncodedAnswer {
  std::string name;
  std::string method;  // "": HTTP/1.1
  std::string request;
  std::string head;
  std::function<std::string(const std::string&)> event;
  std::string end;
};

void PrintTo(const EncodedAnswer& answer, std::ostream* out) { *out << answer.name; }

std::string frame(char type, char flags, char stream, const std::string& payload) {
  const std::size_t size = payload.size();
  return std::string({static_cast<char>(size >> 16), static_cast<char>(size >> 8),
                      static_cast<char>(size), type, flags, 0, 0, 0, stream}) +
         payload;
}

const EncodedAnswer k_https = {
    .name = "https",
    .method = "",
    .request = "POST / HTTP/1.1\r\nContent-Length: 1\r\n\r\nq",
    .head = std::string(truth::k_stream_head) + "\r\n",
    .event = [](const std::string& text) { return truth::chunk("data: " + text + "\n\n"); },
    .end = "0\r\n\r\n"};
// The head: SETTINGS, the acknowledgement of the client's SETTINGS, and headers with ":status: 200"
// and "content-type: application/grpc". The end: "grpc-status: 0".
const EncodedAnswer k_grpcs = {
    .name = "grpcs",
    .method = "/p.S/M",
    .request = "q",
    .head = frame(4, 0, 0, "") + frame(4, 1, 0, "") +
            frame(1, 4, 1,
                  "\x88\x0f\x10\x10"
                  "application/grpc"),
    .event = [](const std::string& text) { return frame(0, 0, 1, truth::framed(text)); },
    .end = frame(1, 5, 1,
                 std::string("\0\x0b"
                             "grpc-status\1"
                             "0",
                             15))};

class TlsTurns : public testing::TestWithParam<EncodedAnswer> {
 protected:
  static Access trusting() { return {.ca_file = truth::Authority::shared().file("ca.pem")}; }

  truth::TlsByHand server;
  Driver driver{server.url(), GetParam().method, true, trusting()};
};

TEST_P(TlsTurns, AnEndlessAnswerDoesNotStarveOtherConnections) {
  // The library reads 16,709 bytes ahead at the beginning of a record, and otherwise only to the
  // end of the record. With records of 257 bytes (22 of them from TLS) every read-ahead ends inside
  // a record header, so bytes are always buffered.
  constexpr std::size_t k_record_bytes = 235;
  constexpr std::size_t k_events = 4'000, k_event_bytes = 1000, k_turn_bytes = 128 * 1024;
  ASSERT_TRUE(server.take(driver));
  Exchange& exchange = driver.start(0, GetParam().request);
  std::string answer = GetParam().head;
  for (std::size_t i = 0; i < k_events; ++i)
    answer += GetParam().event(std::string(k_event_bytes, 'x'));
  answer += GetParam().end;
  for (std::size_t at = 0; at < answer.size(); at += k_record_bytes)
    server.write(std::string_view(answer).substr(at, k_record_bytes));
  std::size_t taken = 0;
  const auto take = [&] {
    exchange.take_events(
        [&](std::string_view data, const Exchange::Event&) { taken += data.size(); });
  };
  driver.listen_for_many([&] {
    take();
    if (!server.send()) driver.wait_for_more();  // unsent bytes always follow
  });
  std::size_t most = 0;
  ASSERT_TRUE(driver.run_until([&] {
    server.send();
    const std::size_t before = taken;
    driver.turn(0);
    take();
    most = std::max(most, taken - before);
    return driver.in_flight() == 0;
  }));
  EXPECT_LE(most, k_turn_bytes);
  EXPECT_EQ(exchange.error, "");
  EXPECT_EQ(taken, k_events * k_event_bytes);
}

TEST_P(TlsTurns, ACloseNotifyWithTheLastBytesEndsTheAnswer) {
  ASSERT_TRUE(server.take(driver));
  Exchange& exchange = driver.start(0, GetParam().request);
  server.write(GetParam().head + GetParam().event("one"));
  server.queue_close_notify();
  ASSERT_TRUE(server.send());
  ASSERT_TRUE(driver.run_to_end());
  EXPECT_THAT(texts_of(exchange), ElementsAre("one"));
  EXPECT_TRUE(exchange.broken && exchange.lost_server);
}

INSTANTIATE_TEST_SUITE_P(Over, TlsTurns, testing::Values(k_https, k_grpcs),
                         [](const auto& row) { return row.param.name; });

TEST(TlsCloseNotify, EndsABodyWithoutALengthAndItsConnection) {
  truth::TlsByHand server;
  Driver driver(server.url(), "", true, {.verify = false});
  ASSERT_TRUE(server.take(driver));
  Exchange& exchange = driver.start(0, k_https.request);
  server.write("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: one\n\n");
  server.queue_close_notify();
  ASSERT_TRUE(server.send());
  ASSERT_TRUE(driver.run_to_end());
  EXPECT_EQ(exchange.error, "");
  EXPECT_THAT(texts_of(exchange), ElementsAre("one"));
}

TEST(TlsCloseNotify, EndsAConnectionAfterACompleteAnswer) {
  truth::TlsByHand server;
  Driver driver(server.url(), "", true, {.verify = false});
  ASSERT_TRUE(server.take(driver));
  Exchange& exchange = driver.start(0, k_https.request);
  server.write(k_https.head + k_https.event("one") + k_https.end);
  server.queue_close_notify();
  ASSERT_TRUE(server.send());
  ASSERT_TRUE(driver.run_to_end());
  EXPECT_THAT(texts_of(exchange), ElementsAre("one"));
  EXPECT_FALSE(driver.transport().warm(0)) << "a request on it would get no answer";
}

// Without verification a broken connection must not count as a certificate error.
TEST(TlsTrouble, IsNotACertificateErrorWhenVerificationIsOff) {
  for (const char* certificate : {"good", "expired", "elsewhere", "alone"}) {
    truth::TlsByHand server(certificate);
    Driver driver(server.url(), "", true, {.verify = false});
    ASSERT_TRUE(server.take(driver));
    const Exchange& exchange = driver.start(0, k_https.request);
    server.reset();
    ASSERT_TRUE(driver.run_to_end());
    EXPECT_THAT(exchange.error, HasSubstr(" broke: Connection reset by peer")) << certificate;
  }
}

}  // namespace tls_turns_test
}  // namespace orch::wire
