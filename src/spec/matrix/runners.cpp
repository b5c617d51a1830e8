#include "spec/matrix/runners.hpp"

#include "core/base/text.hpp"
#include "spec/matrix/assignment.hpp"

#include <algorithm>

namespace orch::matrix {

namespace {

const Yaml* runner_in(const Settings& sets) {
  for (const auto& [name, value] : sets)
    if (name == k_runner_key) return &value;
  return nullptr;
}

// The only axis that may set the runner; the number of axes if none does.
std::size_t runner_axis(const Matrix& matrix) {
  const auto found = std::ranges::find_if(matrix.axes, [](const Axis& axis) {
    return std::ranges::any_of(
        axis.values, [](const AxisValue& value) { return runner_in(value.sets) != nullptr; });
  });
  return static_cast<std::size_t>(found - matrix.axes.begin());
}

bool has_fact(const Vocabulary& vocabulary, const std::string& column) {
  return std::ranges::any_of(vocabulary.model_facts,
                             [&](const ModelFact& fact) { return fact.column.name == column; });
}

// A fact's name as written in a model's `facts:`.
std::string fact_column(const std::string& name) {
  return name.starts_with("model_") ? name : "model_" + name;
}

// Settings in OWN replace those with the same names.
void replace(Settings& all, const Settings& own) {
  for (const Settings::value_type& set : own) {
    std::erase_if(all, [&](const auto& one) { return one.first == set.first; });
    all.push_back(set);
  }
}

class Sharer {
 public:
  Sharer(const Matrix& matrix, const std::vector<Vocabulary>& vocabularies, Errors& errors)
      : matrix_(matrix),
        vocabularies_(vocabularies),
        errors_(errors),
        runners_(members_of(runners_of(matrix), &NamedRunner::name)),
        axis_(runner_axis(matrix)) {
    if (axis_ < matrix.axes.size())
      for (const SetByAxis& set : set_by(matrix.axes[axis_])) set_by_axis_.insert(set.name);
  }

  std::vector<Share> share() {
    refuse_strangers();
    std::vector<Share> shares;
    for (std::size_t runner = 0; runner < runners_.size(); ++runner) {
      Share share{.runner = runner, .matrix = matrix_, .vocabulary = vocabularies_[runner]};
      share.matrix.broken.insert(broken_.begin(), broken_.end());
      choose_axes(share);
      std::erase_if(share.matrix.include,
                    [&](const Include& entry) { return !belongs_to(entry, runner); });
      if (share.matrix.only_included && share.matrix.include.empty()) continue;
      choose_defaults(share);
      choose_entries(share);
      widen(share);
      shares.push_back(std::move(share));
    }
    return shares;
  }

 private:
  // The runner named in SETS, else the default.
  std::size_t runner_of(const Settings& sets) const {
    const Yaml* name = runner_in(sets);
    return name ? index_of(name->text).value_or(0) : 0;
  }

  bool has_values(std::size_t runner) const {
    if (axis_ == matrix_.axes.size()) return runner == 0;
    const auto& values = matrix_.axes[axis_].values;
    return std::ranges::any_of(
        values, [&](const AxisValue& value) { return runner_of(value.sets) == runner; });
  }

  // Whether ENTRY makes points of RUNNER. Without a runner, it replaces the axis of runners or
  // expands over it.
  bool belongs_to(const Include& entry, std::size_t runner) const {
    const bool replaces = std::ranges::any_of(
        entry.sets, [&](const auto& set) { return set_by_axis_.contains(set.first); });
    if (runner_in(entry.sets) || replaces) return runner_of(entry.sets) == runner;
    return has_values(runner);
  }

  void choose_axes(Share& share) const {
    share.matrix.only_included = !has_values(share.runner);
    if (axis_ == matrix_.axes.size()) return;
    auto& axes = share.matrix.axes;
    std::erase_if(axes[axis_].values,
                  [&](const AxisValue& value) { return runner_of(value.sets) != share.runner; });
    if (axes[axis_].values.empty()) axes.erase(axes.begin() + static_cast<std::ptrdiff_t>(axis_));
  }

