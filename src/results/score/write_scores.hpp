// Scores into a store, and answers out of it as references. Computes no score.
#pragma once

#include "results/score/kept_answers.hpp"
#include "results/store/store.hpp"
#include "results/tables/scores.hpp"

#include <string>
#include <vector>

namespace orch::score {

// In one transaction. They become metrics of their measurements, and part of the records of the
// runs that measured.
Status write_scores(store::Store& store, const std::vector<tables::Scored>& scores);

// A file of references: each prompt that TARGETS sent, with all answers that it got. Errors: those
// of AnswerReader, and where none of the prompts is a text.
Result<std::string> answers_as_references(AnswerReader& reader, const std::vector<Target>& targets);

}  // namespace orch::score
