#include "core/base/text.hpp"
#include "plan/graph/decide.hpp"
#include "plan/graph/stage_index.hpp"

#include <numeric>

namespace orch::plan {

namespace {

using Index = std::size_t;

using Group = std::span<Index>;  // of points

constexpr double k_unknown = std::numeric_limits<double>::infinity();  // a cost

// Servers and the kinds that they need, then the other kinds; both in manifest order.
std::vector<std::string> levels_of(const runner::Manifest& manifest) {
  std::set<std::string> servers;
  for (auto kind = manifest.stages.rbegin(); kind != manifest.stages.rend(); ++kind)
    if (kind->kind == runner::Kind::service || servers.contains(kind->name)) {
      servers.insert(kind->name);
      servers.insert(kind->needs.begin(), kind->needs.end());
    }
  std::vector<std::string> levels;
  for (const bool server : {true, false})
    for (const runner::StageKind& kind : manifest.stages)
      if (servers.contains(kind.name) == server) levels.push_back(kind.name);
  return levels;
}

class Orderer {
 public:
  Orderer(const Plan& plan, std::span<const Inputs> all) : plan_(plan), index_(plan) {
    std::vector<std::map<std::string, Index, std::less<>>> level_of;  // by runner
    for (const Inputs& inputs : all) {
      auto& levels = level_of.emplace_back();
      for (const std::string& name : levels_of(inputs.manifest))
        levels.emplace(name, levels.size());
      levels_ = std::max<Index>(levels_, levels.size());
    }
    for (const PlannedPoint& point : plan.points) {
      const Index first = chain_.size();
      chain_.resize(first + levels_, k_none);
      double cost = 0;
      for (const StageId& id : point.stages) {
        const Index stage = index_.at(id);
        // The first stage of a kind represents the point: its other repeats are shared in the same
        // way.
        std::uint32_t& mine =
            chain_[first + level_of[point.runner].at(plan.stages[stage].spec.name)];
        if (mine == k_none) mine = static_cast<std::uint32_t>(stage);
        cost += cost_of(plan.stages[stage]);
      }
      cost_.push_back(cost);
    }
    // Sessions added to earlier ones continue the same order, reversed in every other session,
    // although durations are known by now.
    if (adds_sessions(plan)) std::fill(cost_.begin(), cost_.end(), k_unknown);
  }

  const StageIndex& index() const { return index_; }
  // The cost of the stages left to run for each point, in seconds; k_unknown: the order must stay.
  const std::vector<double>& costs() const { return cost_; }

  // Indices of stages, in their new order.
  //
  // Every server has its first session before any has its second, and the second sessions are in
  // reverse order (A B B A A B): a slow drift of the machine affects all servers alike.
  std::vector<Index> stages() {
    const std::vector<std::vector<Index>> turns = turns_of_servers();
    std::vector<Index> stages;
    stages.reserve(plan_.stages.size());
    std::vector<char> seen(plan_.stages.size());
    const auto take = [&](const std::vector<Index>& points, bool odd) {
      for (const Index point : points)
        for (const StageId& id : plan_.points[point].stages)
          if (const Index stage = index_.at(id);
              (plan_.stages[stage].session % 2 != 0) == odd && !seen[stage]) {
            seen[stage] = true;
            stages.push_back(stage);
          }
    };
    for (const auto& points : turns) take(points, false);
    for (auto points = turns.rbegin(); points != turns.rend(); ++points) take(*points, true);
    std::ranges::stable_sort(stages, [&](Index a, Index b) {
      return plan_.stages[a].session < plan_.stages[b].session;
    });
    return stages;
  }

 private:
  static constexpr auto k_none = static_cast<std::uint32_t>(-1);