  // The runner's defaults take precedence over the defaults for all runners.
  void choose_defaults(Share& share) const {
    for (const RunnerDefaults& own : matrix_.runner_defaults) {
      if (own.runner == runners_[share.runner]) replace(share.matrix.defaults, own.sets);
    }
    share.matrix.runner_defaults.clear();
  }

  // Removes facts of models and provided stages that only other runners have. Names that no runner
  // has stay, so that they are reported.
  void choose_entries(Share& share) const {
    const Vocabulary& own = vocabularies_[share.runner];
    const auto only_elsewhere = [&](const auto& has) {
      return !has(own) && std::ranges::any_of(vocabularies_, has);
    };
    for (auto& [name, model] : share.matrix.models)
      std::erase_if(model.facts, [&](const auto& fact) {
        return only_elsewhere(
            [&](const Vocabulary& one) { return has_fact(one, fact_column(fact.first)); });
      });
    std::erase_if(share.matrix.provide, [&](const Provision& entry) {
      return only_elsewhere(
          [&](const Vocabulary& one) { return contains(one.stages, entry.stage); });
    });
  }

  // Adds `runner`, and, without values, the parameters and facts that only other runners declare.
  void widen(Share& share) const {
    Vocabulary& own = share.vocabulary;
    Parameter runner;
    runner.name = k_runner_key;
    runner.fallback = Value{Type::text, runners_[share.runner]};
    runner.optional = true;
    own.parameters.push_back(std::move(runner));
    own.read.emplace_back(k_runner_key);
    for (const Vocabulary& other : vocabularies_) {
      for (const Parameter& parameter : other.parameters) add_empty(own, parameter);
      for (const ModelFact& fact : other.model_facts) add_empty(own, fact.column);
      for (const std::string& name : other.read)
        if (!vocabularies_[share.runner].is_read(name) && is_set_aside(own, name))
          own.read.push_back(name);
    }
  }

  static void add_empty(Vocabulary& own, const Parameter& parameter) {
    if (own.find(parameter.name) || has_fact(own, parameter.name)) return;
    Parameter empty;
    empty.name = parameter.name;
    empty.type = parameter.type;
    empty.optional = true;
    own.parameters.push_back(std::move(empty));
  }

  // Whether NAME may have a value that OWN does not read, because another runner does: a default or
  // a let.
  bool is_set_aside(const Vocabulary& own, const std::string& name) const {
    const Parameter* parameter = own.find(name);
    const bool may_lack = !parameter || parameter->optional || parameter->fallback ||
                          parameter->fallback_sql.has_value();
    return may_lack && std::ranges::none_of(matrix_.axes, [&](const Axis& axis) {
             return std::ranges::any_of(axis.values, [&](const AxisValue& value) {
               return std::ranges::any_of(value.sets,
                                          [&](const auto& set) { return set.first == name; });
             });
           });
  }

  // --- parameters of other runners

  void refuse_strangers() {
    for (std::size_t i = 0; i < matrix_.axes.size(); ++i) {
      const Axis& axis = matrix_.axes[i];
      const std::string what = fmt::format("axis {}", quoted(axis.name));
      std::set<std::string> reported;
      for (const AxisValue& value : axis.values)
        for (const auto& [name, written] : value.sets) {
          if (i == axis_) refuse_of_point(what, runner_of(value.sets), name, written.where);
          else refuse_of_all(what, name, written.where, reported);
        }
    }
    for (const Include& entry : matrix_.include)
      for (std::size_t runner = 0; runner < runners_.size(); ++runner)
        if (belongs_to(entry, runner))
          for (const auto& [name, written] : entry.sets)
            refuse_of_point("include", runner, name, written.where);
    std::set<std::string> reported;
    for (const auto& [name, written] : matrix_.defaults)
      if (!written.idle) refuse_of_all("defaults", name, written.where, reported);
    for (const RunnerDefaults& own : matrix_.runner_defaults)
      if (const auto runner = index_of(own.runner))
        for (const auto& [name, written] : own.sets)
          refuse_of_point("defaults", *runner, name, written.where);
  }

