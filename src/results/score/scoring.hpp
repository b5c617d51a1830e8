// Scores the kept answers of one measurement: answers and references together to a program, and its
// scores to a value that the store takes. Chooses no scorer and writes nothing.
#pragma once

#include "results/score/kept_answers.hpp"
#include "results/score/references.hpp"
#include "results/score/scorer_program.hpp"
#include "results/tables/scores.hpp"

#include <optional>

namespace orch::score {

struct ReferenceFile {
  std::string path, sha256;
  References references;
};

// What is to be scored of one measurement.
class Paper {
 public:
  // FILE may be null: then every answer is scored, without a reference. ANSWERS and FILE must
  // outlive it.
  Paper(const Target& target, const KeptAnswers& answers, const ReferenceFile* file);

  const std::vector<Question>& questions() const { return questions_; }
  std::int64_t without_reference() const { return without_reference_; }
  // Over prompts, answers and references: equal digests have equal scores.
  const std::string& digest() const { return digest_; }

  // SCORES has every question. Empty: no answer has a score. AT: seconds since the epoch.
  std::optional<tables::Scored> scored(const Scorer& scorer,
                                       const std::map<std::int64_t, std::optional<double>>& scores,
                                       double at) const;

 private:
  const Target& target_;
  const KeptAnswers& answers_;
  const ReferenceFile* file_;
  std::vector<Question> questions_;  // the id is the line of the request
  std::int64_t without_reference_ = 0;
  std::string digest_;
};

// The scores that the store has of the same answers by the same scorer, without those of single
// answers; empty without any.
Result<std::optional<tables::Scored>> known_scores(sql::Database& database, const Target& target,
                                                   const Scorer& scorer, const Paper& paper);

}  // namespace orch::score
