// Incremental reader of gRPC's length-prefixed messages, cut anywhere. It does not look into a
// message.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "wire/sse_parser.hpp"

namespace orch::wire {

// A message larger than this is refused before it is read.
inline constexpr std::size_t k_message_limit_bytes = std::size_t{64} << 20;
inline constexpr std::size_t k_message_prefix_bytes = 5;

// What stands before a message of SIZE bytes: not compressed, and its length.
std::array<std::uint8_t, k_message_prefix_bytes> message_prefix(std::size_t size);

class GrpcMessages {
 public:
  // Each message is one event of SINK. False: what comes is no message, error() says why, and
  // nothing more is read.
  bool feed(std::string_view bytes, EventSink& sink);
  void reset();
  bool inside_message() const { return prefix_bytes_ > 0; }
  const std::string& error() const { return error_; }

 private:
  bool take_prefix(std::string_view& bytes);
  bool refuse(std::string why);

  std::array<std::uint8_t, k_message_prefix_bytes> prefix_{};
  std::size_t prefix_bytes_ =
      0;                  // of the prefix that have come; all of them while its message comes
  std::size_t left_ = 0;  // of the message
  std::string error_;
};

}  // namespace orch::wire
