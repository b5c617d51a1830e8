#include "results/tables/scores.hpp"

#include "core/base/fields_json.hpp"
#include "core/base/json_scan.hpp"
#include "core/base/text.hpp"
#include "results/tables/ingest.hpp"

#include <cmath>

#include <nlohmann/json.hpp>

namespace orch::tables {

namespace {

using nlohmann::json;
using record::NamedMetric;

constexpr std::string_view k_score_table = R"sql(
CREATE TABLE score (                     -- the answers of a measurement, judged by one scorer
  measurement_id INTEGER NOT NULL REFERENCES measurement,
  scorer TEXT NOT NULL,                  -- the metric is score_SCORER
  version TEXT NOT NULL,
  digest TEXT NOT NULL,                  -- sha256 over the scorer and its options
  answers_sha256 TEXT NOT NULL,          -- over prompts, answers and references that were scored
  references_file TEXT NOT NULL,
  references_sha256 TEXT NOT NULL,
  without_reference INTEGER NOT NULL,    -- answers that were not scored because nothing says what is right
  without_score INTEGER NOT NULL,        -- and because the scorer gave none
  unanswered INTEGER NOT NULL,           -- requests that failed, or whose answer is not kept
  prompts INTEGER NOT NULL,              -- different prompts among those that were scored
  scored_at REAL NOT NULL,
  scores BLOB NOT NULL,                  -- packed JSON object: line of the request -> score
  PRIMARY KEY (measurement_id, scorer)
) STRICT, WITHOUT ROWID;
)sql";

Value value_of_metric(const Scored& scored) {
  Object out = {{"name", scored.metric.name}, {"mean", scored.metric.mean.value_or(0)}};
  for (const Statistic one : k_suffixed)
    if (const auto& value = scored.metric.statistics[one]) out.emplace_back(to_string(one), *value);
  return out;
}

bool set_metric(Scored& scored, const Value& value) {
  const auto* object = std::get_if<Object>(&value);
  if (!object) return false;
  NamedMetric metric{.name = {}, .mean = {}};
  const auto read = [object](std::string_view key, auto& member) {
    const Value* found = member_of(*object, key);
    return found && assign(member, *found);
  };
  for (const Statistic one : k_suffixed) (void)read(to_string(one), metric.statistics[one]);
  const bool whole = read("name", metric.name) && read("mean", metric.mean) && metric.mean;
  scored.metric = std::move(metric);
  return whole;
}

Value value_of_scores(const Scored& scored) {
  List pairs;
  for (const auto& [line, score] : scored.scores) pairs.emplace_back(List{line, score});
  return pairs;
}

bool set_scores(Scored& scored, const Value& value) {
  const auto* pairs = std::get_if<List>(&value);
  if (!pairs) return false;
  for (const Value& each : *pairs) {
    const auto* pair = std::get_if<List>(&each);
    auto& [line, score] = scored.scores.emplace_back();
    if (!pair || pair->size() != 2 || !assign(line, (*pair)[0]) || !assign(score, (*pair)[1]))
      return false;
  }
  return true;
}

// Whether score_NAME is a valid name of a column.
bool is_scorer_name(std::string_view name) {
  return !name.empty() && name.size() <= 40 && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
}

Status put_metric(Statements& statements, std::int64_t id, const NamedMetric& metric) {
  ORCH_TRY(
      statements.run("DELETE FROM metric WHERE measurement_id = ? AND name = ?", id, metric.name));
  return put_metric_rows(statements, id, {&metric, 1});
}

// Writes the measurement's row of the wide table, which can only be written as a whole.
Status put_wide(Statements& statements, Wide& wide, std::int64_t id) {
  ORCH_ASSIGN(const auto metrics, metric_rows(statements, id));
  std::vector<std::string> known;  // ignored: the measurement already has these warnings
  return wide.put_metrics(id, metrics, known);
}

Status put_score(Statements& statements, std::int64_t id, const Scored& scored) {
  json lines = json::object();
  for (const auto& [line, score] : scored.scores) lines[std::to_string(line)] = score;
  return statements.run(
      "INSERT OR REPLACE INTO score (measurement_id, scorer, version, digest, answers_sha256, "
      "references_file, references_sha256, without_reference, without_score, unanswered, prompts, "
      "scored_at, scores) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, pack_text(?))",
      id, scored.scorer, scored.version, scored.digest, scored.answers_sha256, scored.references,
      scored.references_sha256, scored.without_reference, scored.without_score, scored.unanswered,
      scored.prompts, scored.at, dump(lines));
}

}  // namespace

