#include "store/read_only_snapshot.hpp"

#include "sql/database.hpp"

namespace orch::store {

ReadOnlySnapshot::~ReadOnlySnapshot() {
  if (database_.empty()) return;
  const auto log = files_->stat(database_ + "-wal");
  if (!log || log->bytes != 0) return;
  // Closing is what removes them, under SQLite's own lock; a connection that has read nothing has
  // not seen them.
  auto last =
      sql::Database::open(database_, {.access = sql::Access::read_write, .busy_timeout_ms = 0});
  if (last.ok()) static_cast<void>(last->query_int("PRAGMA schema_version").ok());
}

}  // namespace orch::store
