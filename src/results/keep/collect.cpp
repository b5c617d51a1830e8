#include "results/keep/collect.hpp"

#include "core/base/text.hpp"
#include "results/store/core.hpp"
#include "results/store/event_record.hpp"
#include "os/system/kill_point.hpp"
#include "results/tables/row_removal.hpp"

#include <span>

namespace orch::keep {

namespace {

// Of one transaction: a commit per item would take minutes for a large store, and one for all of
// them as much room in the write-ahead log as the rows that go.
constexpr std::size_t k_batch = 50;

// The rows of the measurements of ITEM, whose record is about to go.
Status delete_measurements(store::Core& core, tables::RowRemoval& rows, const Item& item) {
  std::vector<std::int64_t> ids;
  ORCH_TRY(core.statements.rows(
      "SELECT m.id FROM attempt a JOIN measurement m ON m.attempt_id = a.id WHERE a.token = ?",
      [&](sql::Statement& row) { ids.push_back(row.column_int(0)); }, item.token));
  for (const std::int64_t id : ids) ORCH_TRY(rows.remove("measurement", "id", id));
  return {};
}

// Outputs are known to be removed before their files go. A record of `bench --db` or `import` is no
// output: its rows name its files, and go after them.
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

// The record of `bench --db` and `import` is a numbered folder in one of the run's, which goes with
// the last of them.
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

// Returns the room of deleted rows to the disk. It needs as much again for a moment; without that
// the database keeps the room for new rows.
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
// A forgotten run has no points any more.
constexpr std::string_view k_runs_of =
    "SELECT r.uid FROM run r WHERE r.experiment = ? AND (EXISTS (SELECT 1 FROM point p WHERE "
    "p.run_id = r.id) OR EXISTS (SELECT 1 FROM run_stage rs WHERE rs.run_id = r.id)) ORDER BY r.id";

Error unknown_experiment(tables::Statements& statements, const std::string& experiment) {
  std::vector<std::string> known;
  static_cast<void>(statements
                        .rows("SELECT DISTINCT experiment FROM run ORDER BY 1",
                              [&](sql::Statement& row) { known.push_back(row.column_text(0)); })
                        .ok());
  const std::string near = did_you_mean(experiment, known);
  return {.kind = ErrorKind::not_found,
          .message =
              fmt::format("no experiment {} in this store{}", quoted(experiment),
                          near.empty() && !known.empty() ? "; it has: " + join(known, ", ") : near),
          .where = {}};
}

Result<FoundRuns> find_runs(tables::Statements& statements, const std::string& experiment) {
  FoundRuns found;
  ORCH_TRY(statements.rows(
      k_runs_of, [&](sql::Statement& row) { found.uids.push_back(row.column_text(0)); },
      experiment));
  if (found.uids.empty()) return unknown_experiment(statements, experiment);
  ORCH_ASSIGN(const auto points, statements.integer(k_points_of, experiment));
  ORCH_ASSIGN(const auto measurements, statements.integer(k_measurements_of, experiment));
  found.count = {.runs = found.uids.size(),
                 .points = static_cast<std::size_t>(points.value_or(0)),
                 .measurements = static_cast<std::size_t>(measurements.value_or(0))};
  return found;
}

}  // namespace

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
          fmt::format("{} is no path of a store's own files; it is left", quoted(item.path))));
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
    return Error{.kind = ErrorKind::conflict,
                 .message = fmt::format(
                     "{} attempts of {} have no recorded end, and processes of theirs may still "
                     "run: `orchestrate resume` ends or finishes them",
                     *unfinished, experiment),
                 .where = {}};
  const store::Forgotten forgotten{.runs = found.uids, .at = now};
  ORCH_TRY(store::in_transaction(core, [&]() -> Status {
    core.records.add(store::k_store_record, to_fact(forgotten));
    return write_forgotten(core.statements, forgotten);
  }));
  system::kill_point("forget-committed");
  return found.count;
}

}  // namespace orch::keep
