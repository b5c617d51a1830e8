// Scores the kept answers of one measurement: combines answers and references into questions for a
// scorer, and its scores into a value for the store.
#pragma once

#include "bench/prompt/prompts.hpp"
#include "core/base/result.hpp"
#include "results/score/kept_answers.hpp"
#include "results/score/scorer_program.hpp"
#include "results/tables/scores.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace orch::score {

// The right answers: the member `output` of the rows of a dataset, found by the prompt that was
// sent.

// A key that identifies PROMPT: its text, or its token ids if it has no text.
std::string prompt_key(const prompt::Prompt& prompt);

class References {
 public:
  // TEXT: a file of prompts in any form (bench/prompt/prompt_forms.hpp) whose rows have `output`: a
  // text, a number, or a list of these, any of which is right. Rows {"idx": N, "output": ...} are
  // for the request with that index. Rows without `output` are counted. NAME is the file's name in
  // errors.
  static Result<References> read(std::string_view text, std::string_view name);

  // The right answers to a prompt; null if there are none.
  const std::vector<std::string>* find(const std::string& prompt_key, std::int64_t idx) const;

  // Whether the rows identify requests by index, which is only meaningful for one set of prompts.
  bool by_index() const { return !by_index_.empty(); }
  std::int64_t rows_without() const { return rows_without_; }

 private:
  Status read_indexed(std::string_view text, std::string_view name);

  std::map<std::string, std::vector<std::string>> by_prompt_;
  std::map<std::int64_t, std::vector<std::string>> by_index_;
  std::int64_t rows_without_ = 0;
};

struct ReferenceFile {
  std::string path, sha256;
  References references;
};

// The questions for scoring one measurement.
class Paper {
 public:
  // If FILE is null, every answer is scored, without a reference. TARGET, ANSWERS and FILE must
  // outlive this object.
  Paper(const Target& target, const KeptAnswers& answers, const ReferenceFile* file);

  const std::vector<Question>& questions() const { return questions_; }
  std::int64_t without_reference() const { return without_reference_; }
  // A digest over prompts, answers and references: a scorer gives papers with equal digests equal
  // scores.
  const std::string& digest() const { return digest_; }

  // The value for the store. SCORES must have every question; AT is in seconds since the epoch.
  // nullopt if no answer has a score.
  std::optional<tables::Scored> scored(const Scorer& scorer,
                                       const std::map<std::int64_t, std::optional<double>>& scores,
                                       double at) const;

 private:
  const Target& target_;
  const KeptAnswers& answers_;
  const ReferenceFile* file_;
  std::vector<Question> questions_;  // the id is the request's line
  std::int64_t without_reference_ = 0;
  std::string digest_;
};

// The stored scores of the same answers by the same scorer, without those of single answers;
// nullopt if there are none.
Result<std::optional<tables::Scored>> known_scores(sql::Database& database, const Target& target,
                                                   const Scorer& scorer, const Paper& paper);

// Finds the file with the right answers: the one given by the user, or the dataset from which a
// measurement took its prompts.

class ReferenceFiles {
 public:
  // NAMED is the user's file; "": none.
  ReferenceFiles(sql::Database& database, system::Files& files, std::string named)
      : database_(database), files_(files), named_(std::move(named)) {}

  // The file for TARGET; valid as long as this object. Error, with the remedy, if no file is known:
  // the prompts were synthetic, or their dataset was changed or moved.
  Result<const ReferenceFile*> of(const Target& target);

 private:
  Result<const ReferenceFile*> read(const std::string& path, const std::string& sha256);
  Result<const ReferenceFile*> of_dataset(const Target& target);

  sql::Database& database_;
  system::Files& files_;
  std::string named_;
  std::map<std::string, ReferenceFile> read_;  // by path
};

}  // namespace orch::score
