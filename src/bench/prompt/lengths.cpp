#include "bench/prompt/lengths.hpp"

#include "core/base/text.hpp"
#include "core/base/random.hpp"

namespace orch::prompt {
namespace {

constexpr double k_longest = 10'000'000;

std::optional<Length> length_of(const std::vector<std::string>& parts) {
  if (parts.size() > 3) return std::nullopt;
  const auto mean = to_real(parts[0]);
  const auto sd = parts.size() > 1 ? to_real(parts[1]) : std::optional(0.0);
  const auto most =
      parts.size() > 2 ? to_integer(parts[2]) : std::optional(static_cast<std::int64_t>(k_longest));
  if (!mean || !sd || !most) return std::nullopt;
  if (!(*mean >= 1 && *mean <= k_longest && *sd >= 0 && *sd <= k_longest)) return std::nullopt;
  if (*most < 1 || *most > static_cast<std::int64_t>(k_longest)) return std::nullopt;
  if (*sd == 0 && *mean != std::floor(*mean)) return std::nullopt;
  return Length{.mean = *mean, .sd = *sd, .most = *most};
}

}  // namespace

Result<Length> parse_length(std::string_view option, std::string_view text) {
  if (const auto length = length_of(split(text, ':'))) return *length;
  return invalid(fmt::format(
      "{} is {}; write a number of tokens, {} 512, a mean and standard deviation, {} 512:64, or "
      "with the largest length, {} 512:64:768",
      option, quoted(text), option, option, option));
}

std::vector<std::int64_t> draw_lengths(const Length& length, std::uint64_t seed,
                                       std::size_t count) {
  Random draw(seed);
  std::vector<std::int64_t> out;
  out.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    const double drawn = length.sd == 0 ? length.mean : length.mean + length.sd * draw.normal();
    out.push_back(std::clamp<std::int64_t>(std::llround(drawn), 1, length.most));
  }
  return out;
}

}  // namespace orch::prompt
