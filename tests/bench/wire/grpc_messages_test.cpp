// gRPC's length-prefixed messages: found for every split of the input, and invalid ones rejected by
// name.
#include "bench/wire/grpc_session.hpp"
#include "bench/wire/grpc_truth_server.hpp"

#include <gtest/gtest.h>

namespace orch::wire {
namespace grpc_messages_test {

struct Texts final : EventSink {
  void on_data(std::string_view piece) override { open.append(piece); }
  void on_event(bool) override { whole.push_back(std::exchange(open, {})); }
  std::string open;
  std::vector<std::string> whole;
};

TEST(GrpcMessages, AreTheSameForEverySplitOfTheInput) {
  const std::string bytes = truth::framed("first") + truth::framed("") +
                            truth::framed(std::string(300, 'x')) + truth::framed("last");
  const std::vector<std::string> expected = {"first", "", std::string(300, 'x'), "last"};
  for (std::size_t size = 1; size <= bytes.size(); ++size) {
    GrpcMessages messages;
    Texts texts;
    for (std::size_t at = 0; at < bytes.size(); at += size)
      ASSERT_TRUE(messages.feed(std::string_view(bytes).substr(at, size), texts));
    EXPECT_EQ(texts.whole, expected) << "cut every " << size << " bytes";
    EXPECT_FALSE(messages.inside_message());
  }
}

TEST(GrpcMessages, ReportThatAMessageIsIncomplete) {
  GrpcMessages messages;
  Texts texts;
  messages.feed(truth::framed("first").substr(0, 3), texts);
  EXPECT_TRUE(messages.inside_message());
  messages.feed(truth::framed("first").substr(3, 3), texts);
  EXPECT_TRUE(messages.inside_message());
  messages.feed(truth::framed("first").substr(6), texts);
  EXPECT_FALSE(messages.inside_message());
}

TEST(GrpcMessages, RejectCompressedForeignAndTooLargeMessages) {
  const auto error_of = [](std::string_view bytes) {
    GrpcMessages messages;
    Texts texts;
    EXPECT_FALSE(messages.feed(bytes, texts));
    EXPECT_FALSE(messages.feed(truth::framed("later"), texts));
    EXPECT_TRUE(texts.whole.empty());
    return messages.error();
  };
  EXPECT_EQ(error_of(std::string_view("\1\0\0\0\1x", 6)),
            "the server sent a compressed message, although no compression was requested");
  EXPECT_EQ(error_of("HTTP/"),
            "the server sent a message that begins with the byte 72; is this gRPC?");
  EXPECT_EQ(error_of(std::string_view("\0\x7f\xff\xff\xff", 5)),
            "the server sent a message of 2147483647 bytes, at most 64 MiB are accepted");
}

TEST(GrpcMessages, AreWrittenAsTheyAreRead) {
  const auto prefix = message_prefix(0x01020304);
  EXPECT_EQ(prefix, (std::array<std::uint8_t, 5>{0, 1, 2, 3, 4}));
}

}  // namespace grpc_messages_test
}  // namespace orch::wire
