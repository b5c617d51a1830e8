#include "analysis/compare/provenance.hpp"

#include "core/base/text.hpp"
#include "results/tables/statements.hpp"

namespace orch::compare {

namespace {

constexpr std::string_view k_unknown_fact = "unknown";

// Facts of each measurement as (measurement, name, value). Excludes the boot, which is not a fact
// of the machine, and the machine of an import, which is not the one that measured.
constexpr std::string_view k_facts = R"(
WITH chosen AS (SELECT m.id AS id, a.run_id AS run FROM measurement m
  JOIN attempt a ON a.id = m.attempt_id WHERE m.id IN ({}))
SELECT c.id, 'machine ' || e.key, CAST(e.value AS TEXT) FROM chosen c JOIN run r ON r.id = c.run
  JOIN machine h ON h.id = r.machine_id, json_each(h.facts) e
  WHERE e.key <> 'boot_id' AND r.runner <> 'import'
UNION ALL SELECT c.id, 'orchestrate', r.version FROM chosen c JOIN run r ON r.id = c.run
UNION ALL SELECT v.measurement, 'runner version', v.runner_version FROM results_all v
  WHERE v.measurement IN ({}) AND v.runner_version <> ''
UNION ALL SELECT v.measurement, 'server', v.service FROM results_all v
  WHERE v.measurement IN ({}) AND v.service <> ''
UNION ALL SELECT v.measurement, 'prefix cache', v.prefix_cache FROM results_all v
  WHERE v.measurement IN ({}) AND v.prefix_cache <> ''
UNION ALL SELECT c.id, 'client scheduling', json_extract(m.client, '$.scheduling') FROM chosen c
  JOIN measurement m ON m.id = c.id)";

std::string shown(const std::set<std::string>& values) {
  constexpr std::size_t k_most_shown = 3;
  std::vector<std::string> out;
  for (const std::string& value : values) {
    if (out.size() == k_most_shown) {
      out.push_back(fmt::format("{} more", values.size() - k_most_shown));
      break;
    }
    out.push_back(value.empty() ? "none" : value);
  }
  return out.empty() ? "none" : join(out, ", ");
}

constexpr std::string_view k_machine_fact = "machine ";

bool has_machine(const Provenance& side) {
  return std::ranges::any_of(
      side, [](const auto& fact) { return fact.first.starts_with(k_machine_fact); });
}

std::size_t disturbed(const std::vector<Row>& rows, Counts Row::*side) {
  std::size_t most = 0;
  for (const Row& row : rows) most = std::max(most, (row.*side).disturbed);
  return most;
}

// Settings in `measurement.load` that are not parameters of a server. Excludes the load itself and
// what differs between attempts (ports, paths).
constexpr std::string_view k_settings[] = {
    "protocol", "stream",   "requests",   "duration_s",    "warmup",          "batch",
    "seed",     "sampling", "forced_osl", "stop_after_ms", "tokens_per_event"};

constexpr double k_throttled_share = 0.05;  // of the window; less is not reported

std::string quoted_texts(const auto& texts) {
  std::vector<std::string> out;
  for (const auto& text : texts) out.push_back(sql::quote_text(text));
  return out.empty() ? "NULL" : fmt::format("{}", fmt::join(out, ", "));
}

// SQL for the facts of the load generator and of the GPUs as (measurement, name, value).
std::string facts_sql(const Selected& selected, const std::vector<std::string>& differing) {
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
  return fmt::format(fmt::runtime(k_sql), fmt::arg("numbers", newest_in_sql(selected)),
                     fmt::arg("differing", quoted_texts(differing)),
                     fmt::arg("share", k_throttled_share),
                     fmt::arg("settings", quoted_texts(k_settings)));
}

}  // namespace

std::span<const Measured> newest_of(const Selected& selected) {
  constexpr std::size_t k_most = 2000;
  return std::span(selected.rows).last(std::min(selected.rows.size(), k_most));
}

std::string newest_in_sql(const Selected& selected) {
  std::string out;
  for (const Measured& row : newest_of(selected))
    out += fmt::format("{}{}", out.empty() ? "" : ", ", row.measurement);
  return out.empty() ? "NULL" : out;
}

std::string change_of(const std::string& name, const std::set<std::string>& a,
                      const std::set<std::string>& b) {
  return fmt::format("{} {} → {}", name, shown(a), shown(b));
}

