#include "analysis/compare/load_facts.hpp"

#include "results/tables/statements.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <set>

namespace orch::compare {

namespace {

// Settings of `measurement.load` that are parameters of no server. What differs from attempt to
// attempt (ports, paths) and what is a load itself is not among them.
constexpr std::string_view k_settings[] = {
    "protocol", "stream",   "requests",   "duration_s",    "warmup",          "batch",
    "seed",     "sampling", "forced_osl", "stop_after_ms", "tokens_per_event"};

constexpr double k_throttled_share = 0.05;  // of the window; less is no reason to name it

std::string quoted_texts(const auto& texts) {
  std::vector<std::string> out;
  for (const auto& text : texts) out.push_back(sql::quote_text(text));
  return out.empty() ? "NULL" : fmt::format("{}", fmt::join(out, ", "));
}

// (measurement, name, value); NULL where a measurement of this kind lacks the fact.
std::string facts_sql(const Selected& selected, const std::vector<std::string>& differing) {
  std::vector<std::int64_t> numbers;
  const std::size_t count = std::min(selected.rows.size(), k_most_provenance);
  for (auto row = selected.rows.end() - static_cast<std::ptrdiff_t>(count);
       row != selected.rows.end(); ++row)
    numbers.push_back(row->measurement);
  constexpr std::string_view k_sql = R"(
WITH chosen AS (SELECT m.* FROM measurement m WHERE m.id IN ({numbers})),
free AS (SELECT c.id, c.load FROM chosen c JOIN stage s ON s.id = c.stage_id WHERE NOT EXISTS (
  SELECT 1 FROM json_each(s.parameters) p WHERE p.key IN ({differing})))
SELECT c.id, 'prompts', coalesce(substr(made.digest, 1, 12), 'unknown') FROM chosen c
  JOIN stage_need n ON n.stage_id = c.stage_id AND n.name = 'prompts'
  JOIN stage made ON made.id = n.needs_id
  WHERE NOT EXISTS (SELECT 1 FROM json_each(made.parameters) p WHERE p.key IN ({differing}))
UNION ALL SELECT f.id, 'load ' || e.key, CAST(e.value AS TEXT) FROM free f, json_each(f.load) e
  WHERE e.key IN ({settings}) AND e.value IS NOT NULL
UNION ALL SELECT c.id, 'counting ' || e.key, CAST(e.value AS TEXT) FROM chosen c,
  json_each(c.counting) e
UNION ALL SELECT c.id, 'formulas', c.definition || ' ' || c.metric_version FROM chosen c
UNION ALL SELECT c.id, 'tool version', c.tool_version FROM chosen c
  WHERE c.tool_version IS NOT NULL
UNION ALL SELECT g.measurement_id, 'GPU throttled by', e.key FROM gpu_window g,
  json_each(g.throttled) e WHERE g.measurement_id IN ({numbers}) AND e.value > {share}
UNION ALL SELECT g.measurement_id, 'GPU throttled by', 'nothing' FROM gpu_window g
  WHERE g.measurement_id IN ({numbers}) AND NOT EXISTS (
    SELECT 1 FROM json_each(g.throttled) e WHERE e.value > {share}))";
  return fmt::format(
      fmt::runtime(k_sql),
      fmt::arg("numbers",
               numbers.empty() ? std::string("NULL") : fmt::format("{}", fmt::join(numbers, ", "))),
      fmt::arg("differing", quoted_texts(differing)), fmt::arg("share", k_throttled_share),
      fmt::arg("settings", quoted_texts(k_settings)));
}

}  // namespace

Result<Provenance> load_facts_of(sql::Database& database, const Selected& selected,
                                 const std::vector<std::string>& differing) {
  Provenance out;
  // Points of one name may have been measured with other commands, images or files before.
  for (const Measured& row : selected.rows)
    if (row.valid) out["configuration"].insert(row.current ? "the present one" : "an earlier one");
  tables::Statements statements(database);
  ORCH_TRY(statements.rows(facts_sql(selected, differing), [&](sql::Statement& row) {
    out[row.column_text(1)].insert(row.column_text(2));
  }));
  return out;
}

Selected compared_of(const Selected& selected, const Pairing& pairing) {
  const std::set<std::string> pairs(pairing.pairs.begin(), pairing.pairs.end());
  Selected out{selected.parameters, selected.metrics, {}};
  for (const Measured& row : selected.rows)
    if (pairs.contains(pairing.pair_of(selected, row))) out.rows.push_back(row);
  return out;
}

}  // namespace orch::compare