  std::optional<std::size_t> index_of(const std::string& runner) const {
    const auto found = std::ranges::find(runners_, runner);
    if (found == runners_.end()) return std::nullopt;
    return static_cast<std::size_t>(found - runners_.begin());
  }

  // The runners that have the parameter NAME, or those that lack it.
  std::vector<std::string> runners_with(const std::string& name, bool has) const {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < runners_.size(); ++i)
      if ((vocabularies_[i].find(name) != nullptr) == has) names.push_back(runners_[i]);
    return names;
  }

  void refuse_of_point(const std::string& what, std::size_t runner, const std::string& name,
                       const Location& where) {
    if (name == k_runner_key || vocabularies_[runner].find(name)) return;
    const auto owners = runners_with(name, true);
    if (owners.empty()) return;  // reported when the share is expanded
    broken_.insert(name);
    errors_.push_back(invalid(
        fmt::format("{}: runner '{}' of these points has no parameter {}; {} it: write it in a map "
                    "with runner: {}, or take it out",
                    what, runners_[runner], quoted(name), said_of(owners), owners.front()),
        where));
  }

  void refuse_of_all(const std::string& what, const std::string& name, const Location& where,
                     std::set<std::string>& reported) {
    const auto owners = runners_with(name, true), others = runners_with(name, false);
    if (name == k_runner_key || owners.empty() || others.empty()) return;
    broken_.insert(name);
    if (!reported.insert(name).second) return;
    errors_.push_back(invalid(
        fmt::format("{} sets {} for points of all runners, but only {} it, not {}; write it beside "
                    "runner: {} in a map of an axis, or under defaults: {{{}: {{{}: VALUE}}}}",
                    what, quoted(name), said_of(owners), join(others, ", "), owners.front(),
                    owners.front(), name),
        where));
  }

  static std::string said_of(const std::vector<std::string>& runners) {
    return runners.size() == 1 ? fmt::format("runner '{}' has", runners.front())
                               : fmt::format("the runners {} have", join(runners, ", "));
  }

  const Matrix& matrix_;
  const std::vector<Vocabulary>& vocabularies_;
  Errors& errors_;
  const std::vector<std::string> runners_;
  const std::size_t axis_;  // the axis that sets the runner
  std::set<std::string> set_by_axis_;
  std::set<std::string> broken_;  // refused parameters
};

}  // namespace

std::vector<NamedRunner> runners_of(const Matrix& matrix) {
  std::vector<NamedRunner> runners = {{matrix.runner, matrix.runner_where}};
  const auto add = [&](const Settings& sets) {
    const Yaml* name = runner_in(sets);
    if (!name || std::ranges::any_of(
                     runners, [&](const NamedRunner& one) { return one.name == name->text; }))
      return;
    runners.push_back({name->text, name->where});
  };
  for (const Axis& axis : matrix.axes)
    for (const AxisValue& value : axis.values) add(value.sets);
  for (const Include& entry : matrix.include) add(entry.sets);
  return runners;
}

bool has_runner_axis(const Matrix& matrix) {
  return runner_axis(matrix) < matrix.axes.size() ||
         std::ranges::any_of(matrix.include,
                             [](const Include& entry) { return runner_in(entry.sets) != nullptr; });
}

std::vector<Share> share_out(const Matrix& matrix, const std::vector<Vocabulary>& vocabularies,
                             Errors& errors) {
  if (has_runner_axis(matrix)) return Sharer(matrix, vocabularies, errors).share();
  Share whole{.runner = 0, .matrix = matrix, .vocabulary = vocabularies.front()};
  for (const RunnerDefaults& own : matrix.runner_defaults) replace(whole.matrix.defaults, own.sets);
  return {std::move(whole)};
}

}  // namespace orch::matrix
