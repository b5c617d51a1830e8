#include "bench/wire/grpc_messages.hpp"

namespace orch::wire {

std::array<std::uint8_t, k_message_prefix_bytes> message_prefix(std::size_t size) {
  const auto byte = [size](int shift) { return static_cast<std::uint8_t>(size >> shift); };
  return {0, byte(24), byte(16), byte(8), byte(0)};
}

void GrpcMessages::reset() {
  prefix_bytes_ = left_ = 0;
  error_.clear();
}

bool GrpcMessages::refuse(std::string why) {
  error_ = std::move(why);
  return false;
}

// Continues with the prefix. When it is complete, left_ has its length field.
bool GrpcMessages::take_prefix(std::string_view& bytes) {
  while (prefix_bytes_ < prefix_.size() && !bytes.empty()) {
    prefix_[prefix_bytes_++] = static_cast<std::uint8_t>(bytes.front());
    bytes.remove_prefix(1);
  }
  if (prefix_bytes_ < prefix_.size()) return true;
  left_ = std::size_t{prefix_[1]} << 24 | std::size_t{prefix_[2]} << 16 |
          std::size_t{prefix_[3]} << 8 | prefix_[4];
  if (prefix_[0] == 1)
    return refuse("the server sent a compressed message, although no compression was requested");
  if (prefix_[0] != 0)
    return refuse(fmt::format(
        "the server sent a message that begins with the byte {}; is this gRPC?", prefix_[0]));
  if (left_ > k_message_limit_bytes)
    return refuse(fmt::format("the server sent a message of {} bytes, at most {} MiB are accepted",
                              left_, k_message_limit_bytes >> 20));
  return true;
}

bool GrpcMessages::feed(std::string_view bytes, EventSink& sink) {
  if (!error_.empty()) return false;
  while (!bytes.empty()) {
    if (prefix_bytes_ < prefix_.size()) {
      if (!take_prefix(bytes)) return false;
      if (prefix_bytes_ < prefix_.size()) return true;
    }
    const std::string_view piece = bytes.substr(0, left_);
    if (!piece.empty()) sink.on_data(piece);
    bytes.remove_prefix(piece.size());
    left_ -= piece.size();
    if (left_ > 0) return true;
    sink.on_event(false);
    prefix_bytes_ = 0;
  }
  return true;
}

}  // namespace orch::wire
