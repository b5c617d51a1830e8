#include "results/keep/reproduce.hpp"

#include "core/base/json_scan.hpp"
#include "core/base/text.hpp"
#include "results/store/plan_record.hpp"
#include "results/tables/statements.hpp"
#include "spec/matrix/name_rules.hpp"

#include <nlohmann/json.hpp>

namespace orch::keep {

namespace {

using nlohmann::json;

// A scalar in double quotes, which YAML reads like JSON.
std::string quoted_scalar(const std::string& text) { return dump(json(text)); }

// VALUE as it is written in a matrix.
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

  // VALUE of the parameter NAME in YAML. Texts are quoted, so that a text or version is not read as
  // a number.
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

  // Writes the models that the point names.
  void models() {
    std::string entries;
    for (const auto& [name, model] : matrix_.models) {
      const bool is_named = std::ranges::any_of(values_, [&, &name = name](const auto& value) {
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
      const bool is_named = name == matrix_.measure.prompts ||
                            std::ranges::any_of(values_, [&, &name = name](const auto& value) {
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

  // Writes the axes of the experiment, each with the point's value, because the name of the point
  // consists of these. Values from `include` or with another spelling become defaults.
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

  // A name for an axis of maps: an axis named after a parameter would have to list values. Names of
  // points do not contain the names of axes.
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

  // Writes the values of names that are not parameters, and NULL for parameters that have no value
  // although the runner has a default.
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
    if (measure.isolation) out_ += fmt::format("  isolation: {}\n", to_string(*measure.isolation));
    if (measure.gpu_clock_mhz > 0)
      out_ += fmt::format("  gpu_clock_mhz: {}\n", measure.gpu_clock_mhz);
    const matrix::Limits& limits = measure.limits;
    out_ += fmt::format("  limits: {{wake_lag_ms: {}, send_lag_ms: {}, client_cpu_share: {}}}\n",
                        limits.wake_lag_ms, limits.send_lag_ms, limits.client_cpu_share);
  }

  const matrix::Matrix& matrix_;
  const matrix::Vocabulary& vocabulary_;
  const OnePoint& point_;
  std::map<std::string, json> values_;
  std::set<std::string> set_;  // parameters that an axis sets
  std::string out_;
};

constexpr std::string_view k_newest = R"(
SELECT r.experiment, coalesce(json_extract(p.parameters, '$.runner'), r.runner), r.id,
  r.matrix_file, r.matrix_text, coalesce(r.folder, ''), p.id, p.parameters
FROM point p JOIN run r ON r.id = p.run_id
WHERE p.name = ?1 AND p.id = (SELECT max(id) FROM point WHERE name = ?1))";

constexpr std::string_view k_stages = R"(
SELECT rs.plan_id, s.name, coalesce(s.digest, ''), s.components
FROM point_stage ps JOIN point p ON p.id = ps.point_id JOIN stage s ON s.id = ps.stage_id
JOIN run_stage rs ON rs.run_id = p.run_id AND rs.stage_id = s.id
WHERE ps.point_id = ? ORDER BY ps.place)";

// Pins SOURCE to COMMIT if "SOURCE@COMMIT" is the identity of a model or dataset in STAGE.
void pin(OnePoint& point, const RecordedStage& stage) {
  for (const auto& [name, value] : stage.components) {
    const std::size_t at = value.rfind('@');
    if (!name.ends_with(".source") || at == std::string::npos) continue;
    if (matrix::is_pinned(value.substr(at + 1)))
      point.revisions[value.substr(0, at)] = value.substr(at + 1);
  }
}

// Adds remarks about identities that the file cannot pin, but that a reader may need to compare.
void remark(OnePoint& point, const RecordedStage& stage) {
  for (const auto& [name, value] : stage.components)
    if (name == "dataset" || name == "version" || name == "machine" || name == "gpu" ||
        name.ends_with(".source") || name.starts_with("executable.")) {
      std::string line = fmt::format("{}: {} {}", stage.name, name, value);
      if (std::ranges::find(point.remarks, line) == point.remarks.end())
        point.remarks.push_back(std::move(line));
    }
}

std::string cut(const std::string& value) {
  static constexpr std::size_t k_shown = 80;
  return value.size() > k_shown ? value.substr(0, k_shown) + "..." : value;
}

// Several components may have the same name ("output"): the n-th is compared with the n-th.
std::vector<std::string> compare(const RecordedStage& was, const Components& now) {
  std::map<std::string, std::vector<std::string>> before, after;
  for (const auto& [name, value] : was.components) before[name].push_back(value);
  for (const auto& [name, value] : now.list()) after[name].push_back(value);
  std::vector<std::string> what;
  for (const auto& [name, values] : before)
    if (const auto other = after.find(name); other == after.end() || other->second != values)
      what.push_back(
          fmt::format("{}: {} -> {}", name, cut(join(values, ", ")),
                      other == after.end() ? "(absent)" : cut(join(other->second, ", "))));
  for (const auto& [name, values] : after)
    if (!before.contains(name))
      what.push_back(fmt::format("{}: (absent) -> {}", name, cut(join(values, ", "))));
  return what;
}

}  // namespace

std::string one_point_matrix(const matrix::Matrix& matrix, const matrix::Vocabulary& vocabulary,
                             const std::string& runner, const OnePoint& point) {
  return Writer(matrix, vocabulary, point).text(runner);
}

Result<RecordedPoint> recorded_point(sql::Database& database, const std::string& point) {
  tables::Statements statements(database);
  RecordedPoint recorded;
  std::int64_t id = 0;
  ORCH_TRY(statements.rows(k_newest, point, [&](sql::Statement& row) {
    recorded.experiment = row.column_text(0);
    recorded.runner = row.column_text(1);
    recorded.run = row.column_int(2);
    recorded.matrix_file = row.column_text(3);
    recorded.matrix_text = row.column_text(4);
    recorded.folder = row.column_text(5);
    id = row.column_int(6);
    const json parameters = json::parse(row.column_text(7), nullptr, false);
    if (!parameters.is_object()) return;
    for (const auto& [name, value] : parameters.items())
      recorded.point.parameters.emplace_back(name, dump(value));
  }));
  if (id == 0) return not_found(fmt::format("no point {} in this store", quoted(point)));
  if (recorded.matrix_text.empty())
    return invalid(fmt::format(
        "{} was not planned from a matrix; `orchestrate show {}` has the command that measured it",
        point, point));
  recorded.point.name = point;
  ORCH_TRY(statements.rows(k_stages, id, [&](sql::Statement& row) {
    recorded.stages.push_back({row.column_text(0), row.column_text(1), row.column_text(2),
                               store::components_in(row.column_text(3))});
  }));
  recorded.point.remarks = {
      fmt::format("The point {}", point),
      fmt::format("of the experiment {}, as run {} planned it. Its stages had these identities:",
                  recorded.experiment, recorded.run)};
  for (const RecordedStage& stage : recorded.stages) {
    pin(recorded.point, stage);
    remark(recorded.point, stage);
  }
  return recorded;
}

MatrixTexts matrix_texts(const std::string& recorded) {
  static constexpr std::string_view k_mark = "\n# --- base: ";
  MatrixTexts texts;
  std::size_t at = std::min(recorded.find(k_mark), recorded.size());
  texts.matrix = recorded.substr(0, at);
  while (at < recorded.size()) {
    const std::size_t name = at + k_mark.size();
    const std::size_t end = std::min(recorded.find('\n', name), recorded.size());
    at = std::min(recorded.find(k_mark, end), recorded.size());
    const std::size_t text = std::min(end + 1, recorded.size());
    texts.bases.emplace_back(recorded.substr(name, end - name),
                             recorded.substr(text, at > text ? at - text : 0));
  }
  return texts;
}

std::vector<Difference> differences(const RecordedPoint& recorded, const plan::Plan& plan) {
  std::vector<Difference> found;
  std::map<std::string, std::size_t> nth;  // index among the stages of one name, in plan order
  for (const RecordedStage& was : recorded.stages) {
    std::size_t skip = nth[was.name]++;
    const plan::Stage* now = nullptr;
    for (const plan::PlannedPoint& point : plan.points)
      for (const plan::StageId& id : point.stages) {
        const auto stage = std::ranges::find(plan.stages, id, &plan::Stage::id);
        if (stage->spec.name == was.name && !now && skip-- == 0) now = &*stage;
      }
    // Additional sessions and measurements from `run --again` or `--repeats` are not part of the
    // matrix.
    if (!now && nth[was.name] > 1) continue;
    if (!now) found.push_back({was.id, {"no stage of that name is planned any more"}});
    else if (now->digest.hex() != was.digest || !now->unknown.empty())
      found.push_back({was.id, compare(was, now->components)});
  }
  return found;
}

}  // namespace orch::keep
