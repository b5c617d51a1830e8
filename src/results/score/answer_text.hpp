// A comparison of answers as text for a terminal and as JSON. Compares nothing.
#pragma once

#include "results/score/answer_difference.hpp"

#include <string>

namespace orch::score {

// Texts of answers and prompts are on one line each, cut around the place where they part, with
// control characters escaped.
std::string answer_text(const AnswerDifference& difference, const Side& a, const Side& b);

// One object; texts of examples are whole.
std::string answer_json(const AnswerDifference& difference, const Side& a, const Side& b);

}  // namespace orch::score
