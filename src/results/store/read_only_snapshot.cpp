#include "results/store/read_only_snapshot.hpp"

#include "core/sql/database.hpp"

namespace orch::store {

ReadOnlySnapshot::~ReadOnlySnapshot() {
  if (database_.empty()) return;
  const auto log = files_->stat(database_ + "-wal");
  if (!log || log->bytes != 0) return;
  // SQLite removes the files when the last connection closes, under its own lock. A connection that
  // has read nothing does not know of them.
  auto last =
      sql::Database::open(database_, {.access = sql::Access::read_write, .busy_timeout_ms = 0});
  if (last.ok()) static_cast<void>(last->query_int("PRAGMA schema_version").ok());
}

}  // namespace orch::store