  // The points of each server, in order; the servers of several runners take turns.
  std::vector<std::vector<Index>> turns_of_servers() {
    std::vector<std::vector<Index>> turns;       // points of one server, by runner
    std::vector<std::pair<Index, Index>> order;  // number of the runner's turn, index in `turns`
    for (auto begin = plan_.points.begin(); begin != plan_.points.end();) {
      const auto end = std::find_if(begin, plan_.points.end(), [&](const PlannedPoint& point) {
        return point.runner != begin->runner;
      });
      std::vector<Index> own(static_cast<Index>(end - begin));
      std::iota(own.begin(), own.end(), static_cast<Index>(begin - plan_.points.begin()));
      sort(own, 0);
      Index turn = 0;
      for (Index i = 0; i < own.size(); ++i) {
        if (i == 0 || server_of(own[i]) != server_of(own[i - 1])) {
          order.emplace_back(turn++, turns.size());
          turns.emplace_back();
        }
        turns.back().push_back(own[i]);
      }
      begin = end;
    }
    std::ranges::sort(order);
    std::vector<std::vector<Index>> ordered;
    ordered.reserve(turns.size());
    for (const auto& [turn, group] : order) ordered.push_back(std::move(turns[group]));
    return ordered;
  }

  // The first server of POINT; k_none if there is none.
  Index server_of(Index point) const {
    for (const StageId& id : plan_.points[point].stages)
      if (const Index stage = index_.at(id); plan_.stages[stage].spec.kind == runner::Kind::service)
        return stage;
    return k_none;
  }

  static double cost_of(const Stage& stage) {
    return stage.status == Status::run ? stage.estimate.seconds.value_or(k_unknown) : 0;
  }

  void sort(Group points, Index level) {
    if (points.size() < 2) return;
    if (level == levels_) return sort_by_cost(points);
    std::vector<std::vector<Index>> groups = split(points, level);
    if (groups.size() == 1) return sort(points, level + 1);
    std::vector<std::pair<double, Index>> by_cost;
    for (Index i = 0; i < groups.size(); ++i) by_cost.emplace_back(cheapest(groups[i]), i);
    if (std::ranges::none_of(by_cost, [](const auto& entry) { return entry.first == k_unknown; }))
      std::ranges::sort(by_cost);
    Index at = 0;
    for (const auto& [cost, i] : by_cost) {
      std::copy(groups[i].begin(), groups[i].end(),
                points.begin() + static_cast<std::ptrdiff_t>(at));
      sort(points.subspan(at, groups[i].size()), level + 1);
      at += groups[i].size();
    }
  }

  // Groups points by their stage on LEVEL, in the order of their first point.
  std::vector<std::vector<Index>> split(Group points, Index level) const {
    std::vector<std::vector<Index>> groups;
    std::unordered_map<std::uint32_t, Index> group_of;
    for (const Index point : points) {
      const auto [group, is_new] =
          group_of.try_emplace(chain_[point * levels_ + level], groups.size());
      if (is_new) groups.emplace_back();
      groups[group->second].push_back(point);
    }
    return groups;
  }

  double cheapest(const std::vector<Index>& points) const {
    double cost = k_unknown;
    for (const Index point : points) cost = std::min(cost, cost_[point]);
    return cost;
  }

  void sort_by_cost(Group points) const {
    if (std::ranges::any_of(points, [&](Index point) { return cost_[point] == k_unknown; })) return;
    std::ranges::stable_sort(points, [&](Index a, Index b) { return cost_[a] < cost_[b]; });
  }

