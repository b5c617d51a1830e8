// Token lengths of prompts and answers: fixed, or normally distributed. Makes no prompts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/base/result.hpp"

namespace orch::prompt {

struct Length {
  double mean = 0;
  double sd = 0;
  std::int64_t most = 10'000'000;  // longer draws become that long
};

// Parses "512", "512:64" (mean and standard deviation) or "512:64:768" (and the largest length).
// OPTION is its name in errors.
Result<Length> parse_length(std::string_view option, std::string_view text);

// COUNT lengths, rounded and at least 1. They depend only on LENGTH and SEED, on every machine; a
// shorter list is a prefix of a longer one.
std::vector<std::int64_t> draw_lengths(const Length& length, std::uint64_t seed, std::size_t count);

}  // namespace orch::prompt
