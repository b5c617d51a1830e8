#include "results/keep/inventory.hpp"

#include "core/base/text.hpp"
#include "core/sql/query_guard.hpp"
#include "os/system/kill_point.hpp"
#include "results/store/core.hpp"
#include "results/store/event_record.hpp"
#include "results/tables/statements.hpp"

namespace orch::keep {

namespace {

// The stages that are needed: those of the points that views show (of each experiment and name, the
// newest point and the newest one with a measurement), of attempts without an end, and of kept
// points; and all stages that these depend on.
constexpr std::string_view k_make_needed = R"(
CREATE TEMP TABLE needed_stage AS
WITH RECURSIVE shown(id) AS (
  SELECT max(p.id) FROM point p JOIN run r ON r.id = p.run_id GROUP BY r.experiment, p.name
  UNION SELECT max(p.id) FROM measurement m JOIN point_stage ps ON ps.stage_id = m.stage_id
    JOIN point p ON p.id = ps.point_id JOIN run r ON r.id = p.run_id
    WHERE m.valid = 1 AND m.superseded = 0 AND p.status <> 'reject' GROUP BY r.experiment, p.name
  UNION SELECT p.id FROM point p JOIN kept_point k ON k.name = p.name
), needed(id) AS (
  SELECT ps.stage_id FROM shown JOIN point_stage ps ON ps.point_id = shown.id
  UNION SELECT stage_id FROM attempt WHERE ended_at IS NULL
  UNION SELECT n.needs_id FROM needed JOIN stage_need n ON n.stage_id = needed.id
)
SELECT id FROM needed)";

// The stages whose outputs must stay whatever their size: those of points that still lack a
// measurement, of kept points, and of attempts without an end.
constexpr std::string_view k_make_held = R"(
CREATE TEMP TABLE held_stage AS
WITH RECURSIVE waiting(id) AS (
  SELECT max(p.id) FROM point p JOIN run r ON r.id = p.run_id GROUP BY r.experiment, p.name
), held(id) AS (
  SELECT ps.stage_id FROM waiting w JOIN point p ON p.id = w.id
    JOIN point_stage ps ON ps.point_id = p.id
    WHERE p.status NOT IN ('reject') AND EXISTS (
      SELECT 1 FROM point_stage own JOIN stage s ON s.id = own.stage_id
      WHERE own.point_id = p.id AND s.kind = 'measure' AND NOT EXISTS (
        SELECT 1 FROM measurement m WHERE m.stage_id = s.id AND m.valid = 1 AND m.superseded = 0))
  UNION SELECT ps.stage_id FROM point p JOIN kept_point k ON k.name = p.name
    JOIN point_stage ps ON ps.point_id = p.id
  UNION SELECT stage_id FROM attempt WHERE ended_at IS NULL
  UNION SELECT n.needs_id FROM held JOIN stage_need n ON n.stage_id = held.id
)
SELECT id FROM held)";

// Several attempts of a stage publish to the same folder: the newest describes it.
constexpr std::string_view k_outputs = R"(
SELECT f.path, max(f.id), a.token, f.bytes, s.kind = 'measure',
  EXISTS (SELECT 1 FROM temp.needed_stage n WHERE n.id = f.stage_id),
  EXISTS (SELECT 1 FROM point_stage ps WHERE ps.stage_id = f.stage_id),
  EXISTS (SELECT 1 FROM temp.held_stage h WHERE h.id = f.stage_id),
  coalesce((SELECT max(r.started_at) FROM run_stage rs JOIN run r ON r.id = rs.run_id
    WHERE rs.stage_id = f.stage_id), f.published_at)
FROM artifact f JOIN attempt a ON a.id = f.attempt_id JOIN stage s ON s.id = f.stage_id
WHERE f.removed_at IS NULL GROUP BY f.path)";

// The records, including those of `bench --db` and `import`, which are not outputs of a stage.
constexpr std::string_view k_records = R"(
SELECT m.path, EXISTS (SELECT 1 FROM point_stage ps WHERE ps.stage_id = m.stage_id), a.token
FROM measurement m JOIN attempt a ON a.id = m.attempt_id WHERE NOT EXISTS (SELECT 1 FROM artifact f WHERE f.attempt_id = m.attempt_id)
GROUP BY m.path)";

