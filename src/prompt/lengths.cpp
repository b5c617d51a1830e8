#include "prompt/lengths.hpp"

#include "base/text.hpp"
#include "base/random.hpp"

namespace orch::prompt {
namespace {

constexpr double k_longest = 10'000'000;

}  // namespace

Result<Length> parse_length(std::string_view option, std::string_view text) {
  const std::size_t colon = std::min(text.find(':'), text.size());
  const auto mean = to_real(text.substr(0, colon));
  const auto sd = colon == text.size() ? std::optional(0.0) : to_real(text.substr(colon + 1));
  const bool fits = mean && sd && *mean >= 1 && *mean <= k_longest && *sd >= 0 && *sd <= k_longest;
  if (!fits || (*sd == 0 && *mean != std::floor(*mean)))
    return invalid(fmt::format(
        "{} is {}; write a number of tokens, {} 512, or a mean and standard deviation, {} 512:64",
        option, quoted(text), option, option));
  return Length{.mean = *mean, .sd = *sd};
}

std::vector<std::int64_t> draw_lengths(const Length& length, std::uint64_t seed,
                                       std::size_t count) {
  Random draw(seed);
  std::vector<std::int64_t> out;
  out.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    const double drawn = length.sd == 0 ? length.mean : length.mean + length.sd * draw.normal();
    out.push_back(std::max<std::int64_t>(1, std::llround(drawn)));
  }
  return out;
}

}  // namespace orch::prompt
