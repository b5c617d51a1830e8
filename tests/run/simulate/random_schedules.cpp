#include "run/simulate/random_schedules.hpp"

#include "run/simulate/checker.hpp"
#include "run/simulate/random_plan.hpp"

namespace orch::simulate {

Judged judge_random_schedules(std::uint64_t count) {
  Judged judged;
  while (judged.fault.empty() && judged.seed < count) {
    const Drawn drawn = Drawing(++judged.seed).draw();
    const Timeline timeline = simulate(drawn.plan, drawn.conditions);
    Checker checker(drawn.plan, drawn.conditions, timeline);
    judged.fault = checker.fault();
    judged.most_passed = std::max(judged.most_passed, checker.most_passed());
    judged.spans += timeline.spans.size();
  }
  return judged;
}

}  // namespace orch::simulate
