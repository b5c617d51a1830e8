// Reads the fields of a protobuf message in place, for messages that come once per token. It knows
// the encoding, but no message type.
#pragma once

#include <cstdint>
#include <string_view>

namespace orch::protocol {

class ProtoFields {
 public:
  explicit ProtoFields(std::string_view message) : rest_(message) {}

  // Moves to the next field. False: the message ended, or is damaged.
  bool next();
  // After next() returned false: the whole message was valid.
  bool whole() const { return rest_.empty() && !broken_; }

  std::uint32_t number() const { return number_; }
  // The value of a field of that kind; else 0 or "".
  std::uint64_t integer() const { return integer_; }
  std::string_view bytes() const { return bytes_; }

 private:
  bool take_varint(std::uint64_t& value);
  bool take_bytes(std::uint64_t size);

  std::string_view rest_;
  bool broken_ = false;
  std::uint32_t number_ = 0;
  std::uint64_t integer_ = 0;
  std::string_view bytes_;
};

}  // namespace orch::protocol
