// Whether the best configuration is told apart from others, with the server session as the unit of
// evidence. Knows no words for users.
#pragma once

#include "core/base/result.hpp"
#include "analysis/best/candidates.hpp"
#include "analysis/compare/lenders.hpp"
#include "analysis/compare/observations.hpp"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace orch::best {

// What a difference rests on.
enum class Ground {
  sessions,  // sessions of either configuration
  lent,      // the same, with the spread of earlier sessions of the machine
  shared,    // sessions that measured both, compared within each
  one,       // one session that measured both: their own intervals
  none,      // nothing: one session of each configuration, or no interval
};

struct Rivalry {
  Ground ground = Ground::none;
  std::optional<double> percent{};      // the rival minus the best, in % of the best
  std::optional<double> low{}, high{};  // limits of it, at 95 %
  std::size_t sessions_best = 0, sessions_rival = 0;
  double p = 1;  // of "they are equal", adjusted for the number of rivals
  bool is_separated = false;
  // On no ground, and yet beyond what sessions ever differed by; a remark
  // (statistics::is_far_larger).
  bool far_larger = false;
  // More sessions of each that would tell them apart, from their own spread. Empty: not known.
  std::optional<int> sessions_needed{};
};

// The measurements of configurations, with the objective as the first metric.
class Evidence {
 public:
  // ALSO: SQL over `results_all` that measurements must meet; "": all count.
  static Result<Evidence> read(sql::Database& database, const Question& question,
                               std::span<const Candidate> rows, const std::string& also = {});

  // In the order of ROWS, the best left out: P values are adjusted over all of them (Holm).
  Result<std::vector<Rivalry>> rivals_of(sql::Database& database, const Candidate& best,
                                         std::span<const Candidate> rows) const;

  std::vector<compare::ObservedSession> sessions_of(const Candidate& row) const;
  // Seconds that a session of its server takes for this configuration alone: start and window.
  // 0: not known.
  double session_seconds(const Candidate& row) const;
  // The sessions that lend their spread to ROWS, of the objective alone; none per joule.
  Result<compare::Lenders> lenders_of(sql::Database& database,
                                      std::span<const Candidate> rows) const;
  const compare::Selected& selected() const { return selected_; }

 private:
  Result<Rivalry> rivalry(sql::Database& database, const Candidate& best,
                          const Candidate& rival) const;

  const Question* question_ = nullptr;
  compare::Selected selected_;
};

}  // namespace orch::best