  const Plan& plan_;
  const StageIndex index_;
  Index levels_ = 0;
  std::vector<std::uint32_t> chain_;  // point x levels_ + level -> stage
  std::vector<double> cost_;          // of the stages left to run for a point, in seconds
};

// If stages run concurrently, the order in which they end matters more than whether neighbours
// share a server. In each session the cheapest point comes first, as a canary, then the stages that
// lead to the most GPUs in use at once, and of these the ones with the most work depending on them
// (longest processing time first). If a time is unknown, the order stays.
class LongestFirst {
 public:
  LongestFirst(const Plan& plan, const Orderer& orderer)
      : plan_(plan), index_(orderer.index()), costs_(orderer.costs()) {
    behind_.resize(plan.stages.size());
    widest_.resize(plan.stages.size());
    std::vector<double> measuring(plan.stages.size());
    for (Index i = plan.stages.size(); i-- > 0;) {
      const Stage& stage = plan.stages[i];
      const bool runs = stage.status == Status::run;
      const double own = runs ? stage.estimate.seconds.value_or(0) : 0;
      behind_[i] += own + measuring[i];
      if (runs) widest_[i] = std::max(widest_[i], stage.gpus);
      for (const Index need : index_.needs(stage)) {
        widest_[need] = std::max(widest_[need], widest_[i]);
        const bool served = plan.stages[need].spec.kind == runner::Kind::service;
        if (served) measuring[need] += behind_[i];
        else behind_[need] = std::max(behind_[need], behind_[i]);
      }
    }
    canary_.resize(plan.stages.size());
    mark_canary();
  }

  void sort(std::vector<Index>& stages) const {
    if (contains(costs_, k_unknown)) return;
    const auto place = [&](Index i) {
      if (canary_[i]) return std::tuple(plan_.stages[i].session, false, 0.0, 0.0);
      return std::tuple(plan_.stages[i].session, true, -widest_[i], -behind_[i]);
    };
    std::ranges::stable_sort(stages, [&](Index a, Index b) { return place(a) < place(b); });
  }

 private:
  void mark_canary() {
    const PlannedPoint* cheapest = nullptr;
    double least = k_unknown;
    for (Index p = 0; p < plan_.points.size(); ++p) {
      if (plan_.points[p].status != Status::run || costs_[p] >= least) continue;
      cheapest = &plan_.points[p];
      least = costs_[p];
    }
    if (!cheapest) return;
    for (const StageId& id : cheapest->stages) canary_[index_.at(id)] = true;
  }

  const Plan& plan_;
  const StageIndex& index_;
  const std::vector<double>& costs_;  // by point
  std::vector<double> behind_;  // seconds of a stage and the longest sequence of stages behind it
  std::vector<double> widest_;  // the most GPUs held by it or any stage that follows it
  std::vector<char> canary_;
};

enum class Order { less, equal, more, other };

Order compare(const matrix::Value* a, const matrix::Value* b) {
  if (!a || !b) return !a && !b ? Order::equal : Order::other;
  if (a->text == b->text) return Order::equal;
  const auto x = to_real(a->text), y = to_real(b->text);
  if (!x || !y) return Order::other;
  return *x < *y ? Order::less : *x > *y ? Order::more : Order::equal;
}

}  // namespace

void order(Plan& plan, std::span<const Inputs> all) {
  Orderer orderer(plan, all);
  std::vector<Index> from = orderer.stages();
  if (plan.isolation != matrix::Isolation::strict) LongestFirst(plan, orderer).sort(from);
  // In place: a second list of the stages would double the memory of planning.
  for (Index to = 0; to < from.size(); ++to) {
    while (from[to] < to) from[to] = from[from[to]];  // that stage has been moved
    if (from[to] != to) std::swap(plan.stages[to], plan.stages[from[to]]);
  }
}

bool is_out_of_memory(std::string_view failure_class) {
  return failure_class == "cuda_oom" || failure_class == "host_oom";
}

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

std::string pruned_why(const Plan& plan, std::size_t point, std::string_view failure_class) {
  const PlannedPoint& small = plan.points[point];
  std::vector<std::string> values;
  for (const std::string& name : plan.prune_by)
    if (const matrix::Value* value = small.point.parameters.find(name))
      values.push_back(name + " " + value->text);
  return fmt::format("pruned: {} ran out of memory ({}) with {}", small.point.name, failure_class,
                     join(values, ", "));
}

}  // namespace orch::plan
