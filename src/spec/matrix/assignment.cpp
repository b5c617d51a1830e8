#include "spec/matrix/assignment.hpp"

#include "core/base/text.hpp"
#include "spec/matrix/name_rules.hpp"

namespace orch::matrix {

namespace {

constexpr std::size_t k_suggestions = 200;
constexpr std::size_t k_listed = 40;  // names listed in a message

// Whether PART is some of the words of NAME: input_len is part of max_input_len.
bool is_part_of(std::string_view name, std::string_view part) {
  return !part.empty() &&
         fmt::format("_{}_", name).find(fmt::format("_{}_", part)) != std::string::npos;
}

// The shortest of NAMES that contains NAME, else one that NAME contains (tp for tp_size), else "".
std::string alike(const std::string& name, const std::vector<std::string>& names) {
  std::string longer, part;
  for (const std::string& one : names) {
    if (is_part_of(one, name) && (longer.empty() || one.size() < longer.size())) longer = one;
    if (is_part_of(name, one) && one.size() > part.size()) part = one;
  }
  return longer.empty() ? part : longer;
}

class Assigner {
 public:
  Assigner(const Matrix& matrix, const Vocabulary& vocabulary, Errors& errors,
           std::vector<std::string>& warnings)
      : matrix_(matrix), vocabulary_(vocabulary), errors_(errors), warnings_(warnings) {
    for (const Parameter& parameter : vocabulary_.parameters) known_.push_back(parameter.name);
    for (const Expression& let : matrix_.let) lets_.insert(let.name);
    for (std::size_t axis = 0; axis < matrix_.axes.size(); ++axis)
      for (const SetByAxis& set : set_by(matrix_.axes[axis]))
        set_by_.emplace(set.name, Setter{.axis = axis, .set = set});
  }

  Assignment assign() {
    for (const Axis& axis : matrix_.axes) assign_axis(axis);
    for (const Include& entry : matrix_.include) assign_include(entry);
    for (const auto& [name, scalar] : matrix_.defaults) assign_default(name, scalar);
    for (const Parameter& parameter : vocabulary_.parameters) {
      if (parameter.fallback && !defaults_.contains(parameter.name) && !is_let(parameter.name) &&
          !is_always_set(parameter.name))
        assign_fallback(parameter);
      require_value(parameter);
    }
    return std::move(out_);
  }

 private:
  struct Setter {
    std::size_t axis;
    SetByAxis set;
  };

  void assign_axis(const Axis& axis) {
    std::vector<std::vector<Setting>> values;
    std::set<std::string> seen;
    std::set<std::string> reported;
    for (const AxisValue& written : axis.values) {
      std::vector<Setting> settings = read(written.sets, reported);
      if (settings.size() == written.sets.size() && !seen.insert(canonical(settings)).second)
        errors_.push_back(
            invalid(fmt::format("axis {} has this value twice; take one out", quoted(axis.name)),
                    written.where));
      values.push_back(std::move(settings));
    }
    out_.axes.push_back(std::move(values));
  }

  void assign_include(const Include& entry) {
    std::set<std::string> reported;
    Partial partial{.settings = read(entry.sets, reported),
                    .replaces = std::vector<bool>(matrix_.axes.size())};
    for (const auto& [name, scalar] : entry.sets)
      if (const auto setter = set_by_.find(name); setter != set_by_.end())
        partial.replaces[setter->second.axis] = true;
    out_.include.push_back(std::move(partial));
  }

  std::vector<Setting> read(const Settings& written, std::set<std::string>& reported) {
    std::vector<Setting> settings;
    for (const auto& [name, scalar] : written)
      if (auto setting = read(name, scalar, reported)) settings.push_back(std::move(*setting));
    return settings;
  }

  // Equal settings give equal texts, however they are written.
  static std::string canonical(const std::vector<Setting>& settings) {
    std::set<std::string> parts;
    for (const auto& [parameter, value] : settings)
      parts.insert(fmt::format("{}={}", parameter->name, value.text));
    return fmt::format("{}", fmt::join(parts, std::string(1, '\0')));
  }