// The logs and folders of attempts. The folder of a failed attempt is needed until its stage
// succeeds. Attempts of a batch share a process, and therefore a log and a folder.
constexpr std::string_view k_attempts = R"(
SELECT a.log, a.token,
  EXISTS (SELECT 1 FROM point_stage ps WHERE ps.stage_id = a.stage_id),
  EXISTS (SELECT 1 FROM attempt b WHERE b.stage_id = a.stage_id AND b.number > a.number
    AND b.ok = 1), a.process
FROM attempt a WHERE a.ended_at IS NOT NULL AND NOT EXISTS (
  SELECT 1 FROM attempt other WHERE other.ended_at IS NULL AND other.process = a.process))";

class Inventory {
 public:
  Inventory(store::Store& store, system::Files& files)
      : database_(store.database()),
        statements_(store.database()),
        files_(files),
        layout_(store.layout()) {}

  Status run(const InventoryOptions& options) {
    ORCH_TRY(make_tables(options));
    ORCH_TRY(outputs());
    ORCH_TRY(records());
    ORCH_TRY(attempts());
    ORCH_TRY(rests());
    std::ranges::sort(items, {}, &Item::path);
    return {};
  }

  std::vector<Item> items;

 private:
  // Makes temporary tables, which even a read-only connection may have.
  Status make_tables(const InventoryOptions& options) {
    ORCH_ASSIGN(const std::int64_t only, database_.query_int("PRAGMA query_only"));
    ORCH_TRY(database_.execute("PRAGMA query_only = OFF"));
    const Status made = fill_tables(options);
    const Status again = database_.execute(fmt::format("PRAGMA query_only = {}", only));
    return made ? again : made;
  }

  Status fill_tables(const InventoryOptions& options) {
    ORCH_TRY(database_.execute(
        "DROP TABLE IF EXISTS temp.needed_stage; DROP TABLE IF EXISTS temp.held_stage; DROP TABLE "
        "IF EXISTS temp.kept_point; CREATE TEMP TABLE kept_point (name TEXT PRIMARY KEY)"));
    if (!options.keep.empty()) {
      ORCH_ASSIGN(const std::vector<std::string> names, kept_points(options.keep));
      for (const std::string& name : names)
        ORCH_TRY(statements_.run("INSERT OR IGNORE INTO temp.kept_point VALUES (?)", name));
    }
    ORCH_TRY(database_.execute(k_make_needed));
    return database_.execute(k_make_held);
  }

  // The names of the points for which KEEP, a user's condition, is true.
  Result<std::vector<std::string>> kept_points(const std::string& keep) {
    std::vector<std::string> names;
    sql::QueryGuard guard(database_, sql::usual_limits());
    auto kept =
        database_.prepare(fmt::format("SELECT DISTINCT point FROM results_all WHERE ({}\n)", keep));
    if (!kept || !kept->read_only())
      return invalid(
          fmt::format("--keep {} is not a condition over results_all: {}", quoted(keep),
                      kept ? "it would change the store" : guard.explained(kept.error()).message));
    while (true) {
      const auto row = kept->step();
      if (!row) return guard.explained(row.error());
      if (!*row) return names;
      names.push_back(kept->column_text(0));
    }
  }

  Status outputs() {
    return statements_.rows(k_outputs, [&](sql::Statement& row) {
      const bool measured = row.column_int(4) != 0;
      const bool needed = row.column_int(measured ? 6 : 5) != 0;
      Item item{.kind = measured ? Kind::measurement : Kind::output,
                .path = row.column_text(0),
                .token = row.column_text(2),
                .is_output = true,
                .bytes = static_cast<std::uint64_t>(row.column_int(3)),
                .is_needed = needed,
                .used_at = row.column_real(8),
                .may_be_evicted = needed && !measured && row.column_int(7) == 0};
      if (!needed)
        item.why = measured                 ? "its point is no longer in any experiment"
                   : row.column_int(6) != 0 ? "newer plans of its points use another output"
                                            : "no experiment has a point that uses it";
      // An environment in the user's cache takes no space in the store.
      if (files_.is_link(layout_.at(item.path).string() + "/out")) item.bytes = 0;
      items.push_back(std::move(item));
    });
  }

