// Scores of answers to one figure with its interval. Knows no scorer.
#pragma once

#include "bench/record/record_reader.hpp"
#include "core/statistics/limits.hpp"

#include <map>
#include <span>
#include <string>
#include <vector>

namespace orch::score {

// The 95 % interval of the mean of VALUES, one for each prompt, as a sample of prompts like them:
// Wilson's where each value is 0 or 1, which has a width also where all are equal; else Student's
// t, within 0 and 1 if the values are. Both limits are empty for fewer than two values, and for
// equal values between.
statistics::Limits limits_of_mean(std::span<const double> values);

// The metric NAME over prompts: a prompt that was answered repeatedly counts once, with the mean of
// its scores, because its answers are no independent evidence.
record::NamedMetric summary(std::string name,
                            const std::map<std::string, std::vector<double>>& by_prompt);

}  // namespace orch::score
