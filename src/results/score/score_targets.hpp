// Scores many measurements: reads their answers, asks each scorer about many of them at once, and
// leaves out what was scored before. Writes nothing.
#pragma once

#include "bench/record/record_reader.hpp"
#include "core/statistics/verdict.hpp"
#include "results/score/kept_answers.hpp"
#include "results/score/scorer_program.hpp"
#include "results/score/scoring.hpp"
#include "results/store/store.hpp"
#include "results/tables/scores.hpp"

#include <map>
#include <span>
#include <string>
#include <vector>

namespace orch::score {

// Scores of answers to one figure with its interval. Knows no scorer.

// The 95 % interval of the mean of VALUES, one for each prompt, as a sample of prompts like them:
// Wilson's where each value is 0 or 1, which has a width also where all are equal; else Student's
// t, within 0 and 1 if the values are. Both limits are empty for fewer than two values, and for
// equal values between.
statistics::Limits limits_of_mean(std::span<const double> values);

// The metric NAME over prompts: a prompt that was answered repeatedly counts once, with the mean of
// its scores, because its answers are no independent evidence.
record::NamedMetric summary(std::string name,
                            const std::map<std::string, std::vector<double>>& by_prompt);

struct ScoreRequest {
  std::vector<Target> targets;
  std::vector<Scorer> scorers;
  std::string references = {};  // a file; "": the dataset of each measurement
  // Answers are scored without a reference where no file is known.
  bool without_references = false;
};

struct ScoreLine {
  std::string point;
  std::int64_t measurement = 0;
  bool is_new = true;
  // Of scores that the store had before: without those of single answers, and without their origin.
  tables::Scored scored;
};

struct ScoreReport {
  std::vector<ScoreLine> lines;
  // What could not be scored; all else was. One for all measurements with the same fault, and one
  // for each scorer that failed, which is not asked again.
  Errors errors;
  bool interrupted = false;
};

// The answers that a scorer gets at once: it may take seconds to start.
inline constexpr std::size_t k_answers_at_once = 20'000;

ScoreReport score_targets(sql::Database& database, const ProgramHost& host, system::Files& files,
                          const store::Layout& layout, const ScoreRequest& request);

// The lines for a terminal, and as a JSON array.
std::string text_of(const std::vector<ScoreLine>& lines);
std::string json_of(const std::vector<ScoreLine>& lines);

// Scores into a store, and answers out of it as references. Computes no score.

// In one transaction. They become metrics of their measurements, and part of the records of the
// runs that measured.
Status write_scores(store::Store& store, const std::vector<tables::Scored>& scores);

// A file of references: each prompt that TARGETS sent, with all answers that it got. Errors: those
// of AnswerReader, and where none of the prompts is a text.
Result<std::string> answers_as_references(AnswerReader& reader, const std::vector<Target>& targets);

}  // namespace orch::score