  void assign_default(const std::string& name, const Yaml& scalar) {
    if (scalar.idle && vocabulary_.find(name)) return;
    std::set<std::string> reported;
    auto setting = read(name, scalar, reported);
    defaults_.insert(name);
    std::string stronger = is_let(name) ? "let" : "";
    if (is_always_set(name))
      stronger = fmt::format("axis {}", quoted(matrix_.axes[set_by_.at(name).axis].name));
    if (!stronger.empty())
      warnings_.push_back(fmt::format("{}: default {} has no effect: {} sets it",
                                      to_string(scalar.where), quoted(name), stronger));
    else if (setting) out_.fixed[name] = std::move(*setting);
  }

  void assign_fallback(const Parameter& parameter) {
    out_.fixed[parameter.name] = {.parameter = &parameter, .value = *parameter.fallback};
    if (names_model(parameter)) check_model(parameter.fallback->text, matrix_.runner_where);
  }

  void check_model(const std::string& model, const Location& where) {
    if (auto why = refuse_model(matrix_, model)) errors_.push_back(invalid(std::move(*why), where));
  }

  void check_dataset(const Parameter& parameter, const std::string& value, const Location& where) {
    std::vector<std::string> known = parameter.allowed;
    for (const auto& [name, dataset] : matrix_.datasets) known.push_back(name);
    if (contains(known, value) || matrix_.incomplete) return;
    errors_.push_back(invalid(
        fmt::format("'{}' is {}, which is not under 'datasets'{}{}", parameter.name, quoted(value),
                    parameter.allowed.empty()
                        ? ""
                        : fmt::format(", and is not {}", join(parameter.allowed, " or ")),
                    did_you_mean(value, known)),
        where));
  }

  bool is_let(const std::string& name) const { return lets_.contains(name); }

  // Whether an axis or an entry of `include` sets NAME in every point.
  bool is_always_set(const std::string& name) const {
    const auto setter = set_by_.find(name);
    if (setter == set_by_.end() ||
        setter->second.set.values < matrix_.axes[setter->second.axis].values.size())
      return false;
    return std::ranges::all_of(matrix_.include,
                               [&](const Include& entry) { return !lacks(entry, name); });
  }

  static bool sets(const Settings& settings, const std::string& name) {
    return std::ranges::any_of(settings,
                               [&](const auto& setting) { return setting.first == name; });
  }

  // Whether points of ENTRY get NAME neither from an axis nor from the entry.
  bool lacks(const Include& entry, const std::string& name) const {
    if (sets(entry.sets, name)) return false;
    const auto own = set_by_.find(name);
    if (own == set_by_.end()) return true;
    return std::ranges::any_of(entry.sets, [&](const auto& setting) {
      const auto setter = set_by_.find(setting.first);
      return setter != set_by_.end() && setter->second.axis == own->second.axis;
    });
  }

  void require_value(const Parameter& parameter) {
    const std::string& name = parameter.name;
    if (parameter.optional || parameter.fallback || parameter.fallback_sql || is_let(name) ||
        defaults_.contains(name))
      return;
    if (!vocabulary_.is_read(name) || matrix_.broken.contains(name)) return;
    const auto setter = set_by_.find(name);
    if (setter == set_by_.end() && std::ranges::none_of(matrix_.include, [&](const Include& entry) {
          return sets(entry.sets, name);
        })) {
      errors_.push_back(invalid(fmt::format("parameter '{0}' has no value, and runner '{1}' has no "
                                            "default for it; write {0}: [VALUE, ...] under "
                                            "'axes' or {0}: VALUE under 'defaults'",
                                            name, vocabulary_.runner),
                                matrix_.runner_where));
      return;
    }
    if (setter == set_by_.end() && !matrix_.only_included)
      return miss(name, "the points of the axes have no value for", matrix_.runner_where);
    if (setter != set_by_.end())
      for (const AxisValue& value : matrix_.axes[setter->second.axis].values)
        if (!sets(value.sets, name))
          return miss(name,
                      fmt::format("axis {}: this value leaves out",
                                  quoted(matrix_.axes[setter->second.axis].name)),
                      value.where);
    for (const Include& entry : matrix_.include)
      if (lacks(entry, name)) return miss(name, "include: this entry leaves out", entry.where);
  }

