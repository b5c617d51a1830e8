#include "plan/graph/pruning.hpp"

#include "core/base/text.hpp"

namespace orch::plan {

namespace {

enum class Order { less, equal, more, other };

Order compare(const matrix::Value* a, const matrix::Value* b) {
  if (!a || !b) return !a && !b ? Order::equal : Order::other;
  if (a->text == b->text) return Order::equal;
  const auto x = to_real(a->text), y = to_real(b->text);
  if (!x || !y) return Order::other;
  return *x < *y ? Order::less : *x > *y ? Order::more : Order::equal;
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

}  // namespace

bool is_out_of_memory(std::string_view klass) { return klass == "cuda_oom" || klass == "host_oom"; }

std::vector<std::size_t> pruned_by(const Plan& plan, std::size_t point) {
  std::vector<std::size_t> pruned;
  if (plan.prune_by.empty()) return pruned;
  const PlannedPoint& small = plan.points[point];
  const auto needs_more = [&](const PlannedPoint& large) {
    bool more = false;
    for (const std::string& name : plan.varied) {
      const Order order =
          compare(large.point.parameters.find(name), small.point.parameters.find(name));
      const bool may_grow = contains(plan.prune_by, name);
      if (order != Order::equal && !(may_grow && order == Order::more)) return false;
      more = more || order == Order::more;
    }
    return more;
  };
  for (std::size_t p = 0; p < plan.points.size(); ++p)
    if (plan.points[p].runner == small.runner && needs_more(plan.points[p])) pruned.push_back(p);
  return pruned;
}

std::string pruned_why(const Plan& plan, std::size_t point, std::string_view klass) {
  const PlannedPoint& small = plan.points[point];
  std::vector<std::string> values;
  for (const std::string& name : plan.prune_by)
    if (const matrix::Value* value = small.point.parameters.find(name))
      values.push_back(name + " " + value->text);
  return fmt::format("pruned: {} ran out of memory ({}) with {}", small.point.name, klass,
                     join(values, ", "));
}

}  // namespace orch::plan
