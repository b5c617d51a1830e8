#include "matrix/assignment.hpp"

#include "base/text.hpp"

namespace orch::matrix {

namespace {

class Assigner {
 public:
  Assigner(const Matrix& matrix, const Vocabulary& vocabulary, Errors& errors, std::vector<std::string>& warnings)
      : matrix_(matrix), vocabulary_(vocabulary), errors_(errors), warnings_(warnings) {
    for (const Parameter& parameter : vocabulary_.parameters) known_.push_back(parameter.name);
    for (const Expression& let : matrix_.let) lets_.insert(let.name);
  }

  Assignment assign() {
    for (const Axis& axis : matrix_.axes) assign_axis(axis);
    for (const auto& [name, scalar] : matrix_.defaults) assign_default(name, scalar);
    for (const Parameter& parameter : vocabulary_.parameters)
      if (parameter.fallback && !setters_.contains(parameter.name) && !is_let(parameter.name)) assign_fallback(parameter);
    return std::move(out_);
  }

 private:
  void assign_axis(const Axis& axis) {
    std::vector<std::vector<Setting>> values;
    std::set<std::string> seen;
    for (const AxisValue& written : axis.values) {
      std::vector<Setting> settings;
      for (const auto& [name, scalar] : written.sets) {
        setters_.try_emplace(name, fmt::format("axis '{}'", axis.name));
        if (auto setting = read(name, scalar)) settings.push_back(std::move(*setting));
      }
      if (!settings.empty() && !seen.insert(canonical(settings)).second)
        errors_.push_back(invalid(fmt::format("axis '{}' has this value twice; take one out", axis.name), written.where));
      values.push_back(std::move(settings));
    }
    out_.axes.push_back(std::move(values));
  }

  // What SETTINGS say, the same text for the same values however they are written.
  static std::string canonical(const std::vector<Setting>& settings) {
    std::set<std::string> parts;
    for (const auto& [parameter, value] : settings)
      parts.insert(fmt::format("{}={}", parameter->name, value.type == Type::real ? fmt::format("{}", to_real(value.text).value_or(0)) : value.text));
    return fmt::format("{}", fmt::join(parts, std::string(1, '\0')));
  }

  void assign_default(const std::string& name, const Yaml& scalar) {
    auto setting = read(name, scalar);
    std::string stronger = is_let(name) ? "let" : "";
    if (const auto axis = setters_.find(name); axis != setters_.end()) stronger = axis->second;
    if (!stronger.empty()) {
      warnings_.push_back(fmt::format("{}: default '{}' has no effect: {} sets it", to_string(scalar.where), name, stronger));
      return;
    }
    setters_.emplace(name, "default");
    if (setting) out_.fixed[name] = std::move(*setting);
  }

  void assign_fallback(const Parameter& parameter) {
    out_.fixed[parameter.name] = {.parameter = &parameter, .value = *parameter.fallback};
    if (parameter.name == "model") check_model(parameter.fallback->text, matrix_.runner_where);
  }

  void check_model(const std::string& model, const Location& where) {
    if (auto why = refuse_model(matrix_, model)) errors_.push_back(invalid(std::move(*why), where));
  }

  bool is_let(const std::string& name) const { return lets_.contains(name); }

  std::optional<Setting> read(const std::string& name, const Yaml& scalar) {
    const Parameter* parameter = vocabulary_.find(name);
    if (!parameter) {
      if (out_.unknown.insert(name).second)
        errors_.push_back(invalid(fmt::format("unknown parameter '{}' of runner '{}'{}", name, vocabulary_.runner, suggestion(name)), scalar.where));
      return std::nullopt;
    }
    auto value = read_value(*parameter, scalar);
    if (!value) {
      errors_.push_back(std::move(value).error());
      return std::nullopt;
    }
    if (name == "model") check_model(value->text, scalar.where);
    return Setting{.parameter = parameter, .value = std::move(*value)};
  }

  std::string suggestion(const std::string& name) const {
    const std::string near = did_you_mean(name, known_);
    return near.empty() ? fmt::format("; it has: {}", known_.empty() ? "none" : join(known_, ", ")) : near;
  }

  const Matrix& matrix_;
  const Vocabulary& vocabulary_;
  Errors& errors_;
  std::vector<std::string>& warnings_;
  std::vector<std::string> known_;
  std::set<std::string> lets_;
  std::map<std::string, std::string> setters_;  // parameter -> "axis 'NAME'" or "default"
  Assignment out_;
};

}  // namespace

Assignment assign(const Matrix& matrix, const Vocabulary& vocabulary, Errors& errors, std::vector<std::string>& warnings) {
  return Assigner(matrix, vocabulary, errors, warnings).assign();
}

std::optional<std::string> refuse_model(const Matrix& matrix, const std::string& model) {
  if (matrix.models.contains(model)) return std::nullopt;
  std::vector<std::string> names;
  for (const auto& [name, entry] : matrix.models) names.push_back(name);
  const std::string near = did_you_mean(model, names);
  if (!near.empty()) return fmt::format("model '{}' is not under 'models'{}", model, near);
  return fmt::format("model '{0}' is not under 'models'; add there {0}: {{source: \"hf:OWNER/NAME\"}} or local:PATH", model);
}

}  // namespace orch::matrix
