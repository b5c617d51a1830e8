#include "results/tables/results.hpp"

#include "bench/measure/metric_names.hpp"
#include "bench/measure/over_repeats.hpp"
#include "core/base/text.hpp"
#include "results/tables/ingest.hpp"
#include "results/tables/scores.hpp"

namespace orch::tables {

namespace {

struct Key {
  std::string experiment, point;
};

// A point as requested by one run.
struct Asked {
  std::int64_t id = 0, run = 0;
  std::set<std::int64_t> stages = {};  // measure stages
  // Measure stages that are not results but checks of the cost of sharing.
  std::set<std::int64_t> checks = {};
};

// A measurement, valid or not.
struct Entry {
  std::int64_t id = 0, stage = 0, ordinal = 0, run = 0, session = 0;
  std::string tool, definition;
  bool valid = false;
  double measured_at = 0;
  std::string unsupported, prefix_cache, warnings, not_cacheable, server_version, service;
  std::string isolation;
  bool is_own = true;                  // measured by a run of the experiment itself
  bool is_imported = false;            // from a file of another tool
  std::optional<double> goodput = {};  // by the expression of the requesting run
  std::string left_out = {};           // why that expression could not be evaluated
};

// Which rows show an entry. Figures of one tool by the formulas of another are only in results_all.
enum class Shown { native, by_its_tool };

bool shows(Shown shown, const Entry& entry) {
  return shown == Shown::native ? entry.tool == "native" : entry.definition == entry.tool;
}

// The measurements behind a row of the table `point_result`.
struct Group {
  std::int64_t point = 0, ordinal = 0;
  std::string tool, fewer = {};  // `fewer` is a warning, or ""
  bool native = false, by_its_tool = false;
  std::vector<Entry*> entries = {};  // not empty
};

// The points as requested, the newest run first. Excludes rejected points, which measure nothing.
constexpr std::string_view k_asked = R"(
SELECT p.id, p.run_id, ps.stage_id, ps.is_check FROM point p JOIN run r ON r.id = p.run_id
  JOIN point_stage ps ON ps.point_id = p.id JOIN stage s ON s.id = ps.stage_id
WHERE p.name = ? AND r.experiment = ? AND p.status <> 'reject' AND s.kind = 'measure'
ORDER BY p.id DESC)";

// The service is the URL of a server that was already running, else 'own'; '' if the measurement
// had no server of a plan. (With an untrusted schema, json_each is the only JSON function that a
// statement may call.)
constexpr std::string_view k_entries = R"(
SELECT m.id, m.ordinal, a.run_id, coalesce(m.session_id, 0), m.tool, m.definition, m.valid,
  m.measured_at, m.unsupported, coalesce(m.prefix_cache, ''), m.warnings,
  coalesce((SELECT f.not_cacheable FROM artifact f WHERE f.attempt_id = m.attempt_id
    AND f.not_cacheable IS NOT NULL LIMIT 1), ''),
  coalesce(served.tool_version, ''),
  iif(server.id IS NULL, '', coalesce((SELECT n.value
    FROM json_each(server.components) c, json_each(c.value, '$[1]') n
    WHERE c.value LIKE '["service.url",%'), 'own')), m.isolation, r.experiment, r.runner = 'import'
FROM measurement m JOIN attempt a ON a.id = m.attempt_id JOIN run r ON r.id = a.run_id
LEFT JOIN service_session ss ON ss.id = m.session_id
LEFT JOIN attempt served ON served.id = ss.attempt_id
LEFT JOIN stage server ON server.id = served.stage_id
WHERE m.stage_id = ? AND m.superseded = 0 ORDER BY m.id)";

// Collects distinct non-empty texts, in the order of their first appearance.
class Texts {
 public:
  void add(const std::string& text) {
    if (!text.empty() && known_.insert(text).second) texts_.push_back(text);
  }
  void add_words(std::string_view words) {
    while (!words.empty()) {
      const std::size_t end = std::min(words.find(' '), words.size());
      add(std::string(words.substr(0, end)));
      words.remove_prefix(std::min(end + 1, words.size()));
    }
  }
  std::string joined(std::string_view separator) const {
    return fmt::format("{}", fmt::join(texts_, separator));
  }

 private:
  std::vector<std::string> texts_;
  std::set<std::string> known_;
};

// Derives the rows of one point of one experiment.
class Point {
 public:
  Point(Statements& statements, Wide& wide, const Key& key)
      : statements_(statements), wide_(wide), key_(key) {}

  Status derive() {
    ORCH_TRY(remove());
    ORCH_TRY(read());
    ORCH_TRY(put_measurements());
    for (const Shown shown : {Shown::native, Shown::by_its_tool}) add_groups(shown);
    for (Group& group : groups_) ORCH_TRY(put(group));
    return {};
  }

