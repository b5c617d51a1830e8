// The verdict on a difference: better, worse, no difference of a given size, or not enough data. An
// enum with its numbers; callers supply the wording.
#pragma once

#include "core/statistics/session_difference.hpp"

#include <optional>

namespace orch::statistics {

// An interval that may be unbounded on either side.

// nullopt: the data give no limit on this side.
struct Limits {
  std::optional<double> low{};
  std::optional<double> high{};

  bool operator==(const Limits&) const = default;
};

struct BoundedEstimate {
  double value = 0;
  Limits limits{};  // on both sides of VALUE, or equal to it
};

// The interval of A - B for independent estimates, from their own intervals, at the same level: the
// distances to the limits that face each other are added in quadrature (MOVER: Zou, Donner,
// Statistics in Medicine 27, 2008). Two intervals may overlap although the estimates differ
// significantly.
Limits limits_of_difference(const BoundedEstimate& a, const BoundedEstimate& b);

enum class Better { higher, lower };

enum class Verdict {
  better,           // side B is better, significantly
  worse,            // side B is worse, significantly
  no_difference,    // none larger than Question::size, or than Judgement::bound
  not_enough_data,  // the interval includes both "equal" and a difference of Question::size
  no_claim,         // no inference; SessionDifference::no_claim says why
};

struct Question {
  Better better = Better::higher;
  // The smallest difference that matters, positive, in the unit of the difference. Without it every
  // insignificant difference is "none larger than bound", never "not enough data".
  std::optional<double> size{};
  // Replaces the difference's p value if several are judged at once (see sequential.hpp).
  std::optional<double> adjusted_p{};
};

struct Judgement {
  Verdict verdict = Verdict::no_claim;
  // The largest absolute difference that the interval includes, in its unit; 0 without a claim.
  double bound = 0;
  // With a size: whether the whole interval is within it. A difference may be significant and yet
  // too small to matter.
  bool within_size = false;
};

// Uses the level of the difference's interval. With an adjusted p value a difference may be
// insignificant although its own interval excludes zero.
Judgement judge(const SessionDifference& difference, const Question& question);

}  // namespace orch::statistics
