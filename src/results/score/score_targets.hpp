// Scores many measurements: reads their answers, asks each scorer about many of them at once, and
// leaves out what was scored before. Writes nothing.
#pragma once

#include "results/score/reference_files.hpp"
#include "results/score/scorer_program.hpp"
#include "results/store/store.hpp"
#include "results/tables/scores.hpp"

#include <string>
#include <vector>

namespace orch::score {

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

}  // namespace orch::score