 private:
  Status remove() {
    static constexpr std::string_view k_of_point =
        "(SELECT id FROM point_result WHERE experiment = ? AND point = ?)";
    ORCH_TRY(statements_.run("DELETE FROM sharing_cost WHERE experiment = ? AND point = ?",
                             key_.experiment, key_.point));
    for (const char* table : {"result_wide", "result_measurement"})
      ORCH_TRY(
          statements_.run(fmt::format("DELETE FROM {} WHERE result_id IN {}", table, k_of_point),
                          key_.experiment, key_.point));
    for (const char* table : {"point_result", "measurement_point"})
      ORCH_TRY(
          statements_.run(fmt::format("DELETE FROM {} WHERE experiment = ? AND point = ?", table),
                          key_.experiment, key_.point));
    return {};
  }

  Status read() {
    ORCH_TRY(statements_.rows(k_asked, key_.point, key_.experiment, [this](sql::Statement& row) {
      if (asked_.empty() || asked_.back().id != row.column_int(0))
        asked_.push_back({.id = row.column_int(0), .run = row.column_int(1)});
      (row.column_int(3) ? asked_.back().checks : asked_.back().stages).insert(row.column_int(2));
    }));
    std::set<std::int64_t> stages;
    for (const Asked& asked : asked_)
      for (const auto* own : {&asked.stages, &asked.checks})
        stages.insert(own->begin(), own->end());
    for (const std::int64_t stage : stages) ORCH_TRY(read_entries(stage));
    leave_out_foreign();
    std::ranges::sort(entries_, {}, &Entry::id);
    return {};
  }

  // Leaves out measurements that other experiments made on servers that were already running, if
  // this experiment has its own: such a server may be a different one at each measurement.
  void leave_out_foreign() {
    const auto of_running = [](const Entry& entry) {
      return !entry.service.empty() && entry.service != "own";
    };
    const bool has_own = std::ranges::any_of(entries_, [&](const Entry& entry) {
      return of_running(entry) && entry.is_own && entry.valid;
    });
    if (has_own)
      std::erase_if(entries_,
                    [&](const Entry& entry) { return of_running(entry) && !entry.is_own; });
  }

  Status read_entries(std::int64_t stage) {
    return statements_.rows(k_entries, stage, [&](sql::Statement& row) {
      entries_.push_back({.id = row.column_int(0),
                          .stage = stage,
                          .ordinal = row.column_int(1),
                          .run = row.column_int(2),
                          .session = row.column_int(3),
                          .tool = row.column_text(4),
                          .definition = row.column_text(5),
                          .valid = row.column_int(6) != 0,
                          .measured_at = row.column_real(7),
                          .unsupported = row.column_text(8),
                          .prefix_cache = row.column_text(9),
                          .warnings = row.column_text(10),
                          .not_cacheable = row.column_text(11),
                          .server_version = row.column_text(12),
                          .service = row.column_text(13),
                          .isolation = row.column_text(14),
                          .is_own = row.column_text(15) == key_.experiment,
                          .is_imported = row.column_int(16) != 0});
      Entry& entry = entries_.back();
      // As in `compare`, each imported measurement is a session, and without a server of ours
      // the measurements of a run are one session. These get negative ids; those of our
      // sessions are above 0.
      if (entry.session == 0)
        entry.session = entry.is_imported ? -2 * entry.stage : -2 * entry.run - 1;
    });
  }

  // Assigns each measurement to a run: the run that made it, or the first run of this experiment
  // that reuses it.
  Status put_measurements() {
    for (Entry& entry : entries_) {
      const Asked *newest = nullptr, *first = nullptr;
      for (const Asked& asked : asked_) {
        if (!asked.stages.contains(entry.stage) && !asked.checks.contains(entry.stage)) continue;
        if (!newest) newest = &asked;
        if (asked.run >= entry.run) first = &asked;
      }
      if (!first) first = newest;
      ORCH_TRY(statements_.run(
          "INSERT INTO measurement_point (measurement, experiment, point, run, point_id, "
          "newest_point_id) VALUES (?, ?, ?, ?, ?, ?)",
          entry.id, key_.experiment, key_.point, first->run, first->id, newest->id));
      ORCH_ASSIGN(const auto expression, goodput_of(newest->run));
      ORCH_TRY(count_good(entry, expression));
    }
    return {};
  }

