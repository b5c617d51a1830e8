// Packs the event gaps of one request as LEB128: seven bits per byte, least significant first, the
// high bit set on every byte but the last of a number. A gap of a few milliseconds takes four
// bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace orch::tables {

std::vector<std::byte> encode_gaps(std::span<const std::uint64_t> gaps_ns);
// Empty when BLOB ends inside a number or holds one of more than 64 bits.
std::optional<std::vector<std::uint64_t>> decode_gaps(std::string_view blob);

}  // namespace orch::tables
