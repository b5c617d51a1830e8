#include "run/schedule/start_order.hpp"

namespace orch::schedule {

using runner::Kind;

std::optional<Index> StartOrder::next(bool tasks, bool services) const {
  std::optional<StageQueue::Ready::value_type> first;
  for (const auto& [kind, wanted] : {std::pair(Kind::task, tasks), {Kind::service, services}}) {
    if (!wanted) continue;
    for (const auto& [klass, ready] : run_.stages.ready_by_class(kind)) {
      if (blocked_.contains({kind, klass})) continue;
      const auto usable = std::ranges::find_if(ready, [&, of = kind](const auto& entry) {
        return !skipped_.contains(entry.second) &&
               (of == Kind::task ? !needless_ || !needless_->is_held_back(entry.second)
                                 : run_.stages.can_serve(entry.second));
      });
      if (usable != ready.end() && (!first || *usable < *first)) first = *usable;
    }
  }
  return first ? std::optional(first->second) : std::nullopt;
}

}  // namespace orch::schedule
