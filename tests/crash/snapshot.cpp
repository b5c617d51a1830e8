#include "crash/snapshot.hpp"

#include "core/sql/database.hpp"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <memory>

#include <fmt/format.h>
#include <sqlite3.h>

namespace orch::crash {

namespace fs = std::filesystem;

namespace {

using Row = std::map<std::string, std::string>;

// A copy of the database and its log, without the shared-memory index, which SQLite rebuilds.
class Copy {
 public:
  Copy(const std::string& store, const std::string& scratch) : path_(scratch + "/copy.db") {
    std::error_code code;
    for (const char* end : {"", "-wal", "-shm"}) fs::remove(path_ + end, code);
    fs::copy_file(store + "/results.db", path_, code);
    if (code) {
      error_ = "no database: " + code.message();
      return;
    }
    fs::copy_file(store + "/results.db-wal", path_ + "-wal", code);
    if (::sqlite3_open(path_.c_str(), &database_) != SQLITE_OK)
      error_ = ::sqlite3_errmsg(database_);
    else sql::add_packed_functions(database_);
  }
  ~Copy() {
    ::sqlite3_close(database_);
    std::error_code code;
    for (const char* end : {"", "-wal", "-shm"}) fs::remove(path_ + end, code);
  }
  Copy(const Copy&) = delete;
  Copy& operator=(const Copy&) = delete;

  std::vector<Row> rows(const std::string& sql) {
    std::vector<Row> found;
    sqlite3_stmt* statement = nullptr;
    if (!error_.empty() ||
        ::sqlite3_prepare_v2(database_, sql.c_str(), -1, &statement, nullptr) != SQLITE_OK) {
      if (error_.empty()) error_ = ::sqlite3_errmsg(database_);
      return found;
    }
    while (::sqlite3_step(statement) == SQLITE_ROW) {
      Row& row = found.emplace_back();
      for (int i = 0; i < ::sqlite3_column_count(statement); ++i) {
        const auto* text = reinterpret_cast<const char*>(::sqlite3_column_text(statement, i));
        row[::sqlite3_column_name(statement, i)] = text ? text : "NULL";
      }
    }
    ::sqlite3_finalize(statement);
    return found;
  }
  const std::string& error() const { return error_; }

 private:
  std::string path_, error_;
  sqlite3* database_ = nullptr;
};

// The name of a stage in the diary of its actor.
constexpr const char* k_diary_name =
    "s.name || coalesce('-' || json_extract(s.parameters, '$.precision'), '') || coalesce('-' || "
    "json_extract(s.parameters, '$.isl'), '') || "
    "coalesce('-' || json_extract(s.parameters, '$.concurrency'), '')";

bool tells_of_time(const std::string& column) {
  for (const char* name : {"run", "measured_run", "measured_at", "measurement"})
    if (column == name) return true;
  return column.starts_with("server_start_s") || column.starts_with("build_s");
}

std::string without_times(const std::string& of, const Row& row) {
  std::string line = of;
  for (const auto& [column, value] : row)
    if (!tells_of_time(column)) line += fmt::format(" {}={}", column, value);
  return line;
}

void read_rows(Copy& copy, Snapshot& into) {
  const std::pair<const char*, const char*> questions[] = {
      {"result", "SELECT * FROM results"},
      {"request",
       "SELECT q.* FROM requests q JOIN measurement m ON m.id = q.measurement WHERE m.valid = 1"},
      {"answer",
       "SELECT q.* FROM answers q JOIN measurement m ON m.id = q.measurement WHERE m.valid = 1"},
      {"file",
       "SELECT DISTINCT s.digest, f.path, f.bytes, f.sha256 FROM artifact a JOIN artifact_file f "
       "ON f.artifact_id = a.id JOIN stage s ON s.id = a.stage_id WHERE a.removed_at IS NULL"}};
  for (const auto& [of, sql] : questions)
    for (const Row& row : copy.rows(sql)) into.rows.push_back(without_times(of, row));
  std::sort(into.rows.begin(), into.rows.end());
}

}  // namespace

Snapshot read_store(const std::string& store, const std::string& scratch) {
  Copy copy(store, scratch);
  Snapshot snapshot;
  const std::string name = k_diary_name;
  for (const Row& row : copy.rows("SELECT DISTINCT " + name +
                                  " AS name FROM artifact a JOIN stage s ON s.id = a.stage_id "
                                  "WHERE a.removed_at IS NULL AND s.kind = 'task'"))
    snapshot.done.insert(row.at("name"));
  for (const Row& row :
       copy.rows("SELECT " + name +
                 " AS name, count(*) AS n FROM measurement m JOIN stage s ON s.id = m.stage_id "
                 "WHERE m.valid = 1 AND m.superseded = 0 GROUP BY s.id")) {
    snapshot.done.insert(row.at("name"));
    snapshot.valid_measurements[row.at("name")] = std::stoi(row.at("n"));
  }
  read_rows(copy, snapshot);
  for (const Row& row : copy.rows(
           "SELECT path FROM artifact WHERE removed_at IS NULL UNION SELECT path FROM measurement "
           "UNION SELECT 'attempts/' || token FROM attempt WHERE ok = 0 AND failure_class <> "
           "'lost'")) {
    const std::string& path = row.at("path");
    snapshot.folders.insert(path);
    snapshot.folders.insert(
        path.substr(0, path.find('/', path.find('/') + 1)));  // several records may share a folder
  }
  for (const Row& row : copy.rows("SELECT " + name +
                                  " AS name, number FROM attempt a JOIN stage s ON s.id = "
                                  "a.stage_id WHERE a.ended_at IS NULL"))
    snapshot.unfinished.push_back(
        fmt::format("attempt {} of {} has no end", row.at("number"), row.at("name")));
  for (const Row& row :
       copy.rows("SELECT plan_id, state FROM run_stage WHERE run_id = (SELECT max(id) FROM run) "
                 "AND state NOT IN ('done', 'reused', 'reuse', 'idle')"))
    snapshot.unfinished.push_back(fmt::format("{} is {}", row.at("plan_id"), row.at("state")));
  for (const Row& row :
       copy.rows("SELECT outcome, (SELECT count(*) FROM run) AS runs, (SELECT count(*) FROM "
                 "attempt) AS attempts FROM run ORDER BY id DESC LIMIT 1")) {
    snapshot.last_outcome = row.at("outcome");
    snapshot.runs = std::stoi(row.at("runs"));
    snapshot.attempts = std::stoi(row.at("attempts"));
  }
  snapshot.why_not = copy.error();
  snapshot.readable = copy.error().empty();
  return snapshot;
}

std::vector<std::string> ask_store(const std::string& store, const std::string& scratch,
                                   const std::string& sql) {
  Copy copy(store, scratch);
  std::vector<std::string> lines;
  for (const Row& row : copy.rows(sql)) {
    std::string line;
    for (const auto& [column, value] : row) line += (line.empty() ? "" : " ") + value;
    lines.push_back(line);
  }
  if (!copy.error().empty()) lines.push_back("error: " + copy.error());
  return lines;
}

}  // namespace orch::crash