measure::Repeat score_over_repeats(std::span<const measure::Repeat> repeats) {
  measure::Repeat out = measure::over_repeats(repeats);
  for (const Statistic at : {Statistic::n, Statistic::interval_low, Statistic::interval_high}) {
    double sum = 0, count = 0;
    for (const measure::Repeat& one : repeats) {
      if (!one.statistics[at]) continue;
      sum += *one.statistics[at];
      ++count;
    }
    if (count > 0) out.statistics[at] = at == Statistic::n ? std::round(sum / count) : sum / count;
    else out.statistics[at].reset();
  }
  return out;
}

Result<std::string> mixed_references(Statements& statements,
                                     std::span<const std::int64_t> measurements) {
  std::set<std::string> digests, texts;
  // One query for all, because a point may have as many measurements as a file has imported rows.
  ORCH_TRY(statements.rows(
      "SELECT DISTINCT scorer, references_file, references_sha256 FROM score "
      "WHERE measurement_id IN (SELECT value FROM json_each(?)) AND references_sha256 <> ''",
      fmt::format("[{}]", fmt::join(measurements, ",")), [&](sql::Statement& row) {
        const std::string digest = row.column_text(2);
        digests.insert(digest);
        texts.insert(fmt::format("{}{} against {} ({})", k_score_prefix, row.column_text(0),
                                 row.column_text(1), digest.substr(0, 8)));
      }));
  if (digests.size() < 2) return std::string();
  return fmt::format("scores against different references: {}", fmt::join(texts, ", "));
}

std::string_view scores_migration() { return k_score_table; }

constexpr auto fields_of(Tag<Scored>) {
  using S = Scored;
  constexpr auto section = FieldType::section;
  constexpr auto must = Presence::required;
  return rows_of(
      required<&S::token>("token"), required<&S::ordinal>("ordinal"),
      required<&S::scorer>("scorer"), required<&S::version>("version"),
      required<&S::digest>("digest"), required<&S::answers_sha256>("answers_sha256"),
      required<&S::references>("references"), required<&S::references_sha256>("references_sha256"),
      required<&S::without_reference>("without_reference"),
      required<&S::without_score>("without_score"), required<&S::unanswered>("unanswered"),
      required<&S::prompts>("prompts"), required<&S::at>("at"),
      Field<S>{"metric", "", section, value_of_metric, set_metric, {}, must},
      Field<S>{"scores", "", section, value_of_scores, set_scores, {}, must});
}

std::string to_fact(const Scored& scored) { return tagged_text("scored", object_of(scored)); }

Result<Scored> parse_scored(const Value& fact) {
  ORCH_ASSIGN(Scored scored, from_tagged<Scored>(fact, "scored"));
  if (!is_scorer_name(scored.scorer) ||
      scored.metric.name != fmt::format("{}{}", k_score_prefix, scored.scorer))
    return invalid(fmt::format("{} is not a name of a scorer", quoted(scored.scorer)));
  return scored;
}

Status write_scored(Statements& statements, Wide& wide, const Scored& scored) {
  std::int64_t id = 0, stage = 0;
  ORCH_TRY(statements.rows(
      "SELECT m.id, m.stage_id FROM measurement m JOIN attempt a ON a.id = m.attempt_id "
      "WHERE a.token = ? AND m.ordinal = ?",
      scored.token, scored.ordinal, [&](sql::Statement& row) {
        id = row.column_int(0);
        stage = row.column_int(1);
      }));
  if (id == 0) return {};
  ORCH_TRY(put_score(statements, id, scored));
  ORCH_TRY(put_metric(statements, id, scored.metric));
  ORCH_TRY(put_wide(statements, wide, id));
  return statements.run(
      "INSERT OR IGNORE INTO result_to_derive SELECT r.experiment, p.name FROM point_stage ps JOIN "
      "point p ON p.id = ps.point_id JOIN run r ON r.id = p.run_id WHERE ps.stage_id = ?",
      stage);
}

}  // namespace orch::tables
