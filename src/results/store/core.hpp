// The state that the parts of the store share: lock, connection, statements and wide tables.
// For src/results/store and src/results/keep.
#pragma once

#include "core/sql/database.hpp"
#include "os/system/files.hpp"
#include "results/store/layout.hpp"
#include "results/store/lock.hpp"
#include "results/store/records/record_log.hpp"
#include "results/store/store.hpp"
#include "results/tables/statements.hpp"
#include "results/tables/views.hpp"
#include "results/tables/wide.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace orch::store {

// Keeps a reader from changing the folder of a database. A reader creates an empty write-ahead log
// and its index if they are missing, and only a connection with write access can remove them, so
// the destructor opens one. A log with content belongs to a run and stays.
class ReadOnlySnapshot {
 public:
  ReadOnlySnapshot(system::Files& files, std::string database)
      : files_(&files), database_(std::move(database)) {}
  ReadOnlySnapshot(ReadOnlySnapshot&& other) noexcept
      : files_(other.files_), database_(std::exchange(other.database_, {})) {}
  ReadOnlySnapshot& operator=(ReadOnlySnapshot&&) = delete;
  // The reader's connection must be closed before. If another connection is open, the files stay,
  // and that connection removes them when it closes.
  ~ReadOnlySnapshot();

 private:
  system::Files* files_;
  std::string database_;  // "": moved from
};

struct Core {
  Core(Host outside, Layout place, std::optional<Lock> held, sql::Database opened,
       std::optional<ReadOnlySnapshot> found = std::nullopt)
      : host(outside),
        layout(std::move(place)),
        lock(std::move(held)),
        snapshot(std::move(found)),
        database(std::move(opened)) {}

  // The order matters for destruction: statements before their connection, the connection before
  // the lock and the snapshot.
  Host host;
  Layout layout;
  std::optional<Lock> lock;
  std::optional<ReadOnlySnapshot> snapshot;
  sql::Database database;
  tables::Statements statements{database};
  tables::Wide wide{statements};
  RecordLog records{host, layout, statements};
  Ballast ballast{host.files, layout};
  std::vector<std::string> notices;
  std::vector<std::string> repaired;  // sentences about run records; also among the notices
  std::optional<Error> broken;        // if set, why nothing can be written any longer
  std::int64_t inode = 0;             // the inode of the database when it was opened for writing
  std::int64_t run_id = 0;            // of the current run; 0: none
  std::map<system::FileStamp, Digest> remembered;  // digests that are not written yet

  bool writes() const { return lock.has_value(); }
  // Adds SENTENCE to the notices unless they have it.
  void notice(const std::string& sentence);
  // Call inside a transaction.
  Status write_remembered();
  // Compares the run records with the database, and restores damaged records. With ALL, compares
  // their whole contents.
  Status repair_records(bool all);
};

// Returns ERROR, or if SQLite reports a damaged file, an error that names the store and the remedy.
Error corruption_error_or(const Error& error, system::Files& files, const Layout& layout);

// Runs WORK() in one transaction and commits; if the disk is full, releases the ballast and retries
// once. After an error the database is unchanged, unless the outcome of the commit is unknown: then
// every later transaction fails until the store is reopened.
Status in_transaction(Core& core, const std::function<Status()>& work);

// Ensures that a database is written with a journal that its file system supports, and only by the
// current owner of its store. For src/results/store.

// Call before the database is first read.
Status begin_write_mode(Core& core);
// Sets the journal mode once the database has its schema. In a store that other hosts may use, sets
// a rollback journal (the write-ahead log needs shared memory), marks the database with this owner
// and adds a notice.
Status set_write_mode(Core& core);
// Call inside a transaction. ErrorKind::conflict: another process has taken over the store. The
// owner's mark is read under SQLite's own lock, so that the check does not depend on a host's file
// cache.
Status check_owner(Core& core);

}  // namespace orch::store
