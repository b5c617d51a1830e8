// How a database is written: in the journal that its file system can bear, and by nobody but the
// current owner of its store. For src/results/store.
#pragma once

#include "results/store/core.hpp"

namespace orch::store {

// Before the database is read for the first time.
Status begin_write_mode(Core& core);
// Sets the journal once the database has its schema. On a file system that other hosts may use,
// with a notice: a rollback journal, since the write-ahead log needs shared memory, and a mark of
// this owner in the database.
Status set_write_mode(Core& core);
// Inside a transaction: ErrorKind::conflict when another process has taken the store over. Its mark
// is read under SQLite's own lock, so that this does not depend on what a host remembers of files.
Status check_owner(Core& core);

}  // namespace orch::store
