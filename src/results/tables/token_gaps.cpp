#include "results/tables/token_gaps.hpp"

namespace orch::tables {

std::vector<std::byte> encode_gaps(std::span<const std::uint64_t> gaps_ns) {
  std::vector<std::byte> blob;
  blob.reserve(gaps_ns.size() * 4);
  for (std::uint64_t gap : gaps_ns) {
    for (; gap >= 0x80; gap >>= 7) blob.push_back(static_cast<std::byte>(gap | 0x80));
    blob.push_back(static_cast<std::byte>(gap));
  }
  return blob;
}

std::optional<std::vector<std::uint64_t>> decode_gaps(std::string_view blob) {
  std::vector<std::uint64_t> gaps;
  std::uint64_t gap = 0;
  int shift = 0;
  for (const char character : blob) {
    const auto bits = static_cast<std::uint8_t>(character);
    if (shift > 63 || (shift == 63 && (bits & 0x7f) > 1)) return std::nullopt;
    gap |= static_cast<std::uint64_t>(bits & 0x7f) << shift;
    shift += 7;
    if (bits & 0x80) continue;
    gaps.push_back(gap);
    gap = 0;
    shift = 0;
  }
  if (shift != 0) return std::nullopt;
  return gaps;
}

}  // namespace orch::tables