  Status records() {
    return statements_.rows(k_records, [&](sql::Statement& row) {
      const bool needed = row.column_int(1) != 0;
      items.push_back({.kind = Kind::measurement,
                       .path = row.column_text(0),
                       .token = row.column_text(2),
                       .bytes = size_of(row.column_text(0)),
                       .is_needed = needed,
                       .why = needed ? "" : "its point is no longer in any experiment"});
    });
  }

  Status attempts() {
    std::set<std::string> logs, works;
    std::map<std::string, Item> found;
    ORCH_TRY(statements_.rows(k_attempts, [&](sql::Statement& row) {
      const bool asked = row.column_int(2) != 0, succeeded = row.column_int(3) != 0;
      add_attempt(found, Kind::log, row.column_text(0), asked,
                  "no experiment has a point that uses its stage");
      add_attempt(found, Kind::work, "attempts/" + row.column_text(4), asked && !succeeded,
                  asked ? "its stage has succeeded since"
                        : "no experiment has a point that uses its stage");
    }));
    for (auto& [path, item] : found) items.push_back(std::move(item));
    return {};
  }

  // Adds a log or folder. Attempts of one process share both, which are needed as long as one of
  // the attempts needs them.
  void add_attempt(std::map<std::string, Item>& found, Kind kind, const std::string& path,
                   bool needed, std::string_view why) {
    if (path.empty() || path == "attempts/" || !files_.exists(layout_.at(path).string())) return;
    Item& item = found.try_emplace(path, Item{.kind = kind, .path = path}).first->second;
    item.is_needed = item.is_needed || needed;
    item.why = item.is_needed ? "" : std::string(why);
    item.bytes = size_of(path);
  }

  Status rests() {
    ORCH_ASSIGN(const std::vector<std::string> paths, store::removed_outputs(statements_));
    for (const std::string& path : paths)
      if (files_.exists(layout_.at(path).string()))
        items.push_back({.kind = Kind::rest,
                         .path = path,
                         .bytes = size_of(path),
                         .is_needed = false,
                         .why = "left by an interrupted removal, or found damaged"});
    return {};
  }

  std::uint64_t size_of(const std::string& path) {
    const std::string absolute = layout_.at(path).string();
    const auto facts = files_.stat(absolute);
    if (facts && facts->is_regular) return facts->bytes;
    std::uint64_t bytes = 0;
    for (const system::FileEntry& entry : files_.list(absolute).value_or({})) bytes += entry.bytes;
    return bytes;
  }

  sql::Database& database_;
  tables::Statements statements_;
  system::Files& files_;
  const store::Layout& layout_;
};

// Items per transaction: in a large store, a commit for each item would take minutes, and a single
// commit would need as much space in the write-ahead log as the deleted rows have.
constexpr std::size_t k_batch = 50;

// Deletes the rows of the measurements of ITEM, whose record is about to be removed.
Status delete_measurements(store::Core& core, tables::RowRemoval& rows, const Item& item) {
  ORCH_ASSIGN(
      const auto ids,
      core.statements.integers(
          "SELECT m.id FROM attempt a JOIN measurement m ON m.attempt_id = a.id WHERE a.token = ?",
          item.token));
  for (const std::int64_t id : ids) ORCH_TRY(rows.remove("measurement", "id", id));
  return {};
}

// Records, before any file is removed, that the outputs of ITEMS are removed, and deletes the rows
// of measurements. A record of `bench --db` or `import` is not an output, so its removal is not
// recorded.
Status record_removals(store::Core& core, tables::RowRemoval& rows, std::span<const Item> items,
                       double now) {
  return store::in_transaction(core, [&]() -> Status {
    for (const Item& item : items) {
      if (item.kind == Kind::measurement) ORCH_TRY(delete_measurements(core, rows, item));
      if (!item.is_output) continue;
      const store::Removal removal{.token = item.token, .at = now};
      core.records.add(store::k_store_record, to_fact(removal));
      ORCH_TRY(write_removal(core.statements, removal));
    }
    return {};
  });
}

