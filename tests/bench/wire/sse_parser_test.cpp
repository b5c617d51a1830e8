// Server-sent events by the standard, for every split of the input.
#include "bench/wire/exchange.hpp"

#include <gtest/gtest.h>

namespace orch::wire {
namespace sse_parser_test {

using Events = std::vector<std::string>;

class Collected final : public EventSink {
 public:
  void on_data(std::string_view piece) override { open_.append(piece); }
  void on_event(bool) override { events.push_back(std::exchange(open_, {})); }
  Events events;

 private:
  std::string open_;
};

Events parse_in_pieces(std::string_view text, std::size_t piece) {
  SseParser parser;
  Collected sink;
  for (std::size_t at = 0; at < text.size(); at += piece) parser.feed(text.substr(at, piece), sink);
  return sink.events;
}

Events parse(std::string_view text) { return parse_in_pieces(text, text.size()); }

Events parse_to_the_end(std::string_view text) {
  SseParser parser;
  Collected sink;
  parser.feed(text, sink);
  parser.finish(sink);
  return sink.events;
}

constexpr std::string_view k_everything =
    "\xEF\xBB\xBF"
    "data: one\n\n: a comment\nevent: x\nid: 7\ndata:two\r\n\r\ndata: a\r\ndata:  b\rdata\n\n\r\n"
    "retry: 3\n\ndata:\n\ndata: {\"k\": \"a:b\"}\r\rdatax: no\n\n";

const Events k_all = {"one", "two", "a\n b\n", "", "{\"k\": \"a:b\"}"};

TEST(SseParser, ReadsEverySeparatorCommentsAndLinesOfSeveralFields) {
  EXPECT_EQ(parse(k_everything), k_all);
}

TEST(SseParser, GivesTheSameEventsForPiecesOfEverySize) {
  for (std::size_t piece = 1; piece < k_everything.size(); ++piece)
    EXPECT_EQ(parse_in_pieces(k_everything, piece), k_all) << piece;
}

TEST(SseParser, GivesTheSameEventsForEverySplit) {
  for (std::size_t cut = 0; cut <= k_everything.size(); ++cut) {
    SseParser parser;
    Collected sink;
    parser.feed(k_everything.substr(0, cut), sink);
    parser.feed(k_everything.substr(cut), sink);
    EXPECT_EQ(sink.events, k_all) << "cut at " << cut;
  }
}

TEST(SseParser, TurnsReportedFailuresIntoData) {
  EXPECT_EQ(parse("error: {\"code\":4}\n\nerror:a \"b\\\tc\n\n"),
            (Events{R"({"error":{"code":4}})", R"({"error":"a \"b\\\tc"})"}));
  EXPECT_EQ(parse("event: error\n: why\n\nevent: error\ndata: why\n\n"),
            (Events{R"({"error":"why"})", R"({"error":"why"})"}));
  EXPECT_EQ(parse("event: error\ndata: {\"a\":1}\n\ndata: b\n\n"), (Events{R"({"a":1})", "b"}))
      << "an object is kept unchanged, and the type applies to one event";
  EXPECT_EQ(parse("event: x\n: a comment\n\n: another\n\n"), Events{});
  EXPECT_EQ(parse("{\"a\":1}\n\n"), Events{R"({"a":1})"});
  EXPECT_EQ(parse("data: a\n{\"a\":1}\n\n"), Events{"a"});
}

TEST(SseParser, ReadsALastLineWithoutLineEnd) {
  EXPECT_EQ(parse_to_the_end("data: a\n\n: bye"), Events{"a"});
  EXPECT_EQ(parse_to_the_end("data: a\n\n\r"), Events{"a"});
  SseParser parser;
  Collected sink;
  parser.feed("data: a\ndata: b", sink);
  parser.finish(sink);
  EXPECT_TRUE(parser.inside_event());
  parser.feed("\n", sink);
  EXPECT_EQ(sink.events, Events{"a\nb"});
}

TEST(SseParser, EndsAnEventAtTheFirstByteOfTheEmptyLine) {
  SseParser parser;
  Collected sink;
  parser.feed("data: x\r\n\r", sink);
  EXPECT_EQ(sink.events, Events{"x"}) << "the \\n that belongs to the \\r may come much later";
  parser.feed("\n", sink);
  EXPECT_EQ(sink.events, Events{"x"});
}

TEST(SseParser, ReportsAnEventWithoutItsEmptyLine) {
  SseParser parser;
  Collected sink;
  parser.feed("data: x\n\n", sink);
  EXPECT_FALSE(parser.inside_event());
  parser.feed("data: y\n", sink);
  EXPECT_TRUE(parser.inside_event());
  EXPECT_EQ(sink.events, Events{"x"});
}

TEST(SseParser, RemovesExactlyOneSpaceAfterTheColon) {
  EXPECT_EQ(parse("data:  x\n\ndata:x\n\n"), (Events{" x", "x"}));
}

}  // namespace sse_parser_test
}  // namespace orch::wire
