#include "bench/protocol/proto_scan.hpp"

namespace orch::protocol {
namespace {

enum WireType { k_varint = 0, k_fixed64 = 1, k_bytes = 2, k_fixed32 = 5 };

}  // namespace

bool ProtoFields::take_varint(std::uint64_t& value) {
  value = 0;
  for (std::size_t i = 0; i < rest_.size() && i < 10; ++i) {
    const auto byte = static_cast<std::uint8_t>(rest_[i]);
    value |= std::uint64_t{byte & 0x7Fu} << (7 * i);
    if (byte < 0x80) {
      rest_.remove_prefix(i + 1);
      return true;
    }
  }
  return false;
}

bool ProtoFields::take_bytes(std::uint64_t size) {
  if (size > rest_.size()) return false;
  bytes_ = rest_.substr(0, size);
  rest_.remove_prefix(size);
  return true;
}

bool ProtoFields::next() {
  if (rest_.empty() || broken_) return false;
  integer_ = 0;
  bytes_ = {};
  std::uint64_t tag = 0, size = 0;
  bool good = take_varint(tag) && tag >> 3 > 0 && tag >> 3 <= 0x1FFFFFFF;
  if (good) {
    switch (tag & 7) {
      case k_varint: good = take_varint(integer_); break;
      case k_bytes: good = take_varint(size) && take_bytes(size); break;
      case k_fixed64: good = take_bytes(8); break;
      case k_fixed32: good = take_bytes(4); break;
      default: good = false;
    }
  }
  number_ = static_cast<std::uint32_t>(tag >> 3);
  broken_ = !good;
  return good;
}

}  // namespace orch::protocol
