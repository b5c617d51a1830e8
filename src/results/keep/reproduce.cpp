#include "results/keep/reproduce.hpp"

#include "core/base/json_text.hpp"
#include "core/base/text.hpp"
#include "spec/matrix/source.hpp"
#include "results/tables/statements.hpp"

#include <nlohmann/json.hpp>

#include <map>

namespace orch::keep {

namespace {

using nlohmann::json;

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

std::vector<std::pair<std::string, std::string>> components_of(const std::string& list) {
  std::vector<std::pair<std::string, std::string>> components;
  const json parsed = json::parse(list, nullptr, false);
  if (!parsed.is_array()) return components;
  for (const json& pair : parsed)
    if (pair.is_array() && pair.size() == 2 && pair[0].is_string() && pair[1].is_string())
      components.emplace_back(pair[0], pair[1]);
  return components;
}

// "SOURCE@COMMIT" of a stage's identity of a model pins SOURCE.
void pin(OnePoint& point, const RecordedStage& stage) {
  for (const auto& [name, value] : stage.components) {
    const std::size_t at = value.rfind('@');
    if (!name.ends_with(".source") || at == std::string::npos) continue;
    if (matrix::is_pinned(value.substr(at + 1)))
      point.revisions[value.substr(0, at)] = value.substr(at + 1);
  }
}

// Identities that the file cannot pin but that a reader may have to compare.
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

// Names of components may repeat ("output"): each occurrence is compared with its counterpart.
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

Result<RecordedPoint> recorded_point(sql::Database& database, const std::string& point) {
  tables::Statements statements(database);
  RecordedPoint recorded;
  std::int64_t id = 0;
  ORCH_TRY(statements.rows(
      k_newest,
      [&](sql::Statement& row) {
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
      },
      point));
  if (id == 0)
    return Error{ErrorKind::not_found, fmt::format("no point {} in this store", quoted(point)), {}};
  if (recorded.matrix_text.empty())
    return invalid(fmt::format(
        "{} comes from no matrix: `orchestrate show {}` has the command that measured it", point,
        point));
  recorded.point.name = point;
  ORCH_TRY(statements.rows(
      k_stages,
      [&](sql::Statement& row) {
        recorded.stages.push_back({row.column_text(0), row.column_text(1), row.column_text(2),
                                   components_of(row.column_text(3))});
      },
      id));
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
  std::map<std::string, std::size_t> nth;  // of the stages of one name, in the order of the plan
  for (const RecordedStage& was : recorded.stages) {
    std::size_t skip = nth[was.name]++;
    const plan::Stage* now = nullptr;
    for (const plan::PlannedPoint& point : plan.points)
      for (const plan::StageId& id : point.stages) {
        const auto stage =
            std::ranges::find_if(plan.stages, [&](const plan::Stage& one) { return one.id == id; });
        if (stage->spec.name == was.name && !now && skip-- == 0) now = &*stage;
      }
    // Further sessions and measurements that `run --again` or `--repeats` added are no part of the
    // matrix.
    if (!now && nth[was.name] > 1) continue;
    if (!now) found.push_back({was.id, {"no stage of that name is planned any more"}});
    else if (now->digest.hex() != was.digest || !now->unknown.empty())
      found.push_back({was.id, compare(was, now->components)});
  }
  return found;
}

}  // namespace orch::keep
