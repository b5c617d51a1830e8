#include "results/keep/one_point.hpp"

#include "core/base/json_text.hpp"
#include "core/base/text.hpp"
#include "spec/matrix/source.hpp"

#include <nlohmann/json.hpp>

#include <set>

namespace orch::keep {

namespace {

using nlohmann::json;

// A scalar in double quotes, which YAML reads as JSON does.
std::string quoted_scalar(const std::string& text) { return dump(json(text)); }

// The text of a value as a matrix writes it.
std::string plain_text(const json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

class Writer {
 public:
  Writer(const matrix::Matrix& matrix, const matrix::Vocabulary& vocabulary, const OnePoint& point)
      : matrix_(matrix), vocabulary_(vocabulary), point_(point) {
    for (const auto& [name, text] : point_.parameters)
      values_[name] = json::parse(text, nullptr, false);
  }

  std::string text(const std::string& runner) {
    for (const std::string& remark : point_.remarks) out_ += "# " + printable_line(remark) + "\n";
    line("name", quoted_scalar(matrix_.name));
    line("runner", quoted_scalar(runner));
    models();
    datasets();
    axes();
    defaults();
    let();
    provide();
    servers(runner);
    machine();
    measure();
    return std::move(out_);
  }

 private:
  void line(std::string_view key, std::string_view value) {
    out_ += fmt::format("{}: {}\n", key, value);
  }

  // A value of the parameter NAME as the vocabulary reads it: quotes keep a version or a text from
  // being taken for a number.
  std::string scalar(const std::string& name, const json& value) const {
    const matrix::Parameter* known = vocabulary_.find(name);
    if (known && known->is_list && value.is_string()) return value.get<std::string>();
    return value.is_string() ? quoted_scalar(value.get<std::string>()) : value.dump();
  }

  void settings(const std::string& indent, const matrix::Settings& list) {
    for (const auto& [name, value] : list)
      out_ += fmt::format("{}{}: {}\n", indent, name,
                          value.quoted ? quoted_scalar(value.text) : value.text);
  }

  // The models that the point names.
  void models() {
    std::string entries;
    for (const auto& [name, model] : matrix_.models) {
      const bool is_named = std::ranges::any_of(values_, [&](const auto& value) {
        const matrix::Parameter* known = vocabulary_.find(value.first);
        return value.second == name && known && matrix::names_model(*known);
      });
      if (!is_named) continue;
      const auto pinned = point_.revisions.find(model.source);
      const std::string revision =
          pinned == point_.revisions.end() ? model.revision : pinned->second;
      entries +=
          fmt::format("  {}:\n    source: {}\n", quoted_scalar(name), quoted_scalar(model.source));
      if (!revision.empty()) entries += fmt::format("    revision: {}\n", quoted_scalar(revision));
      if (model.facts.empty()) continue;
      entries += "    facts:\n";
      std::swap(entries, out_);
      settings("      ", model.facts);
      std::swap(entries, out_);
    }
    if (!entries.empty()) out_ += "models:\n" + entries;
  }

  void datasets() {
    std::string entries;
    for (const auto& [name, dataset] : matrix_.datasets) {
      const bool is_named =
          name == matrix_.measure.prompts || std::ranges::any_of(values_, [&](const auto& value) {
            const matrix::Parameter* known = vocabulary_.find(value.first);
            return value.second == name && known && known->is_dataset;
          });
      if (!is_named) continue;
      const auto pinned = point_.revisions.find(dataset.origin());
      const std::string revision =
          pinned == point_.revisions.end() ? dataset.revision : pinned->second;
      entries +=
          fmt::format("  {}: {{source: {}", quoted_scalar(name), quoted_scalar(dataset.source));
      if (!revision.empty())
        entries += fmt::format(
            ", {}: {}", dataset.source.starts_with(matrix::k_url_scheme) ? "sha256" : "revision",
            quoted_scalar(revision));
      if (dataset.files != "[]") entries += ", files: " + dataset.files;
      if (!dataset.tokens.empty()) entries += ", tokens: " + dataset.tokens;
      entries += "}\n";
    }
    if (!entries.empty()) out_ += "datasets:\n" + entries;
  }

  bool has_values(const matrix::AxisValue& value) const {
    return std::ranges::all_of(value.sets, [&](const auto& set) {
      if (set.first == matrix::k_runner_key) return true;
      const auto known = values_.find(set.first);
      return known != values_.end() && set.second.is_scalar() &&
             plain_text(known->second) == set.second.text;
    });
  }

  // The axes of the experiment with the one value that the point has, because its name is made of
  // them. What `include` or another spelling set is a default below.
  void axes() {
    std::string entries;
    for (const matrix::Axis& axis : matrix_.axes) {
      const auto value =
          std::ranges::find_if(axis.values, [&](const auto& one) { return has_values(one); });
      if (value == axis.values.end()) continue;
      std::string sets;
      for (const auto& [name, scalar_node] : value->sets) {
        const auto known = values_.find(name);
        if (known == values_.end() || name == matrix::k_runner_key) continue;
        sets +=
            fmt::format("{}{}: {}", sets.empty() ? "" : ", ", name, scalar(name, known->second));
        set_.insert(name);
      }
      if (!sets.empty()) entries += fmt::format("  {}: [{{{}}}]\n", axis_name(axis.name), sets);
    }
    if (!entries.empty()) return static_cast<void>(out_ += "axes:\n" + entries);
    const auto first =
        std::ranges::find_if(values_, [&](const auto& value) { return is_settable(value.first); });
    if (first == values_.end()) return;
    out_ += fmt::format("axes:\n  {}: [{}]\n", first->first, scalar(first->first, first->second));
    set_.insert(first->first);
  }

  // An axis that is named after a parameter lists its values; a map needs another name. The name of
  // an axis is in no point.
  std::string axis_name(const std::string& name) {
    std::string free;
    for (const char c : name) free += is_letter_or_digit(c) || c == '_' ? c : '_';
    return fmt::format("axis_{}", free);
  }

  bool is_settable(const std::string& name) const {
    const matrix::Parameter* known = vocabulary_.find(name);
    return known && !known->is_compared && name != matrix::k_runner_key;
  }

  void defaults() {
    std::string entries;
    for (const auto& [name, value] : values_)
      if (is_settable(name) && !set_.contains(name) && !value.is_null())
        entries += fmt::format("  {}: {}\n", name, scalar(name, value));
    if (!entries.empty()) out_ += "defaults:\n" + entries;
  }

  // Names that are no parameters, and parameters that have no value though the runner has a
  // default.
  void let() {
    std::string entries;
    for (const auto& [name, value] : values_)
      if (!vocabulary_.find(name) && name != matrix::k_runner_key)
        entries += fmt::format("  {}: {}\n", name, quoted_scalar(sql_of(value)));
    for (const matrix::Parameter& parameter : vocabulary_.parameters) {
      const auto known = values_.find(parameter.name);
      const bool has_default = parameter.fallback || parameter.fallback_sql;
      if ((known == values_.end() || known->second.is_null()) && has_default &&
          is_settable(parameter.name))
        entries += fmt::format("  {}: \"NULL\"\n", parameter.name);
    }
    if (!entries.empty()) out_ += "let:\n" + entries;
  }

  static std::string sql_of(const json& value) {
    if (value.is_boolean()) return value.get<bool>() ? "1" : "0";
    return value.is_string() ? sql_text(value.get<std::string>()) : value.dump();
  }
  static std::string sql_text(const std::string& text) {
    std::string out = "'";
    for (const char c : text) out += c == '\'' ? "''" : std::string(1, c);
    return out + "'";
  }

  void provide() {
    std::map<std::string, std::string> stages;
    for (const matrix::Provision& one : matrix_.provide)
      stages[one.stage] += fmt::format("    - {{path: {}{}}}\n", quoted_scalar(one.path),
                                       one.when ? ", when: " + quoted_scalar(one.when->sql) : "");
    if (stages.empty()) return;
    out_ += "provide:\n";
    for (const auto& [stage, paths] : stages) out_ += fmt::format("  {}:\n{}", stage, paths);
  }

  void servers(const std::string& runner) {
    if (!matrix_.ports.empty()) {
      out_ += "ports:\n";
      for (const auto& [name, ports] : matrix_.ports)
        out_ += fmt::format("  {}: [{}]\n", name, fmt::join(ports.numbers, ", "));
    }
    const auto server = matrix_.services.find(runner);
    if (server == matrix_.services.end()) return;
    const matrix::RunningServer& known = server->second;
    out_ += fmt::format("service:\n  url: {}\n", quoted_scalar(known.url.text()));
    if (!known.ports.empty()) out_ += "  ports:\n";
    for (const auto& [name, url] : known.ports)
      out_ += fmt::format("    {}: {}\n", name, quoted_scalar(url.text()));
    if (!known.machine.empty())
      out_ += fmt::format("  machine: {}\n", quoted_scalar(known.machine));
    if (!known.token_env.empty())
      out_ += fmt::format("  token_env: {}\n", quoted_scalar(known.token_env));
    if (known.reuse) out_ += "  reuse: true\n";
  }

  void machine() {
    if (matrix_.machine.empty()) return;
    out_ += "machine:\n";
    settings("  ", matrix_.machine);
  }

  void measure() {
    const matrix::Measure& measure = matrix_.measure;
    out_ += fmt::format("measure:\n  seed: {}\n  prompts: {}\n", measure.seed,
                        quoted_scalar(measure.prompts));
    if (measure.warmup) out_ += fmt::format("  warmup: {}\n", quoted_scalar(measure.warmup->sql));
    if (measure.goodput)
      out_ += fmt::format("  goodput: {}\n", quoted_scalar(measure.goodput->sql));
    out_ += fmt::format("  repeats: {{measure: {}, serve: {}, build: {}}}\n", measure.repeats,
                        measure.serve_repeats, measure.build_repeats);
    const matrix::Limits& limits = measure.limits;
    out_ += fmt::format("  limits: {{wake_lag_ms: {}, send_lag_ms: {}, client_cpu_share: {}}}\n",
                        limits.wake_lag_ms, limits.send_lag_ms, limits.client_cpu_share);
  }

  const matrix::Matrix& matrix_;
  const matrix::Vocabulary& vocabulary_;
  const OnePoint& point_;
  std::map<std::string, json> values_;
  std::set<std::string> set_;  // by an axis
  std::string out_;
};

}  // namespace

std::string one_point_matrix(const matrix::Matrix& matrix, const matrix::Vocabulary& vocabulary,
                             const std::string& runner, const OnePoint& point) {
  return Writer(matrix, vocabulary, point).text(runner);
}

}  // namespace orch::keep
