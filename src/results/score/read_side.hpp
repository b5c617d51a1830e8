// One side of a comparison of answers, out of a store. Compares nothing.
#pragma once

#include "results/score/answer_difference.hpp"
#include "results/score/kept_answers.hpp"

namespace orch::score {

// The answers of TARGETS with their prompts and what was stored of their scores. Errors: those of
// AnswerReader.
Result<Side> read_side(sql::Database& database, AnswerReader& reader,
                       const std::vector<Target>& targets);

}  // namespace orch::score
