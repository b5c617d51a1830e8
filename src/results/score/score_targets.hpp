// Scores many measurements: reads their answers, passes many of them at once to each scorer, and
// skips answers that were scored before. Does not store the scores.
#pragma once

#include "bench/record/record_reader.hpp"
#include "core/statistics/verdict.hpp"
#include "results/score/kept_answers.hpp"
#include "results/score/scorer_program.hpp"
#include "results/score/scoring.hpp"
#include "results/store/store.hpp"
#include "results/tables/scores.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace orch::score {

// Combines scores of answers into one figure with its interval.

// The 95 % interval of the mean of VALUES, one per prompt, as a sample of similar prompts: Wilson's
// if each value is 0 or 1, which has a width even if all are equal; otherwise Student's t, within 0
// and 1 if the values are. Both limits are nullopt for fewer than two values, and for equal values
// between 0 and 1.
statistics::Limits limits_of_mean(std::span<const double> values);

// The metric NAME over prompts: a prompt answered repeatedly counts once, with the mean of its
// scores, because its answers are not independent evidence.
record::NamedMetric summary(std::string name,
                            const std::map<std::string, std::vector<double>>& by_prompt);

struct ScoreRequest {
  std::vector<Target> targets;
  std::vector<Scorer> scorers;
  std::string references = {};  // a file; "": the dataset of each measurement
  // Scores answers without a reference if no reference file is known.
  bool without_references = false;
};

struct ScoreLine {
  std::string point;
  std::int64_t measurement = 0;
  bool is_new = true;
  // If `is_new` is false, only what known_scores() reads: the scorer's name, the counts, and the
  // mean with its interval.
  tables::Scored scored;
};

struct ScoreReport {
  std::vector<ScoreLine> lines;
  // Why some measurements could not be scored: one error for all measurements with the same fault,
  // and one for each scorer that failed, which is not called again. All other measurements were
  // scored.
  Errors errors;
  bool interrupted = false;
};

// How many answers a scorer receives at once, because it may take seconds to start.
inline constexpr std::size_t k_answers_at_once = 20'000;

ScoreReport score_targets(sql::Database& database, const ProgramHost& host, system::Files& files,
                          const store::Layout& layout, const ScoreRequest& request);

// LINES as text for a terminal, and as a JSON array.
std::string text_of(const std::vector<ScoreLine>& lines);
std::string json_of(const std::vector<ScoreLine>& lines);

// Writes scores to a store, and reads answers from it as references.

// Writes SCORES in one transaction. They become metrics of their measurements, and part of the
// records of the runs that made these.
Status write_scores(store::Store& store, const std::vector<tables::Scored>& scores);

// A file of references: each prompt that TARGETS sent, with all answers that it received. Errors:
// those of AnswerReader, and that none of the prompts is a text.
Result<std::string> answers_as_references(AnswerReader& reader, const std::vector<Target>& targets);

}  // namespace orch::score
