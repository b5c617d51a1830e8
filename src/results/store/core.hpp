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

// Leaves the folder of a database unchanged by a reader. A reader creates an empty write-ahead log
// and its index if they are missing, and only a connection with write access can remove them: the
// destructor opens one for that purpose. A log with content belongs to a run and stays. Knows no
// table.

class ReadOnlySnapshot {
 public:
  ReadOnlySnapshot(system::Files& files, std::string database)
      : files_(&files), database_(std::move(database)) {}
  ReadOnlySnapshot(ReadOnlySnapshot&& other) noexcept
      : files_(other.files_), database_(std::exchange(other.database_, {})) {}
  ReadOnlySnapshot& operator=(ReadOnlySnapshot&&) = delete;
  // Close the reader's connection first. Another open connection keeps the files and removes them
  // when it closes.
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

  // The order matters: statements are destroyed before their connection, the connection before the
  // lock and the snapshot.
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
  std::optional<Error> broken;        // why nothing can be written any longer
  std::int64_t inode = 0;             // of the database when it was opened for writing
  std::int64_t run_id = 0;            // of the current run; 0: none
  std::map<system::FileStamp, Digest> remembered;  // digests not yet written

  bool writes() const { return lock.has_value(); }
  // Adds SENTENCE to the notices unless already there.
  void notice(const std::string& sentence);
  // Inside a transaction.
  Status write_remembered();
  // Compares the run records with the database, and restores damaged ones. ALL: compares their
  // whole contents.
  Status repair_records(bool all);
};

// Returns ERROR, or if SQLite reports a damaged file, an error that names the store and the remedy.
Error corruption_error_or(const Error& error, system::Files& files, const Layout& layout);

// Runs WORK() in one transaction and commits; if the disk is full, releases the ballast and retries
// once. After an error the database is unchanged, unless the outcome of the commit is unknown: then
// every later transaction fails until the store is reopened.
Status in_transaction(Core& core, const std::function<Status()>& work);

// How a database is written: with the journal that its file system supports, and only by the
// current owner of its store. For src/results/store.

// Call it before the database is first read.
Status begin_write_mode(Core& core);
// Sets the journal once the database has its schema. On a file system that other hosts may use,
// with a notice: a rollback journal, since the write-ahead log needs shared memory, and a mark of
// this owner in the database.
Status set_write_mode(Core& core);
// Inside a transaction: ErrorKind::conflict if another process has taken over the store. Its mark
// is read under SQLite's own lock, so that the check does not depend on a host's file cache.
Status check_owner(Core& core);

}  // namespace orch::store
