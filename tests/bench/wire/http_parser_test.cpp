// HTTP/1.1 answers, complete and broken, for every split of the input.
#include "bench/wire/http_parser.hpp"

#include <gtest/gtest.h>

namespace orch::wire {
namespace http_parser_test {

class Body final : public BodySink {
 public:
  void on_body(std::string_view piece) override { text.append(piece); }
  std::string text;
};

constexpr std::string_view k_length = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";
constexpr std::string_view k_chunked =
    "HTTP/1.1 200 OK\r\ntransfer-ENCODING: gzip, "
    "Chunked\r\n\r\n3;name=value\r\nhel\r\n002\r\nlo\r\n0\r\nTrailer: x\r\n\r\n";
constexpr std::string_view k_interim =
    "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";
constexpr std::string_view k_bare_newlines = "HTTP/1.1 200 OK\nContent-Length:5\n\nhello";

struct Seen {
  HttpParser parser;
  Body body;
  std::size_t used = 0;
};

Seen fed(std::string_view bytes) {
  Seen seen;
  seen.used = seen.parser.feed(bytes, seen.body);
  return seen;
}

std::string error_of(std::string_view bytes) {
  Seen seen = fed(bytes);
  seen.parser.finish();
  return seen.parser.failed() ? seen.parser.error() : "no error";
}

TEST(HttpParser, ReadsTheSameBodyForEverySplit) {
  for (const std::string_view answer : {k_length, k_chunked, k_interim, k_bare_newlines})
    for (std::size_t cut = 0; cut <= answer.size(); ++cut) {
      Seen seen = fed(answer.substr(0, cut));
      EXPECT_EQ(seen.parser.complete(), cut == answer.size()) << answer << cut;
      seen.parser.feed(answer.substr(cut), seen.body);
      EXPECT_TRUE(seen.parser.complete()) << answer << cut;
      EXPECT_EQ(seen.body.text, "hello");
      EXPECT_EQ(seen.parser.head().status, 200);
      EXPECT_TRUE(seen.parser.head().keep_alive);
    }
}

TEST(HttpParser, RejectsACompressedAnswerByName) {
  EXPECT_EQ(
      error_of("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 5\r\n\r\nhello"),
      "the answer is compressed (Content-Encoding: gzip), although no compression was requested");
  EXPECT_EQ(
      error_of("HTTP/1.1 200 OK\r\ncontent-encoding: Identity\r\nContent-Length: 5\r\n\r\nhello"),
      "no error");
}

TEST(HttpParser, RecognisesATlsAlert) {
  EXPECT_EQ(error_of(std::string("\x15\x03\x01\0\x02\x02\x46", 7)), "it speaks TLS; is it https?");
}

TEST(HttpParser, RecognisesHttp2ForEverySplit) {
  const std::string settings("\0\0\x12\4\0\0\0\0\0\0\3\0\0\0\x0a", 15);
  const std::string http2_error =
      "it speaks HTTP/2; if this is the gRPC port, use grpc://HOST:PORT and --protocol triton-grpc";
  EXPECT_EQ(error_of(settings), http2_error);
  EXPECT_EQ(error_of(settings.substr(0, 5)), http2_error);
  EXPECT_EQ(error_of(settings.substr(0, 4)),
            "the server closed the connection inside the answer's head");
  Seen seen;
  for (std::size_t at = 0; at < settings.size() && !seen.parser.failed(); ++at)
    seen.parser.feed(settings.substr(at, 1), seen.body);
  EXPECT_EQ(seen.parser.error(), http2_error);
}

TEST(HttpParser, ReportsTheContentType) {
  const auto is_other_content = [](const std::string& type) {
    return fed("HTTP/1.1 200 OK\r\n" + type + "Content-Length: 5\r\n\r\nhello")
        .parser.head()
        .is_other_content;
  };
  EXPECT_FALSE(is_other_content(""));
  EXPECT_FALSE(is_other_content("Content-Type: text/event-stream\r\n"));
  EXPECT_FALSE(is_other_content("content-type: Text/Event-Stream; charset=utf-8\r\n"));
  EXPECT_TRUE(is_other_content("Content-Type: application/json\r\n"));
  EXPECT_TRUE(is_other_content("Content-Type: text/event-streams\r\n"));
}

TEST(HttpParser, ReadsTheSameBodyByteByByte) {
  for (const std::string_view answer : {k_length, k_chunked, k_interim, k_bare_newlines}) {
    Seen seen;
    for (std::size_t at = 0; at < answer.size(); ++at)
      seen.parser.feed(answer.substr(at, 1), seen.body);
    EXPECT_TRUE(seen.parser.complete()) << answer;
    EXPECT_EQ(seen.body.text, "hello");
  }
}

TEST(HttpParser, DoesNotConsumeBytesAfterACompleteAnswer) {
  const Seen seen = fed(std::string(k_chunked).append("more"));
  EXPECT_TRUE(seen.parser.complete());
  EXPECT_EQ(seen.used, k_chunked.size());
}

TEST(HttpParser, IsReadyForTheNextAnswerAfterReset) {
  Seen seen = fed(k_chunked);
  seen.parser.reset();
  EXPECT_FALSE(seen.parser.started());
  seen.parser.feed(k_length, seen.body);
  EXPECT_TRUE(seen.parser.complete());
  EXPECT_EQ(seen.body.text, "hellohello");
}

TEST(HttpParser, ABodyWithoutLengthEndsWhenTheConnectionCloses) {
  Seen seen = fed("HTTP/1.1 200 OK\r\n\r\nhello");
  EXPECT_FALSE(seen.parser.complete());
  seen.parser.finish();
  EXPECT_TRUE(seen.parser.complete());
  EXPECT_FALSE(seen.parser.head().keep_alive);
}

TEST(HttpParser, ReportsWhetherTheConnectionMayBeReused) {
  EXPECT_FALSE(fed("HTTP/1.1 200 OK\r\nConnection: x, Close\r\nContent-Length: 0\r\n\r\n")
                   .parser.head()
                   .keep_alive);
  EXPECT_FALSE(fed("HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n").parser.head().keep_alive);
  EXPECT_TRUE(fed("HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 0\r\n\r\n")
                  .parser.head()
                  .keep_alive);
}

TEST(HttpParser, AnAnswerWithoutContentHasNoBody) {
  EXPECT_TRUE(fed("HTTP/1.1 204 No Content\r\n\r\n").parser.complete());
}

TEST(HttpParser, ReportsWhereAnAnswerWasTruncated) {
  EXPECT_EQ(error_of(""), "the server closed the connection without an answer");
  EXPECT_EQ(error_of("HTTP/1.1 200 OK\r\nContent-"),
            "the server closed the connection inside the answer's head");
  const std::string cut =
      "the answer's body was cut short: the server closed the connection before its end";
  EXPECT_EQ(error_of(k_length.substr(0, k_length.size() - 1)), cut);
  EXPECT_EQ(error_of(k_chunked.substr(0, k_chunked.size() - 2)), cut);
}

TEST(HttpParser, RejectsTextThatIsNotHttp) {
  EXPECT_EQ(error_of("SSH-2.0-OpenSSH\r\n"), "this is not an HTTP/1.1 answer: SSH-2.0-OpenSSH");
  EXPECT_EQ(error_of("HTTP/1.1 2000 OK\r\n"), "this is not an HTTP/1.1 answer: HTTP/1.1 2000 OK");
  EXPECT_EQ(error_of("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 9\r\n"),
            "the answer has two lengths: 2 and 9");
  EXPECT_EQ(error_of("HTTP/1.1 200 OK\r\nno colon\r\n"),
            "the answer's head has a line without a colon: no colon");
  EXPECT_EQ(error_of("HTTP/1.1 200 OK\r\nContent-Length: -1\r\n"),
            "the answer's Content-Length is not a number: -1");
  EXPECT_EQ(error_of("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"),
            "the answer's chunk size is not a hexadecimal number: zz");
  EXPECT_EQ(error_of("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n"),
            "the answer's chunk size is not a hexadecimal number: fffffffffffffffff");
  EXPECT_EQ(error_of("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n"),
            "the answer's chunk is longer than its size says");
  EXPECT_EQ(error_of("HTTP/1.1 200 OK\r\nX: " + std::string(70'000, 'x')),
            "the answer's head is longer than 64 KiB; is this an HTTP server?");
}

}  // namespace http_parser_test
}  // namespace orch::wire
