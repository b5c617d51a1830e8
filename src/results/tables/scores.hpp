// The scores of kept answers: a scorer's score of each answer of a measurement, and the resulting
// metric score_NAME.
#pragma once

#include "bench/measure/over_repeats.hpp"
#include "bench/record/record_reader.hpp"
#include "core/base/result.hpp"
#include "results/tables/statements.hpp"
#include "results/tables/wide.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace orch::tables {

// The prefix of the metrics of scorers.
inline constexpr std::string_view k_score_prefix = "score_";

// The scores of one measurement by one scorer. A fact in the record of the run that made the
// measurement.
struct Scored {
  std::string token;         // of the attempt that made the measurement
  std::int64_t ordinal = 0;  // of the measurement in its record
  std::string scorer;        // "f1"
  std::string version;
  std::string digest;                  // sha256 over the scorer and its options
  std::string answers_sha256;          // over the scored answers
  std::string references;              // the file; "" for a scorer without references
  std::string references_sha256;       // of the file of references
  std::int64_t without_reference = 0;  // answers not scored for lack of a reference
  std::int64_t without_score = 0;      // answers for which the scorer returned null
  std::int64_t unanswered = 0;         // requests that failed, or whose answer is not kept
  std::int64_t prompts = 0;            // different prompts among the scored answers
  double at = 0;                       // seconds since the epoch
  record::NamedMetric metric = {};     // the mean over prompts, with its interval
  std::vector<std::pair<std::int64_t, double>> scores = {};  // line of the request -> score
};

std::string to_fact(const Scored& scored);
Result<Scored> parse_scored(const Value& fact);
// Stores SCORED inside the caller's transaction, in place of an earlier score of the same name.
// Skips a measurement that has been removed.
Status write_scored(Statements& statements, Wide& wide, const Scored& scored);

// The score of a point over REPEATS, which must not be empty. Repeats answer the same prompts, or
// others of the same dataset, so they add little evidence about other prompts: the limits and the
// number of prompts are means over the repeats.
measure::Repeat score_over_repeats(std::span<const measure::Repeat> repeats);

// "scores against different references: score_f1 against a.jsonl (1a2b3c4d), score_f1 against
// b.jsonl (5e6f7a8b)" if MEASUREMENTS were scored against different references; otherwise "".
Result<std::string> mixed_references(Statements& statements,
                                     std::span<const std::int64_t> measurements);

// The migration that adds the table `score`.
std::string_view scores_migration();

}  // namespace orch::tables
