// Incremental reader of gRPC's length-prefixed messages; its input may be split anywhere. Does not
// decode a message.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "bench/wire/sse_parser.hpp"

namespace orch::wire {

// A larger message is rejected by its prefix, before it is read.
inline constexpr std::size_t k_message_limit_bytes = std::size_t{64} << 20;
inline constexpr std::size_t k_message_prefix_bytes = 5;

// The prefix of an uncompressed message of SIZE bytes.
std::array<std::uint8_t, k_message_prefix_bytes> message_prefix(std::size_t size);

class GrpcMessages {
 public:
  // Each message is one event of SINK. False: the input is not a message, error() says why, and no
  // more input is accepted.
  bool feed(std::string_view bytes, EventSink& sink);
  void reset();
  bool inside_message() const { return prefix_bytes_ > 0; }
  const std::string& error() const { return error_; }

 private:
  bool take_prefix(std::string_view& bytes);
  bool refuse(std::string why);

  std::array<std::uint8_t, k_message_prefix_bytes> prefix_{};
  std::size_t prefix_bytes_ = 0;  // received of the prefix; all of them while its message comes
  std::size_t left_ = 0;          // bytes of the message that are still to come
  std::string error_;
};

}  // namespace orch::wire
