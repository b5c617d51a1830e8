#include "store/as_found.hpp"

#include "sql/database.hpp"

#include <filesystem>

namespace orch::store {

AsFound::~AsFound() {
  std::error_code code;
  if (database_.empty() || std::filesystem::file_size(database_ + "-wal", code) != 0 || code)
    return;
  // Closing is what removes them, under SQLite's own lock; a connection that has read nothing has
  // not seen them.
  auto last =
      sql::Database::open(database_, {.access = sql::Access::read_write, .busy_timeout_ms = 0});
  if (last.ok()) static_cast<void>(last->query_int("PRAGMA schema_version").ok());
}

}  // namespace orch::store
