#include "results/score/read_side.hpp"

#include "results/tables/statements.hpp"

#include <fmt/ranges.h>

namespace orch::score {

namespace {

// What may make a server answer the same prompt differently.
class Causes {
 public:
  void add(const Target& target) {
    if (target.temperature.value_or(0) > 0)
      causes_.insert(target.seed ? fmt::format("sampling (temperature {}, random_seed {})",
                                               *target.temperature, *target.seed)
                                 : fmt::format("sampling (temperature {}) without a random_seed",
                                               *target.temperature));
    if (!target.concurrency) is_open_ = true;
    else if (*target.concurrency > 1) concurrencies_.insert(*target.concurrency);
  }

  std::set<std::string> take() {
    static constexpr std::string_view k_batching =
        "which requests share a step depends on time, and sums of other batch sizes round "
        "differently";
    if (is_open_) causes_.insert(fmt::format("batching (open loop: {})", k_batching));
    if (!concurrencies_.empty())
      causes_.insert(fmt::format("batching (concurrency {}: {})", fmt::join(concurrencies_, ", "),
                                 k_batching));
    return std::move(causes_);
  }

 private:
  std::set<std::string> causes_;
  std::set<std::int64_t> concurrencies_;
  bool is_open_ = false;
};

}  // namespace

Result<Side> read_side(sql::Database& database, AnswerReader& reader,
                       const std::vector<Target>& targets) {
  tables::Statements statements(database);
  Side side;
  Causes causes;
  for (const Target& target : targets) {
    ORCH_ASSIGN(KeptAnswers kept, reader.read(target, true));
    causes.add(target);
    std::map<std::int64_t, std::map<std::string, double>> scores;  // by line
    ORCH_TRY(statements.rows(
        "SELECT s.scorer, CAST(t.key AS INTEGER), t.value FROM score s CROSS JOIN "
        "json_each(packed_text(s.scores)) t WHERE s.measurement_id = ?",
        [&](sql::Statement& row) {
          scores[row.column_int(1)][row.column_text(0)] = row.column_real(2);
        },
        target.id));
    ORCH_TRY(statements.rows(
        "SELECT scorer, digest || ' ' || references_sha256 FROM score WHERE measurement_id = ?",
        [&](sql::Statement& row) { side.scorers[row.column_text(0)].insert(row.column_text(1)); },
        target.id));
    for (KeptAnswer& one : kept.answers) {
      const auto found = scores.find(one.line);
      side.answers.push_back({.point = target.point,
                              .prompt = std::move(one.prompt),
                              .text = std::move(one.text),
                              .answer = std::move(one.answer),
                              .scores = found == scores.end() ? std::map<std::string, double>()
                                                              : std::move(found->second)});
    }
  }
  side.causes = causes.take();
  return side;
}

}  // namespace orch::score