  void miss(const std::string& name, const std::string& what, const Location& where) {
    errors_.push_back(invalid(fmt::format("{} '{}', and runner '{}' has no default for it; write "
                                          "{}: VALUE here or under 'defaults'",
                                          what, name, vocabulary_.runner, name),
                              where));
  }

  // REPORTED: unknown names already reported at this place.
  std::optional<Setting> read(const std::string& name, const Yaml& scalar,
                              std::set<std::string>& reported) {
    const Parameter* parameter = vocabulary_.find(name);
    if (!parameter) {
      out_.unknown.insert(name);
      if (reported.insert(name).second && !matrix_.broken.contains(name))
        errors_.push_back(invalid(fmt::format("unknown parameter {} of runner '{}'{}", quoted(name),
                                              vocabulary_.runner, suggestion(name)),
                                  scalar.where));
      return std::nullopt;
    }
    if (parameter->is_compared) {
      errors_.push_back(invalid(
          fmt::format("parameter {}: points are compared by it, and runner '{}' computes it; take "
                      "it out",
                      quoted(name), vocabulary_.runner),
          scalar.where));
      return std::nullopt;
    }
    auto value = read_value(*parameter, scalar);
    if (!value) {
      Error error = std::move(value).error();
      if (vocabulary_.find(k_runner_key))  // the matrix has several runners
        error.message = fmt::format(
            "runner '{}': {}; write a value for one runner beside "
            "'runner' in a map of an axis, or in the runner's own defaults",
            vocabulary_.runner, error.message);
      errors_.push_back(std::move(error));
      return std::nullopt;
    }
    if (names_model(*parameter)) check_model(value->text, scalar.where);
    if (parameter->is_dataset) check_dataset(*parameter, value->text, scalar.where);
    return Setting{.parameter = parameter, .value = std::move(*value)};
  }

  std::string suggestion(const std::string& name) const {
    if (errors_.size() > k_suggestions) return "";
    if (const auto meant = synonym(name, known_))
      return fmt::format("; did you mean '{}'?", *meant);
    const std::string like = alike(name, known_);
    const bool of_words =
        like.size() > name.size() &&
        name.find('_') != std::string::npos;  // stronger evidence than common letters
    const std::string near = of_words ? "" : did_you_mean(name, known_);
    if (!near.empty()) return near;
    if (!like.empty()) return fmt::format("; did you mean '{}'?", like);
    if (known_.size() > k_listed)
      return fmt::format(
          "; `orchestrate init DIR --runner {}` writes a matrix with all {} parameters and their "
          "meanings",
          vocabulary_.runner, known_.size());
    return fmt::format("; it has: {}", known_.empty() ? "none" : join(known_, ", "));
  }

  const Matrix& matrix_;
  const Vocabulary& vocabulary_;
  Errors& errors_;
  std::vector<std::string>& warnings_;
  std::vector<std::string> known_;
  std::set<std::string> lets_;
  std::set<std::string> defaults_;
  std::map<std::string, Setter> set_by_;  // parameter -> the axis that sets it
  Assignment out_;
};

}  // namespace

Assignment assign(const Matrix& matrix, const Vocabulary& vocabulary, Errors& errors,
                  std::vector<std::string>& warnings) {
  return Assigner(matrix, vocabulary, errors, warnings).assign();
}

std::optional<std::string> refuse_model(const Matrix& matrix, const std::string& model) {
  constexpr std::size_t k_compared = 300;
  if (matrix.models.contains(model)) return std::nullopt;
  std::vector<std::string> names;
  for (const auto& [name, entry] : matrix.models)
    if (names.size() < k_compared) names.push_back(name);
  const std::string near = did_you_mean(model, names);
  if (!near.empty()) return fmt::format("model {} is not under 'models'{}", quoted(model), near);
  const std::string shown = refuse_free_name(model) ? "NAME" : model;
  return fmt::format(
      "model {} is not under 'models'; add there {}: {{source: \"hf:OWNER/NAME\"}} or local:PATH",
      quoted(model), shown);
}

}  // namespace orch::matrix