  // Sets the goodput of ENTRY by EXPRESSION; nullopt: there is no expression.
  Status count_good(Entry& entry, const std::optional<std::string>& expression) {
    entry.goodput.reset();
    entry.left_out.clear();
    if (!expression || entry.definition != "native") return {};
    ORCH_TRY(derive_goodput(statements_, wide_, entry.id, *expression));
    return statements_.rows(
        "SELECT requests_per_s, left_out FROM goodput WHERE measurement_id = ? AND expression = ?",
        entry.id, *expression, [&](sql::Statement& row) {
          entry.goodput = row.column_optional_real(0);
          entry.left_out = row.column_text(1);
        });
  }

  Result<std::optional<std::string>> goodput_of(std::int64_t run) {
    return statements_.text("SELECT goodput FROM run WHERE id = ?", run);
  }

  // Whether measurements at STAGES are imported. All imported files of a point count as repeats of
  // one configuration, because their configurations are unknown.
  bool is_imported(const std::set<std::int64_t>& stages) const {
    return std::ranges::any_of(entries_, [&](const Entry& entry) {
      return entry.is_imported && stages.contains(entry.stage);
    });
  }

  // The newest valid measurement of each stage and ordinal, for the point as ASKED requested it and
  // as runs requested it that share a stage with ASKED; in the order of measuring.
  std::vector<Entry*> newest(const Asked& asked, Shown shown) {
    std::set<std::int64_t> stages;
    const bool imported = is_imported(asked.stages);
    for (const Asked& other : asked_)
      if (std::ranges::any_of(other.stages,
                              [&](std::int64_t stage) { return asked.stages.contains(stage); }) ||
          (imported && is_imported(other.stages)))
        stages.insert(other.stages.begin(), other.stages.end());
    std::map<std::tuple<std::int64_t, std::int64_t, std::string>, Entry*> found;
    for (Entry& entry : entries_)
      if (entry.valid && shows(shown, entry) && stages.contains(entry.stage))
        found[{entry.stage, entry.ordinal, entry.tool}] = &entry;
    std::vector<Entry*> out;
    for (const auto& [place, entry] : found) out.push_back(entry);
    std::ranges::sort(out, [](const Entry* a, const Entry* b) { return a->id < b->id; });
    return out;
  }

  void add_groups(Shown shown) {
    // The entries of the newest configuration that has a measurement, and of the previous one.
    std::vector<Entry*> present, before;
    std::int64_t point = 0, run_before = 0;
    for (const Asked& asked : asked_) {
      std::vector<Entry*> entries = newest(asked, shown);
      if (entries.empty()) continue;
      if (present.empty()) {
        present = std::move(entries);
        point = asked.id;
      } else if (std::ranges::find(present, entries.front()) == present.end()) {
        before = std::move(entries);
        run_before = asked.run;
        break;
      }
    }
    for (Entry* entry : present) {
      Group& group = group_of(point, *entry);
      (shown == Shown::native ? group.native : group.by_its_tool) = true;
      if (std::ranges::find(group.entries, entry) == group.entries.end())
        group.entries.push_back(entry);
    }
    for (Group& group : groups_)
      if (group.point == point) group.fewer = fewer_than(group, before, run_before);
  }

  Group& group_of(std::int64_t point, const Entry& entry) {
    for (Group& group : groups_)
      if (group.point == point && group.ordinal == entry.ordinal && group.tool == entry.tool)
        return group;
    groups_.push_back({.point = point,
                       .ordinal = entry.ordinal,
                       .tool = entry.tool,
                       .native = false,
                       .by_its_tool = false});
    return groups_.back();
  }

  static std::string fewer_than(const Group& group, const std::vector<Entry*>& before,
                                std::int64_t run) {
    const auto earlier = std::ranges::count_if(before, [&](const Entry* entry) {
      return entry->tool == group.tool && entry->ordinal == group.ordinal;
    });
    const auto now = static_cast<std::ptrdiff_t>(group.entries.size());
    if (now >= earlier) return {};
    return fmt::format(
        "measured anew with {}; run {} has {} of an earlier configuration (results_all "
        "lists them)",
        plural(now, "repeat"), run, earlier);
  }

  // The goodput is computed with the expression of the requesting run; without one, it is the load
  // generator's value.
  Status put(const Group& group) {
    const auto asks = std::ranges::find(asked_, group.point, &Asked::id);
    ORCH_ASSIGN(const auto expression, goodput_of(asks->run));
    for (Entry* entry : group.entries) ORCH_TRY(count_good(*entry, expression));
    ORCH_TRY(put_row(group));
    return put_figures(group, expression.has_value(), statements_.database().last_insert_id());
  }

