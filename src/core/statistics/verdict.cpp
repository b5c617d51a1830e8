#include "core/statistics/verdict.hpp"

#include <cassert>
#include <cmath>

namespace orch::statistics {

Limits limits_of_difference(const BoundedEstimate& a, const BoundedEstimate& b) {
  const double difference = a.value - b.value;
  Limits out;
  if (a.limits.low && b.limits.high)
    out.low = difference - std::hypot(a.value - *a.limits.low, *b.limits.high - b.value);
  if (a.limits.high && b.limits.low)
    out.high = difference + std::hypot(*a.limits.high - a.value, b.value - *b.limits.low);
  return out;
}

Judgement judge(const SessionDifference& difference, const Question& question) {
  assert(!question.size || *question.size > 0);
  if (!difference.inference) return {};
  const Inference& found = *difference.inference;
  Judgement out;
  out.bound = std::max(std::abs(found.low), std::abs(found.high));
  out.within_size = question.size && out.bound <= *question.size;
  if (question.adjusted_p.value_or(found.p) < 1 - found.level) {
    const bool rose = *difference.difference > 0;
    out.verdict = rose == (question.better == Better::higher) ? Verdict::better : Verdict::worse;
  } else if (question.size && !out.within_size) {
    out.verdict = Verdict::not_enough_data;
  } else {
    out.verdict = Verdict::no_difference;
  }
  return out;
}

}  // namespace orch::statistics
