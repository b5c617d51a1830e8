#include "core/statistics/verdict.hpp"

#include <cassert>
#include <cmath>

namespace orch::statistics {

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