  // The sentence about the effect of neighbours, if a run also measured the point alone; else "".
  Result<std::string> sharing_mark(const Group& group) {
    std::string mark;
    for (const Asked& asked : asked_) {
      if (asked.checks.empty() || asked.id != group.point || !group.native) continue;
      for (const Entry& entry : entries_) {
        if (!entry.valid || !asked.checks.contains(entry.stage) || entry.definition != "native")
          continue;
        ORCH_ASSIGN(mark, derive_sharing(statements_, {.experiment = key_.experiment,
                                                       .point = key_.point,
                                                       .run = asked.run,
                                                       .shared = group.entries.front()->id,
                                                       .alone = entry.id}));
      }
    }
    return mark;
  }

  Status put_row(const Group& group) {
    Texts unsupported, prefix_cache, versions, services, warnings, isolation;
    std::set<std::int64_t> sessions;
    std::vector<std::int64_t> measurements;
    std::int64_t run = 0;
    double measured_at = 0;
    warnings.add(group.fewer);
    ORCH_ASSIGN(const std::string mark, sharing_mark(group));
    warnings.add(mark);
    for (const Entry* entry : group.entries) {
      unsupported.add_words(entry->unsupported);
      prefix_cache.add(entry->prefix_cache);
      versions.add(entry->server_version);
      services.add(entry->service);
      isolation.add(entry->isolation);
      for (const auto* text : {&entry->not_cacheable, &entry->warnings, &entry->left_out})
        warnings.add(*text);
      sessions.insert(entry->session);
      measurements.push_back(entry->id);
      run = std::max(run, entry->run);
      measured_at = std::max(measured_at, entry->measured_at);
    }
    ORCH_ASSIGN(const std::string mixed, mixed_references(statements_, measurements));
    warnings.add(mixed);
    const std::string version = versions.joined("; ");
    return statements_.run(
        "INSERT INTO point_result (experiment, point, point_id, ordinal, tool, native, by_tool, "
        "repeats, serve_repeats, unsupported, prefix_cache, runner_version, service, isolation, "
        "warnings, measured_run, measured_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, nullif(?, "
        "''), ?, ?, ?, ?, ?)",
        key_.experiment, key_.point, group.point, group.ordinal, group.tool, group.native,
        group.by_its_tool, group.entries.size(), sessions.size(), unsupported.joined(" "),
        prefix_cache.joined(" "), version, services.joined(" "), isolation.joined(" "),
        warnings.joined("; "), run, measured_at);
  }

  Status put_figures(const Group& group, bool counts_good, std::int64_t id) {
    for (const Entry* entry : group.entries)
      ORCH_TRY(statements_.run(
          "INSERT INTO result_measurement (result_id, measurement_id) VALUES (?, ?)", id,
          entry->id));
    std::map<std::string, std::vector<measure::Repeat>> repeats;
    for (const Entry* entry : group.entries) ORCH_TRY(read_figures(*entry, repeats));
    if (counts_good) set_goodput(group, repeats);
    std::vector<record::NamedMetric> metrics;
    for (const auto& [name, values] : repeats) {
      const measure::Repeat one = name.starts_with(k_score_prefix) ? score_over_repeats(values)
                                                                   : measure::over_repeats(values);
      metrics.push_back({.name = name, .mean = one.mean, .statistics = one.statistics});
    }
    return wide_.put_result(id, metrics);
  }

  Status read_figures(const Entry& entry,
                      std::map<std::string, std::vector<measure::Repeat>>& into) {
    ORCH_ASSIGN(const auto metrics, metric_rows(statements_, entry.id));
    for (const record::NamedMetric& one : metrics)
      into[one.name].push_back(
          {.session = entry.session, .mean = one.mean, .statistics = one.statistics});
    return {};
  }

  static void set_goodput(const Group& group,
                          std::map<std::string, std::vector<measure::Repeat>>& repeats) {
    const std::string name(metric::goodput_rps);
    repeats.erase(name);
    for (const Entry* entry : group.entries)
      if (entry->goodput)
        repeats[name].push_back({.session = entry->session, .mean = entry->goodput});
  }

  Statements& statements_;
  Wide& wide_;
  const Key& key_;
  std::vector<Asked> asked_;    // the newest run first
  std::vector<Entry> entries_;  // in the order of measuring
  std::vector<Group> groups_;
};

}  // namespace

Status derive_results(Statements& statements, Wide& wide) {
  std::vector<Key> keys;
  ORCH_TRY(
      statements.rows("SELECT experiment, point FROM result_to_derive", [&](sql::Statement& row) {
        keys.push_back({row.column_text(0), row.column_text(1)});
      }));
  if (keys.empty()) return {};
  for (const Key& key : keys) ORCH_TRY(Point(statements, wide, key).derive());
  return statements.run("DELETE FROM result_to_derive");
}

}  // namespace orch::tables