// Records of `bench --db` and `import` are numbered folders inside a folder of their run, which is
// removed with the last of them.
void remove_empty_parent(system::Files& files, const std::string& path) {
  const std::string parent = path.substr(0, path.rfind('/'));
  if (parent.find('/') == std::string::npos) return;
  const auto names = files.names(parent);
  const bool holds_record_only = names && std::ranges::all_of(*names, [](const std::string& name) {
                                   return name == "record.json";
                                 });
  if (holds_record_only) static_cast<void>(files.remove_tree(parent).ok());
}

void remove_files(store::Core& core, const Item& item, Collected& out) {
  system::Files& files = core.host.files;
  const std::string absolute = core.layout.at(item.path).string();
  const Status removed = files.remove_tree(absolute);
  if (!removed) return out.errors.push_back(removed.error());
  if (item.path.starts_with("artifacts/") && item.path.find('/', 10) != std::string::npos)
    remove_empty_parent(files, absolute);
  ++out.items;
  out.bytes += item.bytes;
  system::kill_point("gc-removed");
}

// Returns the space of deleted rows to the file system. This temporarily needs as much space as the
// database has; if there is too little, the database keeps the space for new rows.
Status shrink(store::Core& core, Collected& out) {
  static constexpr std::int64_t k_worthwhile = 16 << 20;
  ORCH_ASSIGN(const std::int64_t page, core.database.query_int("PRAGMA page_size"));
  ORCH_ASSIGN(const std::int64_t pages, core.database.query_int("PRAGMA page_count"));
  ORCH_ASSIGN(const std::int64_t unused, core.database.query_int("PRAGMA freelist_count"));
  out.database_before = static_cast<std::uint64_t>(pages * page);
  out.database_after = out.database_before;
  const auto space = core.host.files.free_space(core.layout.root.string());
  const bool is_worth = unused * page >= k_worthwhile && unused * 4 >= pages;
  if (!is_worth || !space || space->bytes < 2 * out.database_before) return {};
  ORCH_TRY(core.database.execute("VACUUM; PRAGMA wal_checkpoint(TRUNCATE)"));
  ORCH_ASSIGN(const std::int64_t left, core.database.query_int("PRAGMA page_count"));
  out.database_after = static_cast<std::uint64_t>(left * page);
  return {};
}

struct FoundRuns {
  std::vector<std::string> uids;
  ForgottenExperiment count;
};

constexpr std::string_view k_points_of =
    "SELECT count(DISTINCT p.name) FROM point p JOIN run r ON r.id = p.run_id WHERE r.experiment = "
    "?";
constexpr std::string_view k_measurements_of = R"(
SELECT count(*) FROM measurement m WHERE EXISTS (
  SELECT 1 FROM point_stage ps JOIN point p ON p.id = ps.point_id JOIN run r ON r.id = p.run_id
  WHERE ps.stage_id = m.stage_id AND r.experiment = ?1) AND NOT EXISTS (
  SELECT 1 FROM point_stage ps JOIN point p ON p.id = ps.point_id JOIN run r ON r.id = p.run_id
  WHERE ps.stage_id = m.stage_id AND r.experiment <> ?1))";
// The runs of the experiment that are not forgotten: a forgotten run has no points.
constexpr std::string_view k_runs_of =
    "SELECT r.uid FROM run r WHERE r.experiment = ? AND (EXISTS (SELECT 1 FROM point p WHERE "
    "p.run_id = r.id) OR EXISTS (SELECT 1 FROM run_stage rs WHERE rs.run_id = r.id)) ORDER BY r.id";

Error unknown_experiment(tables::Statements& statements, const std::string& experiment) {
  const auto known =
      statements.texts("SELECT DISTINCT experiment FROM run ORDER BY 1").value_or({});
  const std::string near = did_you_mean(experiment, known);
  return not_found(
      fmt::format("no experiment {} in this store{}", quoted(experiment),
                  near.empty() && !known.empty() ? "; it has: " + join(known, ", ") : near));
}

