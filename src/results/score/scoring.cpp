#include "results/score/scoring.hpp"

#include "core/base/digest.hpp"
#include "results/score/score_summary.hpp"
#include "results/tables/statements.hpp"

namespace orch::score {

Paper::Paper(const Target& target, const KeptAnswers& answers, const ReferenceFile* file)
    : target_(target), answers_(answers), file_(file) {
  Components components;
  for (const KeptAnswer& one : answers.answers) {
    const auto* references = file ? file->references.find(one.prompt, one.idx) : nullptr;
    if (file && !references) {
      ++without_reference_;
      continue;
    }
    questions_.push_back(
        {.id = one.line, .prompt = one.text, .answer = one.answer, .references = references});
    components.add("prompt", one.prompt);
    components.add("answer", one.answer);
    for (const std::string& text : references ? *references : std::vector<std::string>())
      components.add("reference", text);
  }
  digest_ = components.digest().hex();
}

std::optional<tables::Scored> Paper::scored(
    const Scorer& scorer, const std::map<std::int64_t, std::optional<double>>& scores,
    double at) const {
  tables::Scored out{.token = target_.token,
                     .ordinal = target_.ordinal,
                     .scorer = scorer.name,
                     .version = scorer.version,
                     .digest = scorer.digest,
                     .answers_sha256 = digest_,
                     .references = file_ ? file_->path : "",
                     .references_sha256 = file_ ? file_->sha256 : "",
                     .without_reference = without_reference_,
                     .unanswered = answers_.unanswered,
                     .at = at,
                     .metric = {},
                     .scores = {}};
  std::map<std::string, std::vector<double>> by_prompt;
  for (const KeptAnswer& one : answers_.answers) {
    const auto found = scores.find(one.line);
    if (found == scores.end()) continue;
    if (!found->second) {
      ++out.without_score;
      continue;
    }
    out.scores.emplace_back(one.line, *found->second);
    // Without its prompt, each request is one of its own.
    by_prompt[one.prompt.empty() ? "idx " + std::to_string(one.idx) : one.prompt].push_back(
        *found->second);
  }
  if (out.scores.empty()) return std::nullopt;
  out.prompts = static_cast<std::int64_t>(by_prompt.size());
  out.metric = summary(std::string(tables::k_score_prefix) + scorer.name, by_prompt);
  return out;
}

Result<std::optional<tables::Scored>> known_scores(sql::Database& database, const Target& target,
                                                   const Scorer& scorer, const Paper& paper) {
  tables::Statements statements(database);
  std::optional<tables::Scored> known;
  ORCH_TRY(statements.rows(
      "SELECT s.without_reference, s.without_score, s.unanswered, s.prompts, m.mean, "
      "m.interval_low, m.interval_high FROM score s JOIN metric m ON m.measurement_id = "
      "s.measurement_id AND m.name = ? WHERE s.measurement_id = ? AND s.scorer = ? AND s.digest = "
      "? AND s.answers_sha256 = ?",
      [&](sql::Statement& row) {
        tables::Scored& one = known.emplace();
        one.scorer = scorer.name;
        one.without_reference = row.column_int(0);
        one.without_score = row.column_int(1);
        one.unanswered = row.column_int(2);
        one.prompts = row.column_int(3);
        one.metric.mean = row.column_optional_real(4);
        one.metric.statistics[k_statistic_n] = static_cast<double>(one.prompts);
        one.metric.statistics[k_statistic_interval] = row.column_optional_real(5);
        one.metric.statistics[k_statistic_interval + 1] = row.column_optional_real(6);
      },
      std::string(tables::k_score_prefix) + scorer.name, target.id, scorer.name, scorer.digest,
      paper.digest()));
  return known;
}

}  // namespace orch::score