Result<Provenance> provenance_of(sql::Database& database, const Selected& selected) {
  const std::string numbers = newest_in_sql(selected);
  Provenance out;
  std::map<std::string, std::set<std::int64_t>> has;
  std::set<std::int64_t> all;
  tables::Statements statements(database);
  ORCH_TRY(statements.rows(fmt::format(fmt::runtime(k_facts), numbers, numbers, numbers, numbers),
                           [&](sql::Statement& row) {
                             all.insert(row.column_int(0));
                             if (row.column_null(2)) return;
                             out[row.column_text(1)].insert(row.column_text(2));
                             has[row.column_text(1)].insert(row.column_int(0));
                           }));
  for (auto& [name, values] : out)
    if (has[name].size() < all.size()) values.insert(std::string(k_unknown_fact));
  return out;
}

Differences differences_of(const Comparison& comparison, const Provenance& a, const Provenance& b) {
  Differences out;
  for (const Differing& one : comparison.pairing.differing)
    (one.follows ? out.following : out.compared)
        .push_back(
            change_of(one.parameter, {one.a.begin(), one.a.end()}, {one.b.begin(), one.b.end()}));
  std::set<std::string> names;
  for (const Provenance* side : {&a, &b})
    for (const auto& [name, values] : *side) names.insert(name);
  const std::set<std::string> unknown = {std::string(k_unknown_fact)};
  const bool runners_compared = std::ranges::any_of(
      comparison.pairing.differing, [](const Differing& one) { return one.parameter == "runner"; });
  for (const std::string& name : names) {
    // The runners are compared, and each has its own version, which does not confound.
    if (name == "runner version" && runners_compared) continue;
    const auto of_a = a.find(name), of_b = b.find(name);
    // An imported side has no facts of a machine (see unstated_by).
    if (name.starts_with(k_machine_fact) && (!has_machine(a) || !has_machine(b))) continue;
    const auto& values_a = of_a == a.end() ? unknown : of_a->second;
    const auto& values_b = of_b == b.end() ? unknown : of_b->second;
    if (values_a != values_b) out.confounders.push_back(change_of(name, values_a, values_b));
  }
  const std::size_t disturbed_a = disturbed(comparison.overall, &Row::counts_a);
  const std::size_t disturbed_b = disturbed(comparison.overall, &Row::counts_b);
  if (disturbed_a != disturbed_b)
    out.confounders.push_back(
        fmt::format("disturbed measurements {} → {}", disturbed_a, disturbed_b));
  if (!comparison.alternates && comparison.sessions_a > 0 && comparison.sessions_b > 0)
    out.confounders.push_back(
        "time: all sessions of one side came before those of the other, so a drift of the "
        "machine looks like a difference; `orchestrate run --resolve` alternates sides");
  return out;
}

std::vector<std::string> unstated_by(std::span<const Selected* const> sides) {
  struct Fact {
    std::string_view name;
    std::vector<std::string_view> parameters;  // that state it
  };
  static const Fact k_facts_of_files[] = {
      {"machine", {"machine", "system", "hw", "hardware", "gpu", "host"}},
      {"server version", {"backend_version", "server_version", "version"}}};
  const auto states = [](const Selected& side, const Measured& row, const Fact& fact) {
    for (std::size_t i = 0; i < side.parameters.size(); ++i)
      if (std::ranges::find(fact.parameters, side.parameters[i]) != fact.parameters.end() &&
          !row.parameters[i].empty())
        return true;
    return false;
  };
  std::vector<std::string> out;
  for (const Fact& fact : k_facts_of_files)
    if (std::ranges::any_of(sides, [&](const Selected* side) {
          return std::ranges::any_of(side->rows, [&](const Measured& row) {
            return row.imported && !states(*side, row, fact);
          });
        }))
      out.emplace_back(fact.name);
  return out;
}

std::string summary_of(const Differences& differences) {
  std::string text;
  if (differences.compared.empty()) text = "no parameter differs";
  else if (differences.compared.size() == 1)
    text = (differences.confounders.empty() && differences.unstated.empty() ? "single change: "
                                                                            : "change: ") +
           differences.compared.front();
  else text = "changes: " + join(differences.compared, "; ");
  if (!differences.following.empty())
    text += " (and with it " + join(differences.following, "; ") + ")";
  if (!differences.confounders.empty())
    text += "; confounded by " + join(differences.confounders, "; ");
  if (!differences.unstated.empty())
    text += "; what the files do not state may differ as well: " + join(differences.unstated, ", ");
  return text;
}

Result<Provenance> load_facts_of(sql::Database& database, const Selected& selected,
                                 const std::vector<std::string>& differing) {
  Provenance out;
  // Points of the same name may have been measured earlier with different commands, images or
  // files.
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