Result<FoundRuns> find_runs(tables::Statements& statements, const std::string& experiment) {
  FoundRuns found;
  ORCH_ASSIGN(found.uids, statements.texts(k_runs_of, experiment));
  if (found.uids.empty()) return unknown_experiment(statements, experiment);
  ORCH_ASSIGN(const auto points, statements.integer(k_points_of, experiment));
  ORCH_ASSIGN(const auto measurements, statements.integer(k_measurements_of, experiment));
  found.count = {.runs = found.uids.size(),
                 .points = static_cast<std::size_t>(points.value_or(0)),
                 .measurements = static_cast<std::size_t>(measurements.value_or(0))};
  return found;
}

}  // namespace

Result<std::vector<Item>> inventory(store::Store& store, system::Files& files,
                                    const InventoryOptions& options) {
  Inventory all(store, files);
  ORCH_TRY(all.run(options));
  return std::move(all.items);
}

void evict(std::vector<Item>& items, std::uint64_t most) {
  std::uint64_t bytes = 0;
  std::vector<Item*> order;
  for (Item& item : items) {
    if (item.kind != Kind::output || !item.is_needed) continue;
    bytes += item.bytes;
    if (item.may_be_evicted && item.bytes > 0) order.push_back(&item);
  }
  std::ranges::stable_sort(order, [](const Item* a, const Item* b) {
    return a->used_at < b->used_at || (a->used_at == b->used_at && a->bytes > b->bytes);
  });
  for (Item* item : order) {
    if (bytes <= most) return;
    bytes -= item->bytes;
    item->is_needed = false;
    item->why = "over --max-size: its points are measured, and it can be made again";
  }
}

Result<Collected> collect(store::Store& store, const std::vector<Item>& items, double now) {
  store::Core& core = store.core();
  tables::RowRemoval rows(core.statements);
  Collected out;
  std::vector<Item> unneeded;
  for (const Item& item : items) {
    if (item.is_needed) continue;
    if (store::Layout::is_made_by_runs(item.path)) unneeded.push_back(item);
    else
      out.errors.push_back(invalid(
          fmt::format("{} is not one of the store's own files, so it is kept", quoted(item.path))));
  }
  for (std::size_t at = 0; at < unneeded.size(); at += k_batch) {
    const auto batch = std::span(unneeded).subspan(at, std::min(k_batch, unneeded.size() - at));
    for (const Item& item : batch)
      if (!item.is_output) remove_files(core, item, out);
    ORCH_TRY(record_removals(core, rows, batch, now));
    system::kill_point("gc-recorded");
    for (const Item& item : batch)
      if (item.is_output) remove_files(core, item, out);
  }
  ORCH_TRY(shrink(core, out));
  return out;
}

Result<ForgottenExperiment> would_forget(sql::Database& database, const std::string& experiment) {
  tables::Statements statements(database);
  ORCH_ASSIGN(const FoundRuns found, find_runs(statements, experiment));
  return found.count;
}

Result<ForgottenExperiment> forget(store::Store& store, const std::string& experiment, double now) {
  store::Core& core = store.core();
  ORCH_ASSIGN(const FoundRuns found, find_runs(core.statements, experiment));
  ORCH_ASSIGN(
      const auto unfinished,
      core.statements.integer("SELECT count(*) FROM attempt a JOIN run r ON r.id = a.run_id "
                              "WHERE r.experiment = ? AND a.ended_at IS NULL",
                              experiment));
  if (unfinished.value_or(0) > 0)
    return Error{
        ErrorKind::conflict,
        fmt::format("{} has {} not recorded as ended, so processes may still be running: "
                    "`orchestrate resume` finishes or stops them",
                    experiment, plural(static_cast<std::uint64_t>(*unfinished), "attempt"))};
  const store::Forgotten forgotten{.runs = found.uids, .at = now};
  ORCH_TRY(store::in_transaction(core, [&]() -> Status {
    core.records.add(store::k_store_record, to_fact(forgotten));
    return write_forgotten(core.statements, forgotten);
  }));
  system::kill_point("forget-committed");
  return found.count;
}

}  // namespace orch::keep
