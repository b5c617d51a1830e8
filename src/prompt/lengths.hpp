// How many tokens prompts and answers are to have: fixed, or normally distributed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace orch::prompt {

struct Length {
  double mean = 0;
  double sd = 0;
};

// "512" or "512:64", mean and standard deviation; OPTION names it in errors.
Result<Length> parse_length(std::string_view option, std::string_view text);

// COUNT whole lengths; what would be less than 1 is 1. The same on every machine for one SEED, and
// of two counts the shorter list begins the longer one.
std::vector<std::int64_t> draw_lengths(const Length& length, std::uint64_t seed, std::size_t count);

}  // namespace orch::prompt
